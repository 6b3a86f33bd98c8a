"""The form that chooses which responses are listed."""

from typing import Any

from django import forms

from annotate.models import Study, System
from annotate.reading.questions import slice_choices

SHOWN = [
    ("", "all responses"),
    ("uncited", "with statements that cite nothing"),
    ("out-of-range", "with marks that have no passage"),
    ("positional", "with citations inside sentences"),
    ("cut", "cut at a new line"),
    ("empty", "empty"),
]


class ResponseFilterForm(forms.Form):
    q = forms.CharField(
        label="Search",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Question or answer"}),
    )
    system = forms.ModelChoiceField(
        queryset=System.objects.none(), required=False, empty_label="all systems"
    )
    slice = forms.ChoiceField(required=False)
    show = forms.ChoiceField(choices=SHOWN, required=False)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        system = self.fields["system"]
        assert isinstance(system, forms.ModelChoiceField)
        system.queryset = System.objects.loaded().filter(study=study)
        offered = slice_choices(study)
        part = self.fields["slice"]
        assert isinstance(part, forms.ChoiceField)
        part.choices = [("", "all questions"), *offered]
        if not offered:
            del self.fields["slice"]
