"""The form of one dimension. What is wrong with it stands beside the field that it is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import QueryDict

from annotate.models import Study
from annotate.protocol.dimensions import PARENTS, Condition, Dimension, Fault, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.written import MAX_CHOICES, NotAProtocol, as_fields, from_fields
from annotate.services.errors import Refused
from annotate.services.wordings import as_kept, asked_with, faults_with

MORE = 3
"""Empty rows that wait for another choice."""

NEEDED = {"required": "Expected a text; found nothing."}

KINDS = {
    UnitKind.RESPONSE: "the whole answer",
    UnitKind.STATEMENT: "each statement",
    UnitKind.CITATION: "each citation",
    UnitKind.CLAIM: "each claim",
    UnitKind.CLAIM_CITATION: "each citation of a claim",
    UnitKind.PAIR: "two answers to one question, side by side",
    UnitKind.REFERENCE_CLAIM: "each claim of the reference answer",
}
SIGHT = {
    "nothing": "no passage: judged on the answer alone",
    "cited": "the passages that are cited there",
    "all": "all passages of the answer",
}
SCALES = {
    "nominal": "Nominal: answers are alike or not",
    "ordinal": "Ordinal: degrees, and a near answer is less wrong than a far one",
}
LABELS = {
    "majority": "The answer of more than half; of a tie, the lower one",
    "median": "The middle one of all, for degrees that are whole numbers",
}


@dataclass(slots=True)
class Row:
    """One choice as it is typed."""

    value: str = ""
    label: str = ""
    help: str = ""
    degree: str = ""
    positive: bool = False
    errors: list[str] = field(default_factory=list)

    @property
    def is_filled(self) -> bool:
        return bool(self.value or self.label or self.help)


@dataclass(frozen=True, slots=True)
class Before:
    """A question that this one may hang on, with the answers after which it is asked."""

    dimension: Dimension
    of: str
    chosen: frozenset[str]

    @property
    def place(self) -> str:
        """About what it was answered."""
        return {
            "unit": "about the same",
            "parent": f"about its {self.dimension.unit_kind}",
            "response": "about the whole answer",
        }[self.of]


def words(kinds: dict[Any, str]) -> list[tuple[str, str]]:
    return [(str(key), said) for key, said in kinds.items()]


def as_name(text: str, most: int) -> str:
    """What a title or a label is called in files."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:most].strip("_")


def free_key(protocol: Protocol, title: str) -> str:
    """A key made of a title, that nothing has."""
    base = re.sub(r"^[^a-z]+", "", as_name(title, 21)) or "dimension"
    tried = [base, *(f"{base}_{number}" for number in range(2, 100))]
    return next(key for key in tried if key not in protocol)


class DimensionForm(forms.Form):
    """One dimension: a new one, `before` to be changed, or a copy of it. What it must be is said by
    the protocol alone; here faults are brought to their fields."""

    use_required_attribute = False
    """The buttons beside the rows work on what is not whole yet."""

    title = forms.CharField(max_length=100, error_messages=NEEDED)
    key = forms.CharField(
        max_length=30,
        required=False,
        help_text="Its name in files and reports: a-z, 0-9 and _. Empty: made of the title. It "
        "stays once the dimension is there.",
    )
    about = forms.ChoiceField(label="Asked about", choices=words(KINDS))
    question = forms.CharField(
        max_length=2_000, widget=forms.Textarea(attrs={"rows": 2}), error_messages=NEEDED
    )
    help = forms.CharField(
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown under the question.",
    )
    sight = forms.ChoiceField(label="In sight", choices=words(SIGHT), widget=forms.RadioSelect)
    scale = forms.ChoiceField(choices=words(SCALES), widget=forms.RadioSelect)
    label = forms.ChoiceField(
        label="Many votes become one label", choices=words(LABELS), widget=forms.RadioSelect
    )
    asked_of = forms.MultipleChoiceField(
        label="Who answers",
        error_messages={"required": "Choose at least one."},
        choices=[("people", "people"), ("automatic", "automatic judges")],
        widget=forms.CheckboxSelectMultiple,
    )
    unasked = forms.CharField(
        label="Who is not asked counts with",
        required=False,
        max_length=20,
        help_text="The value of one of the answers, where it hangs on one other answer about the "
        "same. Empty: they count with nothing.",
    )
    comes_last = forms.BooleanField(label="Comes after everything else", required=False)
    cited_only = forms.BooleanField(
        label="Not asked about an answer that cites nothing", required=False
    )

    def __init__(
        self,
        study: Study,
        data: QueryDict | None = None,
        *,
        before: Dimension | None = None,
        replaces: str = "",
        is_checked: bool = True,
    ) -> None:
        self.study, self.before, self.replaces = study, before, replaces
        protocol = study.protocol
        super().__init__(data if is_checked else None, initial=_initial(before, data, is_checked))
        self.rows = _rows_typed(data) if data is not None else _rows_of(before)
        self.row_errors: list[str] = []
        self.when_errors: list[str] = []
        self.made: Dimension | None = None
        if replaces:
            del self.fields["key"]
        elif before is not None:
            self.initial["key"] = free_key(protocol, before.key)
        chosen = _conditions_typed(data) if data is not None else _conditions_of(before)
        about = data.get("about", "") if data is not None else self.initial["about"]
        kind = UnitKind(about) if about in {*UnitKind} else UnitKind.RESPONSE
        self.befores = [*self._befores(protocol, kind, chosen)]
        self.gone = chosen.keys() - {one.dimension.key for one in self.befores}

    def _befores(
        self, protocol: Protocol, kind: UnitKind, chosen: dict[str, list[str]]
    ) -> Iterator[Before]:
        present = {} if self.before is None else {c.dimension: c for c in self.before.shown_when}
        for key, other in protocol.items():
            if key == self.replaces or not other.of_people:
                continue
            of = place_of(kind, other.unit_kind)
            if of and (key in self.study.dimensions or key in chosen):
                if key in present and other.unit_kind is UnitKind.RESPONSE and of == "parent":
                    of = present[key].of
                yield Before(other, of, frozenset(chosen.get(key, ())))

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        if not self.errors:
            self._make(given)
        return given

    def _make(self, given: dict[str, Any]) -> None:
        filled = [row for row in self.rows if row.is_filled]
        for row in filled:
            row.value = row.value or as_name(row.label, 20)
        order = self._low_to_high(filled)
        try:
            made = from_fields(self._fields_of(given, filled, order))
        except NotAProtocol as error:
            for fault in error.faults:
                self._tell(Fault(fault.field, fault.expected, fault.found), filled)
            return
        if self.gone:
            self.when_errors.append(
                f"It cannot hang on {', '.join(sorted(self.gone))}: that is about something else."
            )
        if self.row_errors or self.when_errors:
            self.add_error(None, "Some fields need another look; they say which.")
            return
        self.made = made
        self._check_place(made)

    def _check_place(self, made: Dimension) -> None:
        """Whether it goes with what else is asked."""
        try:
            kept = as_kept(self.study.protocol, made, self.replaces)
        except Refused as refusal:
            self.add_error("key" if "key" in self.fields else None, str(refusal))
            return
        for key, fault in faults_with(
            self.study, kept, asked_with(self.study, kept, self.replaces)
        ):
            if key == kept.key:
                self._tell(fault, [])
            else:
                title = self.study.protocol[key].title
                self.add_error(None, f"“{title}” hangs on it and would not fit any more: {fault}")

    def _low_to_high(self, filled: Sequence[Row]) -> list[str]:
        """As the degrees say, or where none is given, as the choices stand."""
        if not any(row.degree for row in filled):
            return [row.value for row in filled]
        degrees = [row.degree.strip() for row in filled]
        if sorted(degrees) != sorted(str(n) for n in range(1, len(filled) + 1)):
            self.row_errors.append(
                f"Degrees: expected 1 to {len(filled)}, each once, or none; "
                f"found {', '.join(degree or 'nothing' for degree in degrees)}."
            )
            return [row.value for row in filled]
        return [row.value for row in sorted(filled, key=lambda row: int(row.degree))]

    def _fields_of(
        self, given: dict[str, Any], filled: Sequence[Row], order: list[str]
    ) -> dict[str, Any]:
        """As a protocol file says it. What the form does not show stays as it is."""
        kept = {} if self.before is None else as_fields(self.before)
        automatic = {one["value"] for one in kept.get("automatic_choices", [])}
        positive = [row.value for row in filled if row.positive]
        positive += [value for value in kept.get("positive", []) if value in automatic]
        if self.before is not None and given["about"] != self.before.unit_kind:
            kept.pop("part_of", None)
        if not self.replaces:
            kept.pop("writes", None)
            kept["key"] = given["key"] or free_key(self.study.protocol, given["title"])
        when = [
            {
                "dimension": one.dimension.key,
                "of": one.of,
                "is": [v for v in one.dimension.low_to_high if v in one.chosen],
            }
            for one in self.befores
            if one.chosen
        ]
        return {
            **kept,
            **{name: value for name, value in given.items() if name != "key"},
            "version": 1,
            "choices": [
                {"value": row.value, "label": row.label, "help": row.help} for row in filled
            ],
            "low_to_high": order,
            "positive": positive,
            "shown_when": when,
        }

    def _tell(self, fault: Fault, filled: Sequence[Row]) -> None:
        """Beside the field that it is about."""
        said = f"Expected {fault.expected}; found {fault.found}."
        place = re.match(r"choices\[(\d+)\]\.(\w+)", fault.field)
        name = fault.field.partition("[")[0].partition(".")[0]
        if place and int(place[1]) < len(filled):
            filled[int(place[1])].errors.append(
                f"{place[2].capitalize()}: {said[0].lower()}{said[1:]}"
            )
        elif name in {"choices", "low_to_high", "positive"}:
            self.row_errors.append(said)
        elif name == "shown_when":
            self.when_errors.append(said)
        elif name in self.fields:
            self.add_error(name, said)
            return
        else:
            self.add_error(None, str(fault))
            return
        if not self.non_field_errors():
            self.add_error(None, "Some fields need another look; they say which.")


def place_of(kind: UnitKind, other: UnitKind) -> str:
    """About what another question is, seen from one about `kind`; empty where from there nothing
    is known of it."""
    if kind is other:
        return "unit"
    if PARENTS.get(kind) is other:
        return "parent"
    return "response" if other is UnitKind.RESPONSE else ""


def _initial(before: Dimension | None, data: QueryDict | None, is_checked: bool) -> dict[str, Any]:
    if data is not None and not is_checked:
        lists = {"asked_of": data.getlist("asked_of")}
        return {**{name: data.get(name, "") for name in data}, **lists}
    if before is None:
        return {
            "about": "response",
            "sight": "nothing",
            "scale": "nominal",
            "label": "majority",
            "asked_of": ["people"],
        }
    return {"label": "majority", **as_fields(before)}


def _rows_of(before: Dimension | None) -> list[Row]:
    if before is None:
        return [Row() for _ in range(MORE + 1)]
    rows = [
        Row(
            one.value,
            one.label,
            one.help,
            str(before.low_to_high.index(one.value) + 1),
            one.value in before.positive,
        )
        for one in before.choices
    ]
    return [*rows, *(Row() for _ in range(MORE))]


def _rows_typed(data: QueryDict) -> list[Row]:
    count = data.get("rows", "")
    known = min(int(count), MAX_CHOICES + MORE) if count.isdecimal() and len(count) < 4 else 0
    rows = [
        Row(
            value=data.get(f"value-{n}", "").strip(),
            label=data.get(f"label-{n}", "").strip(),
            help=data.get(f"help-{n}", "").strip(),
            degree=data.get(f"degree-{n}", "").strip(),
            positive=f"positive-{n}" in data,
        )
        for n in range(known)
    ]
    return _moved(rows, data.get("row", ""))


def _moved(rows: list[Row], wish: str) -> list[Row]:
    """As a button beside a row asks: `up-2`, `down-2`, `remove-2`, or `more` of them."""
    what, _, number = wish.partition("-")
    at = int(number) if number.isdecimal() and len(number) < 4 else 0
    if what == "more":
        rows += [Row() for _ in range(MORE)]
    elif at < len(rows) and what == "remove":
        del rows[at]
    elif what in {"up", "down"}:
        to = at - 1 if what == "up" else at + 1
        if 0 <= to < len(rows) > at:
            rows[at], rows[to] = rows[to], rows[at]
    return rows


def _conditions_of(before: Dimension | None) -> dict[str, list[str]]:
    conditions: Sequence[Condition] = () if before is None else before.shown_when
    return {one.dimension: [*one.values] for one in conditions}


def _conditions_typed(data: QueryDict) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in data.getlist("when"):
        key, _, value = one.partition("=")
        found.setdefault(key, []).append(value)
    return found
