"""The form that chooses what a report is about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from django import forms

from annotate.content.questions import slice_choices, slices
from annotate.models import Batch, Judge, Study, System
from annotate.protocol.signatures import judge_title
from annotate.protocol.slices import DATASET
from evaluation.reports.filters import LISTS, Filters

LABELS = {
    "majority": "The majority of people",
    "adjudicated": "Adjudicated, else the majority",
    "dawid-skene": "Dawid-Skene: raters weighted by a model",
}

SINGULAR = {
    "systems": "System",
    "slices": "Slice",
    "compare": "Compared",
    "dimensions": "Dimension",
    "judges": "Judge",
    "primary": "Primary judge",
    "batch": "Batch",
}

NAMING = SINGULAR.keys() - {"dimensions"}
"""Filters that name what a study has or has not. Dimensions are the same everywhere."""

SAID = {
    "fine_grained": "Fine-grained citations only",
    "excluded_in": "With excluded raters",
    "outliers": "With systems that use AutoAIS",
}


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is set, and the address without it."""

    name: str
    value: str
    without: str


class ReportFilterForm(forms.Form):
    """Everything is optional: an empty form is the report of the whole study."""

    systems = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="None ticked: all of them."
    )
    slices = forms.MultipleChoiceField(
        label="Slices of questions",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all slices. With two keys, only questions in both.",
    )
    split = forms.ChoiceField(label="Compare systems by", required=False)
    compare = forms.MultipleChoiceField(
        label="Compare two slices",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Tick two. Questions in both are compared in pairs.",
    )
    batch = forms.ModelChoiceField(
        label="Votes from",
        queryset=Batch.objects.none(),
        required=False,
        empty_label="the whole study",
    )
    dimensions = forms.MultipleChoiceField(
        label="Dimensions",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all of them.",
    )
    judges = forms.MultipleChoiceField(
        label="Automatic judges",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all of them.",
    )
    primary = forms.ChoiceField(
        label="Primary judge",
        required=False,
        help_text="The one that the report speaks of first. None here or in the settings: the one "
        "that agrees most with people, which then was chosen on the same answers.",
    )
    labels = forms.ChoiceField(
        label="One label of many votes", choices=list(LABELS.items()), required=False
    )
    fine_grained = forms.BooleanField(
        label="Only responses with fine-grained citations",
        required=False,
        help_text="Only responses that cite within a sentence, as ALiiCE compares.",
    )
    excluded_in = forms.BooleanField(label="Include answers of excluded raters", required=False)
    outliers = forms.BooleanField(
        label="Show automatic scores of systems that use AutoAIS",
        required=False,
        help_text="Shown as outliers. They are never part of a correlation.",
    )
    resamples = forms.IntegerField(
        required=False,
        min_value=10,
        max_value=20_000,
        help_text="For the error bars. Empty: 2,000.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**32 - 1,
        help_text="Of the resampling. Empty: the study's.",
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self._every: dict[str, dict[str, str]] = {}
        systems = System.objects.loaded().filter(study=study).order_by("name")
        self._offer("systems", {system.name: system.title for system in systems})
        self._offer_slices(study)
        self._offer("dimensions", {d.key: d.title for d in study.dimension_list})
        automatic = study.judges.filter(kind=Judge.Kind.AUTOMATIC).order_by("name")
        titles = {name: judge_title(name) for name in automatic.values_list("name", flat=True)}
        self._offer("judges", titles)
        usual = titles.get(study.primary_judge)
        none = "none" if usual is None else f"the study's: {usual}"
        self._offer("primary", {"": none} | titles if titles else {})
        batch = cast("forms.ModelChoiceField[Batch]", self.fields["batch"])
        batch.queryset = Batch.objects.work().filter(study=study).order_by("name")
        if not batch.queryset.exists():
            del self.fields["batch"]

    def _offer_slices(self, study: Study) -> None:
        choices = dict(slice_choices(study))
        keys = {key: key for key in slices(study)}
        self._offer("slices", choices)
        self._offer("compare", choices)
        self._offer("split", {DATASET: DATASET} | keys if keys else {})

    def clean_compare(self) -> list[str]:
        given: list[str] = self.cleaned_data["compare"]
        if len(given) not in (0, 2) or len(set(given)) != len(given):
            raise forms.ValidationError("Tick two slices, or none.")
        return given

    def _offer(self, name: str, choices: Mapping[str, str]) -> None:
        field = cast("forms.ChoiceField", self.fields[name])
        field.choices = list(choices.items())
        if not choices:
            del self.fields[name]

    def filters(self) -> Filters:
        """What is chosen; the form is valid."""
        given = self.cleaned_data
        batch = given.get("batch")
        query = {
            name: given.get(name) or [] for name in LISTS
        } | {
            name: ["1"] for name in ("fine_grained", "excluded_in", "outliers") if given[name]
        } | {
            name: [str(given[name])]
            for name in ("primary", "split", "labels", "resamples", "seed")
            if given.get(name) not in ("", None)
        }  # fmt: skip
        return Filters.from_query(query | ({"batch": [str(batch.pk)]} if batch else {}))

    def chips(self, filters: Filters) -> list[FilterChip]:
        """What is chosen otherwise than usual."""
        found = []
        for name, values in filters.as_query().items():
            for value in values:
                # Of two that are compared, one alone is nothing.
                others = [] if name == "compare" else [one for one in values if one != value]
                rest = {**filters.as_query(), name: others}
                without = urlencode({key: some for key, some in rest.items() if some}, doseq=True)
                found.append(FilterChip(*self._said(name, value), without))
        return found

    def said(self, filters: Filters) -> list[str]:
        """What is chosen otherwise than usual, in words; also what the study does not have."""
        return [
            ": ".join(filter(None, self._said(name, value)))
            for name, values in filters.as_query().items()
            for value in values
        ]

    def gone(self, filters: Filters) -> list[str]:
        """What filters name and the study does not have (any more), in words."""
        return [
            ": ".join(self._said(name, value))
            for name, values in filters.as_query().items()
            for value in values
            if name in NAMING and value not in self._offered(name)
        ]

    def _said(self, name: str, value: str) -> tuple[str, str]:
        if name in SAID:
            return "", SAID[name]
        if name == "labels":
            return "Labels", LABELS[value]
        return SINGULAR.get(name, name.capitalize()), self._offered(name).get(value, value)

    def _offered(self, name: str) -> dict[str, str]:
        """What there is to choose, in words; nothing where the study has none of it."""
        if name not in self._every:
            field = self.fields.get(name)
            offered = field.widget.choices if isinstance(field, forms.ChoiceField) else []
            self._every[name] = {str(value): str(title) for value, title in offered}
        return self._every[name]
