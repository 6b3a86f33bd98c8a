"""The form of an example in the guidelines."""

from typing import Any

from django import forms

from annotate.protocol.dimensions import Dimension


class ExampleForm(forms.Form):
    value = forms.ChoiceField(label="The right answer", widget=forms.RadioSelect)
    explanation = forms.CharField(
        label="Why it is right",
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For raters, e.g. “the passage says 2016, the answer says 2018”.",
    )

    def __init__(self, dimension: Dimension, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        value = self.fields["value"]
        assert isinstance(value, forms.ChoiceField)
        value.choices = [(choice.value, choice.label) for choice in dimension.choices]
