"""The form to learn from labels: which way, and which part of them."""

from typing import Any, cast

from django import forms

from annotate.models import Judge, Study
from evaluation.models import Jury
from evaluation.runs.jury_ballots import combinable, votable
from evaluation.statistics.chosen_threshold import WAYS, Learning, Part
from evaluation.statistics.juries import Method

PARTS = {
    "half": "half of the questions: the judge's numbers are about the other half",
    "all": "all questions: the judge's numbers are about labels that come later",
}


class ThresholdForm(forms.Form):
    part = forms.ChoiceField(
        label="Learn from", choices=list(PARTS.items()), initial="half", widget=forms.RadioSelect
    )

    def chosen(self) -> Part:
        """Return the chosen part of a valid form."""
        return cast("Part", self.cleaned_data["part"])


TITLES = {
    "threshold": "A threshold of your own",
    "platt": "Calibration by Platt's sigmoid",
    "isotonic": "Isotonic calibration",
    "examples": "Examples in the prompt",
}


SEVERAL = "Thresholds of your own, one below each answer but the lowest"


def title_of(way: str, levels: int) -> str:
    """Return the title of a way, for a dimension with this number of answers."""
    return SEVERAL if way == "threshold" and levels > 2 else TITLES[way]


class ImproveForm(ThresholdForm):
    """Ways to learn; a dimension with more than two answers has thresholds only."""

    way = forms.ChoiceField(
        label="Use",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what to use."},
    )
    field_order = ("way", "part")

    def __init__(self, *given: Any, levels: int = 2, **more: Any) -> None:
        super().__init__(*given, **more)
        ways: tuple[Learning, ...] = WAYS if levels == 2 else ("threshold",)
        field = cast("forms.ChoiceField", self.fields["way"])
        field.choices = [(way, title_of(way, levels)) for way in ways]
        field.initial = None if len(ways) > 1 else ways[0]

    def chosen_way(self) -> Learning:
        """Return the chosen way of a valid form."""
        return cast("Learning", self.cleaned_data["way"])


class JuryForm(forms.Form):
    judges = forms.MultipleChoiceField(
        label="Judges",
        help_text="At least two. Three or more are better: two can only agree or tie.",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least two judges."},
    )
    dimensions = forms.MultipleChoiceField(
        label="Dimensions",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one dimension."},
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = {str(one.pk): one for one in combinable(study)}
        titles = [one.title for one in self.known.values()]
        for name, choices in (
            ("judges", [(pk, _called(one, titles)) for pk, one in self.known.items()]),
            ("dimensions", [(one.key, one.title) for one in votable(study)]),
        ):
            cast("forms.MultipleChoiceField", self.fields[name]).choices = choices

    def chosen(self) -> list[Judge]:
        """Return the chosen judges of a valid form."""
        return [self.known[pk] for pk in self.cleaned_data["judges"]]


def _called(judge: Judge, titles: list[str]) -> str:
    """Return the judge's title, with its signature if another judge has the same title."""
    alike = titles.count(judge.title) > 1
    return f"{judge.title} ({judge.name})" if alike else judge.title


class UseJuryForm(ThresholdForm):
    way = forms.ChoiceField(
        label="Use",
        choices=Jury.Method.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose how to combine their answers."},
    )
    field_order = ("way", "part")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["part"].label = "Learn weights from"

    def chosen_way(self) -> Method:
        """Return the chosen method of a valid form."""
        return cast("Method", self.cleaned_data["way"])
