"""What of a study's labels a threshold is chosen on."""

from typing import cast

from django import forms

from evaluation.statistics.chosen_threshold import Part

PARTS = {
    "half": "half of the questions: the judge's numbers are about the other half",
    "all": "all questions: the judge's numbers are about labels that come later",
}


class ThresholdForm(forms.Form):
    part = forms.ChoiceField(
        label="Learn from", choices=list(PARTS.items()), initial="half", widget=forms.RadioSelect
    )

    def chosen(self) -> Part:
        """The form is valid."""
        return cast("Part", self.cleaned_data["part"])
