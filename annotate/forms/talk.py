"""The form of an answer to a rater."""

from typing import Any

from django import forms

from annotate.protocol.dimensions import Dimension


class AnswerForm(forms.Form):
    text = forms.CharField(
        label="Your answer", max_length=5_000, widget=forms.Textarea(attrs={"rows": 4})
    )
    shared = forms.BooleanField(
        label="Show it to all raters of the batch",
        required=False,
        help_text="With the question, without names. Who has read it does not judge this item "
        "independently any more.",
    )
    value = forms.ChoiceField(
        label="Make it an example in the guidelines",
        required=False,
        help_text="The right answer; what you write explains it.",
    )

    def __init__(
        self, dimension: Dimension, *args: Any, may_be_example: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if not may_be_example:
            del self.fields["value"]
            return
        value = self.fields["value"]
        assert isinstance(value, forms.ChoiceField)
        choices = [(c.value, f"The right answer is “{c.label}”") for c in dimension.choices]
        value.choices = [("", "No example"), *choices]
