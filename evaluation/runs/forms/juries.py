"""Which judges become a jury, for which dimensions, and how."""

from typing import Any, cast

from django import forms

from annotate.models import Judge, Study
from evaluation.models import Jury
from evaluation.runs.forms.thresholds import ThresholdForm
from evaluation.runs.jury_ballots import combinable, votable
from evaluation.statistics.juries import Method


class JuryForm(forms.Form):
    judges = forms.MultipleChoiceField(
        label="Judges",
        help_text="Two at least. Two can only agree or tie, so three and more say more.",
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
        """The form is valid."""
        return [self.known[pk] for pk in self.cleaned_data["judges"]]


def _called(judge: Judge, titles: list[str]) -> str:
    """Its title, with its signature where another one is called the same."""
    alike = titles.count(judge.title) > 1
    return f"{judge.title} ({judge.name})" if alike else judge.title


class UseJuryForm(ThresholdForm):
    way = forms.ChoiceField(
        label="Use",
        choices=Jury.Method.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose how their answers become one."},
    )
    field_order = ("way", "part")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["part"].label = "Learn weights from"

    def chosen_way(self) -> Method:
        """The form is valid."""
        return cast("Method", self.cleaned_data["way"])
