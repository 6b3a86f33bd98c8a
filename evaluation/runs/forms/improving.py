"""Which way of learning from labels is taken, and from which of them."""

from typing import Any, cast

from django import forms

from evaluation.runs.forms.thresholds import ThresholdForm
from evaluation.statistics.chosen_threshold import WAYS, Learning

TITLES = {
    "threshold": "A threshold of your own",
    "platt": "Calibration by Platt's sigmoid",
    "isotonic": "Isotonic calibration",
    "examples": "Examples in the prompt",
}


SEVERAL = "Thresholds of your own, one below each answer but the lowest"


def title_of(way: str, levels: int) -> str:
    """Of a dimension with so many answers."""
    return SEVERAL if way == "threshold" and levels > 2 else TITLES[way]


class ImproveForm(ThresholdForm):
    """Of a dimension with more than two answers, thresholds alone are learned."""

    way = forms.ChoiceField(
        label="Use",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what is to be used."},
    )
    field_order = ("way", "part")

    def __init__(self, *given: Any, levels: int = 2, **more: Any) -> None:
        super().__init__(*given, **more)
        ways: tuple[Learning, ...] = WAYS if levels == 2 else ("threshold",)
        field = cast("forms.ChoiceField", self.fields["way"])
        field.choices = [(way, title_of(way, levels)) for way in ways]
        field.initial = None if len(ways) > 1 else ways[0]

    def chosen_way(self) -> Learning:
        """The form is valid."""
        return cast("Learning", self.cleaned_data["way"])
