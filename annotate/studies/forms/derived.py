"""Edit a number that is derived from answers: by a formula, or by weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict

from annotate.models import Study
from annotate.protocol.dimensions import Derived, Dimension, UnitKind
from annotate.protocol.formulas import MANY, Place, about
from annotate.protocol.written import NotAProtocol, derived_fields, derived_from_fields
from annotate.studies.forms.dimensions import (
    REQUIRED_TEXT,
    TOLD_FIELDS,
    UNIT_LABELS,
    as_choices,
    free_key,
    key_field,
    short_text,
    text_area,
)

METHODS = {
    "formula": "a formula: yes or no for each unit",
    "weights": "weights: a value for each answer on one dimension",
}
WEIGHT = "weight-"
"""The prefix of the fields with an answer's weight."""


@dataclass(frozen=True, slots=True)
class FormulaName:
    """A name that a formula can use, with the possible answers."""

    name: str
    title: str
    answers: tuple[str, ...]


def formula_names(study: Study, kind: UnitKind) -> Iterator[FormulaName]:
    """Yield the names for a kind of unit: active dimensions and those of automatic judges."""
    protocol = study.protocol
    places: tuple[Place, ...] = ("unit", "parent", "response", "child", "sibling")
    for place in places:
        if place == "response" and kind is UnitKind.RESPONSE:
            continue
        for key, one in protocol.items():
            is_here = key in study.dimensions or not one.of_people
            if one.unit_kind in about(place, kind) and one.named and is_here:
                many = "any " if place in MANY else ""
                name = key if place == "unit" else f"{many}{place}.{key}"
                yield FormulaName(name, one.title, one.named)


class DerivedForm(forms.Form):
    """The form of a new number, or of `before` to change it.

    The protocol checks the values; the form shows each fault at its field.
    """

    use_required_attribute = False

    title = forms.CharField(max_length=100, error_messages=REQUIRED_TEXT)
    key = key_field()
    about = forms.ChoiceField(label="Computed for", choices=as_choices(UNIT_LABELS))
    question = text_area("Question it answers")
    made_by = forms.ChoiceField(
        label="Computed by", choices=as_choices(METHODS), widget=forms.RadioSelect
    )
    formula = text_area(rows=3)
    decides_early = forms.BooleanField(
        label="Compute it as soon as the answers given so far decide it", required=False
    )
    of = forms.ChoiceField(label="Dimension to count")
    uncited = short_text(
        "Value of a statement without citations",
        "A number from 0 to 1. Empty: it does not count.",
        most=8,
    )
    of_judges = forms.BooleanField(
        label="Also computed from automatic judges' answers", required=False
    )
    detected = short_text(
        "What a metric detects",
        "The case where the answer is no, such as “unfit answer”.",
        most=100,
    )
    told_units = short_text("Name of the units", "In a report's headline, such as “unfit answers”.")
    told_judges = short_text("What a judge calls them", "Such as “unfit”.")
    told_people = short_text("What people call them instead", "Such as “fit”.")

    def __init__(
        self,
        study: Study,
        data: QueryDict | None = None,
        *,
        before: Derived | None = None,
        is_checked: bool = True,
    ) -> None:
        self.study, self.before = study, before
        initial = data.dict() if data is not None and not is_checked else _initial(before)
        super().__init__(data if is_checked else None, initial=initial)
        self.number: Any = None
        """The number that a valid form gives."""
        given = data if data is not None else self.initial
        about = given.get("about", "")
        self.kind = UnitKind(about) if about in {*UnitKind} else UnitKind.RESPONSE
        self.is_weighted = given.get("made_by") == "weights"
        if before is not None:
            del self.fields["key"]
        for name in ("of", "uncited") if not self.is_weighted else ("formula", "decides_early"):
            del self.fields[name]
        self.weighed: Dimension | None = None
        if self.is_weighted:
            self._add_weights(given.get("of", ""))

    def _add_weights(self, of: str) -> None:
        """Add a field for the weight of each answer to a dimension."""
        protocol = self.study.protocol
        known = [
            one
            for one in protocol.values()
            if one.unit_kind is self.kind
            and one.named
            and (one.key in self.study.dimensions or one.key == of or not one.of_people)
        ]
        field = self.fields["of"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(one.key, one.title) for one in known]
        self.weighed = next((one for one in known if one.key == of), known[0] if known else None)
        if self.kind is not UnitKind.STATEMENT:
            del self.fields["uncited"]
        if self.weighed is not None:
            self.initial["of"] = self.weighed.key
            one = self.weighed
            every = (*one.choices, *one.severities)
            for value in one.low_to_high or [choice.value for choice in every]:
                label = f"“{self.weighed.called(value)}” counts"
                self.fields[WEIGHT + value] = short_text(label, most=8)

    @property
    def weights(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith(WEIGHT)]

    @property
    def told(self) -> list[forms.BoundField]:
        return [self[name] for name in ("of_judges", "detected", *TOLD_FIELDS)]

    @property
    def has_told(self) -> bool:
        return any(field.value() or field.errors for field in self.told)

    @property
    def names(self) -> list[FormulaName]:
        return [*formula_names(self.study, self.kind)]

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        if self.errors:
            return given
        try:
            self.number = derived_from_fields(self._fields_of(given), self.study.protocol)
        except NotAProtocol as error:
            for fault in error.faults:
                name = {"told": TOLD_FIELDS[0], "weights": "of"}.get(fault.field, fault.field)
                name = name.replace("weights.", WEIGHT)
                message = f"Expected {fault.expected}; found {fault.found}."
                self.add_error(name if name in self.fields else None, message)
        return given

    def _fields_of(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values in the format of a protocol file."""
        told = [given.pop(name) for name in TOLD_FIELDS]
        key = given.pop("key", "") or free_key(self.study.protocol, given["title"])
        key = self.before.key if self.before else key
        given.pop("made_by")
        names = [name for name in given if name.startswith(WEIGHT)]
        weights = self._weights({name.removeprefix(WEIGHT): given.pop(name) for name in names})
        fields = {name: value for name, value in given.items() if value != ""}
        return {
            **fields,
            "key": key,
            **({"told": told} if any(told) else {}),
            **({"weights": weights} if self.is_weighted else {"formula": given["formula"]}),
        }

    def _weights(self, typed: dict[str, str]) -> dict[str, str]:
        """Return the weight of each answer; empty is 0. For marked words, the severities have
        weights if one of them is filled in, otherwise the labels."""
        severities = [one.value for one in self.weighed.severities] if self.weighed else []
        of_severities = any(typed.get(name) for name in severities)
        return {
            name: weight or "0"
            for name, weight in typed.items()
            if (name in severities) == of_severities
        }


def _initial(before: Derived | None) -> dict[str, Any]:
    if before is None:
        return {"about": "response", "made_by": "formula"}
    fields = derived_fields(before)
    fields |= dict(zip(TOLD_FIELDS, fields.get("told", ()), strict=False))
    fields |= {WEIGHT + value: f"{weight:g}" for value, weight in before.weights}
    return {**fields, "made_by": "weights" if before.weights else "formula"}
