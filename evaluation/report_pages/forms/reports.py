"""Forms for the filters of a report, and for a share link."""

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
"""Filters with names of a study's items. Dimensions are the same in all studies."""

SWITCHES = {
    "fine_grained": "Fine-grained citations only",
    "excluded_in": "With excluded raters",
    "outliers": "With systems that use AutoAIS",
}


@dataclass(frozen=True, slots=True)
class FilterChip:
    """An active filter, and the query without it."""

    name: str
    value: str
    without: str


class ReportFilterForm(forms.Form):
    """Filters of a report, all optional: an empty form is the whole study."""

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
        """Return the chosen filters of a valid form."""
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
        """Return the filters that differ from the defaults, as chips."""
        found = []
        for name, values in filters.as_query().items():
            for value in values:
                # A comparison needs both of its two slices.
                others = [] if name == "compare" else [one for one in values if one != value]
                rest = {**filters.as_query(), name: others}
                without = urlencode({key: some for key, some in rest.items() if some}, doseq=True)
                found.append(FilterChip(*self._title_and_value(name, value), without))
        return found

    def described(self, filters: Filters) -> list[str]:
        """Return the filters that differ from the defaults in words, also unknown names."""
        return [
            ": ".join(filter(None, self._title_and_value(name, value)))
            for name, values in filters.as_query().items()
            for value in values
        ]

    def gone(self, filters: Filters) -> list[str]:
        """Return the filters with names that the study does not have (any more), in words."""
        return [
            ": ".join(self._title_and_value(name, value))
            for name, values in filters.as_query().items()
            for value in values
            if name in NAMING and value not in self._offered(name)
        ]

    def _title_and_value(self, name: str, value: str) -> tuple[str, str]:
        if name in SWITCHES:
            return "", SWITCHES[name]
        if name == "labels":
            return "Labels", LABELS[value]
        return SINGULAR.get(name, name.capitalize()), self._offered(name).get(value, value)

    def _offered(self, name: str) -> dict[str, str]:
        """Return the choices of a field, in words; empty where the study has none."""
        if name not in self._every:
            field = self.fields.get(name)
            offered = field.widget.choices if isinstance(field, forms.ChoiceField) else []
            self._every[name] = {str(value): str(title) for value, title in offered}
        return self._every[name]


class ReportLinkForm(forms.Form):
    purpose = forms.CharField(
        label="Purpose",
        max_length=100,
        required=False,
        help_text="Shown to researchers only, e.g. “reviewers”.",
    )
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=365, initial=30)
    with_texts = forms.BooleanField(
        label="Include texts",
        required=False,
        help_text="Texts of questions, responses and passages where people and judges disagree. "
        "If off, only numbers are shared.",
    )
