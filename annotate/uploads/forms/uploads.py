"""Forms about files on their way into a study."""

from typing import Any

from django import forms

from annotate.formats import formats_listed
from annotate.formats.tables.mapping import ColumnMapping, MappingError, mapping_in

MAPPING_BYTES = 1_000_000

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
        help_text="JSON, JSON Lines, CSV, Parquet, Arrow, Excel or a zip of tables; the format is "
        "recognised from its content.",
        error_messages={"empty": "This file is empty."},
    )
    passages = forms.FileField(
        label="Passages file",
        required=False,
        help_text="Texts by id or address, for files that name their passages alone.",
    )
    system = forms.CharField(
        label="System",
        max_length=200,
        required=False,
        help_text="Where the file does not name it. Empty: as the file suggests. Of TREC's "
        "judgments, the judge.",
    )
    run = forms.CharField(
        max_length=100, required=False, help_text="Seed or name of the run, if you have several."
    )
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES, initial="auto")
    format = forms.ChoiceField(choices=format_choices, required=False)
    mapping = forms.FileField(
        label="Mapping of columns",
        required=False,
        help_text="Of a table: a mapping that was saved as a file. Without it a page asks.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json"}),
    )

    def clean_mapping(self) -> ColumnMapping | None:
        """What the file says, where there is one."""
        file = self.cleaned_data["mapping"]
        if not file:
            return None
        if file.size > MAPPING_BYTES:
            raise forms.ValidationError(f"A mapping has at most {MAPPING_BYTES:,} bytes.")
        try:
            return mapping_in(file.read())
        except MappingError as error:
            raise forms.ValidationError(str(error)) from None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = accepted()


class UploadNamesForm(forms.Form):
    system = forms.CharField(label="System", max_length=200, required=False)
    run = forms.CharField(max_length=100, required=False)
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES)
