"""The form of a number that is made of answers: by a formula, or by weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict

from annotate.models import Study
from annotate.protocol.dimensions import Derived, Dimension, UnitKind
from annotate.protocol.formulas import MANY, Place, about
from annotate.protocol.written import NotAProtocol, derived_fields, derived_from_fields
from annotate.studies.forms.dimensions import KINDS, NEEDED, free_key, short_text, words

MADE = {
    "formula": "a formula: yes or no of each unit",
    "weights": "weights: what each answer on one dimension counts",
}
_TOLD = ("told_units", "told_judges", "told_people")
WEIGHT = "weight-"
"""Before the names of the fields with what an answer counts."""


@dataclass(frozen=True, slots=True)
class Nameable:
    """What a formula about a kind of unit may name: how, and which answers it may ask for."""

    name: str
    title: str
    answers: tuple[str, ...]


def nameable(study: Study, kind: UnitKind) -> Iterator[Nameable]:
    """Of what the study asks, and of what automatic judges are asked."""
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
                yield Nameable(name, one.title, one.named)


class DerivedForm(forms.Form):
    """One number: a new one, or `before` to be changed. What it must be is said by the protocol
    alone; here faults are brought to their fields."""

    use_required_attribute = False

    title = forms.CharField(max_length=100, error_messages=NEEDED)
    key = forms.CharField(
        max_length=30,
        required=False,
        help_text="Its name in files and reports: a-z, 0-9 and _. Empty: made of the title. It "
        "stays once the number is there.",
    )
    about = forms.ChoiceField(label="A number of", choices=words(KINDS))
    question = forms.CharField(
        label="What it answers",
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages=NEEDED,
    )
    made_by = forms.ChoiceField(label="Made by", choices=words(MADE), widget=forms.RadioSelect)
    formula = forms.CharField(
        max_length=2_000, widget=forms.Textarea(attrs={"rows": 3}), error_messages=NEEDED
    )
    decides_early = forms.BooleanField(
        label="It has a value as soon as the answers that are there decide it", required=False
    )
    of = forms.ChoiceField(label="Whose answers count")
    uncited = short_text(
        "A statement that cites nothing counts",
        "A number from 0 to 1. Empty: it does not count.",
        most=8,
    )
    of_judges = forms.BooleanField(
        label="Also computed from automatic judges' answers", required=False
    )
    detected = short_text("A metric is to detect", "Where it is no, as “unfit answer”.", most=100)
    told_units = short_text("Told of the units", "In a report's headline, as “unfit answers”.")
    told_judges = short_text("What a judge calls them", "As “unfit”.")
    told_people = short_text("What people say instead", "As “fit”.")

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
        self.made: Derived | None = None
        given = data if data is not None else self.initial
        found = given.get("about", "")
        self.kind = UnitKind(found) if found in {*UnitKind} else UnitKind.RESPONSE
        self.is_weighted = given.get("made_by") == "weights"
        if before is not None:
            del self.fields["key"]
        for name in ("of", "uncited") if not self.is_weighted else ("formula", "decides_early"):
            del self.fields[name]
        self.weighed: Dimension | None = None
        if self.is_weighted:
            self._weigh(given.get("of", ""))

    def _weigh(self, of: str) -> None:
        """A field for each answer on the dimension that is weighed."""
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
        return [self[name] for name in ("of_judges", "detected", *_TOLD)]

    @property
    def has_told(self) -> bool:
        return any(field.value() or field.errors for field in self.told)

    @property
    def nameable(self) -> list[Nameable]:
        return [*nameable(self.study, self.kind)]

    @property
    def kept(self) -> Derived:
        """What a valid form made."""
        assert self.made is not None
        return self.made

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        if self.errors:
            return given
        try:
            self.made = derived_from_fields(self._fields_of(given), self.study.protocol)
        except NotAProtocol as error:
            for fault in error.faults:
                self._tell(fault.field, f"Expected {fault.expected}; found {fault.found}.")
        return given

    def _fields_of(self, given: dict[str, Any]) -> dict[str, Any]:
        """As a protocol file says it."""
        told = [given.pop(name) for name in _TOLD]
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
        """What each answer counts, nothing where that is empty. Of marked words either the labels
        or the severities count: these where one of them is filled in."""
        severities = [one.value for one in self.weighed.severities] if self.weighed else []
        of_severities = any(typed.get(name) for name in severities)
        return {
            name: weight or "0"
            for name, weight in typed.items()
            if (name in severities) == of_severities
        }

    def _tell(self, name: str, said: str) -> None:
        """Beside the field that it is about."""
        name = {"told": _TOLD[0], "weights": "of"}.get(name, name)
        name = name.replace("weights.", WEIGHT)
        self.add_error(name if name in self.fields else None, said)


def _initial(before: Derived | None) -> dict[str, Any]:
    if before is None:
        return {"about": "response", "made_by": "formula"}
    fields = derived_fields(before)
    fields |= dict(zip(_TOLD, fields.get("told", ()), strict=False))
    fields |= {WEIGHT + value: f"{weight:g}" for value, weight in before.weights}
    return {**fields, "made_by": "weights" if before.weights else "formula"}
