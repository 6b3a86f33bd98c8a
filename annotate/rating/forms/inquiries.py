"""The forms of an answer to a rater, and of an example in the guidelines."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotate.protocol.dimensions import Dimension
from annotate.rating.forms.answers import AnswerField


class AnswerForm(forms.Form):
    text = forms.CharField(
        label="Your answer", max_length=5_000, widget=forms.Textarea(attrs={"rows": 4})
    )
    shared = forms.BooleanField(
        label="Show it to all raters of the batch",
        required=False,
        help_text="With the question, without names. Raters who read it no longer judge this item "
        "independently.",
    )

    def __init__(
        self,
        dimension: Dimension,
        texts: Mapping[int, str],
        *args: Any,
        may_be_example: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if may_be_example:
            self.fields["value"] = AnswerField(
                dimension,
                texts,
                nothing="No example",
                label="Make it an example in the guidelines",
                help_text="Choose the right answer; your text explains it. Empty: no example.",
            )


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
