"""The form of an example in the guidelines."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotate.forms.answers import AnswerField
from annotate.protocol.dimensions import Dimension


class ExampleForm(forms.Form):
    explanation = forms.CharField(
        label="Why it is right",
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For raters, e.g. “the passage says 2016, the answer says 2018”.",
    )
    field_order = ("value", "explanation")

    def __init__(
        self, dimension: Dimension, texts: Mapping[int, str], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["value"] = AnswerField(dimension, texts, label="The right answer", on_text=True)
        self.order_fields(self.field_order)
