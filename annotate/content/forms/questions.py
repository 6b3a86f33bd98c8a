"""Forms that filter questions and set their metadata."""

from typing import Any

from django import forms

from annotate.content.questions import WITHOUT, slice_choices
from annotate.models import Study
from annotate.protocol.slices import DATASET, KEY_CHARS, VALUE_CHARS


class QuestionFilterForm(forms.Form):
    q = forms.CharField(
        label="Search",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Question or id"}),
    )
    slice = forms.ChoiceField(required=False)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["slice"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", "all questions"),
            (WITHOUT, "without a data set"),
            *slice_choices(study),
        ]


class DescribeForm(forms.Form):
    """One metadata value, and the questions that get it."""

    ALL = "all"

    key = forms.CharField(
        label="Key",
        max_length=KEY_CHARS,
        initial=DATASET,
        help_text="Use dataset, or a word of your own, such as kind.",
    )
    value = forms.CharField(
        max_length=VALUE_CHARS, required=False, help_text="Empty: the value is removed."
    )
    of = forms.ChoiceField(
        label="Questions to change",
        choices=[("ticked", "Ticked questions"), (ALL, "All that are found")],
        widget=forms.RadioSelect,
        initial="ticked",
    )

    @property
    def takes_all(self) -> bool:
        return bool(self.cleaned_data["of"] == self.ALL)
