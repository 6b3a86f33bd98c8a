"""Forms about files on their way into a study."""

from typing import Any

from django import forms

from annotate.formats import formats_listed

_MODES = [
    ("auto", "As the file suggests"),
    ("sentences", "Sentences"),
    ("list", "List of entities (QAMPARI)"),
]


def format_choices() -> list[tuple[str, str]]:
    """Every format, and none."""
    return [("", "Recognise it"), *((each.key, each.title) for each in formats_listed())]


def accepted() -> str:
    """The ends of file names that a browser offers."""
    ends = (end for each in formats_listed() for end in each.extensions)
    return ",".join(dict.fromkeys(ends))


class UploadForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="JSON, JSON Lines or CSV; the format is recognised from its content.",
        error_messages={"empty": "This file is empty."},
    )
    passages = forms.FileField(
        label="Passages file",
        required=False,
        help_text="Only for Attributed QA predictions whose passages are in a file of their own.",
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl"}),
    )
    system = forms.CharField(
        label="System",
        max_length=200,
        required=False,
        help_text="Where the file does not name it. Empty: as the file suggests.",
    )
    run = forms.CharField(
        max_length=100, required=False, help_text="Seed or name of the run, if you have several."
    )
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES, initial="auto")
    format = forms.ChoiceField(choices=format_choices, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = accepted()


class UploadNamesForm(forms.Form):
    system = forms.CharField(label="System", max_length=200, required=False)
    run = forms.CharField(max_length=100, required=False)
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES)
