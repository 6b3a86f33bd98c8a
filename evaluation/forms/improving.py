"""Which way of learning from labels is taken, and from which of them."""

from typing import cast

from django import forms

from evaluation.forms.thresholds import ThresholdForm
from evaluation.numbers.chosen_threshold import WAYS, Way

TITLES = {
    "threshold": "A threshold of your own",
    "platt": "Calibration by Platt's sigmoid",
    "isotonic": "Isotonic calibration",
    "examples": "Examples in the prompt",
}


class ImproveForm(ThresholdForm):
    way = forms.ChoiceField(
        label="Use",
        choices=[(way, TITLES[way]) for way in WAYS],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what is to be used."},
    )
    field_order = ("way", "part")

    def chosen_way(self) -> Way:
        """The form is valid."""
        return cast("Way", self.cleaned_data["way"])
