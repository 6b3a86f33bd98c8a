"""Edit a dimension: its form, and parts that it shares with the form of a derived number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict

from annotate.models import Study
from annotate.protocol.answers import AnswerType
from annotate.protocol.dimensions import (
    LABELS,
    OF_ANSWER,
    PARENTS,
    SCALES,
    Condition,
    Dimension,
    UnitKind,
)
from annotate.protocol.faults import Fault
from annotate.protocol.protocol import Protocol
from annotate.protocol.written import NotAProtocol, as_fields, from_fields
from annotate.studies.forms.choice_rows import ChoiceRows, identifier_from, rows_for, submitted_rows
from annotate.studies.wordings import active_with, faults_with, versioned
from annotate.web.errors import Refused

REQUIRED_TEXT = {"required": "Expected a text; found nothing."}
CHECK_FIELDS = "Check the marked fields."

UNIT_LABELS = {
    UnitKind.RESPONSE: "the whole answer",
    UnitKind.STATEMENT: "each statement",
    UnitKind.CITATION: "each citation",
    UnitKind.CLAIM: "each claim",
    UnitKind.CLAIM_CITATION: "each citation of a claim",
    UnitKind.PAIR: "two answers to one question, side by side",
    UnitKind.REFERENCE_CLAIM: "each claim of the reference answer",
}
SIGHT_LABELS = {
    "nothing": "no passages, only the answer",
    "cited": "the cited passages",
    "all": "all passages of the answer",
    "reference": "only the question's reference answer",
}
MARKS_LABELS = {"text": "the judged text", "passages": "the shown passages"}
SCALE_LABELS = {
    "nominal": "Nominal: answers are equal or not",
    "ordinal": "Ordinal: an answer one step away is less wrong than one two steps away",
    "masi": "MASI: sets are close if they share choices, and closer if one contains the other",
    "jaccard": "Jaccard: sets are as close as the share of choices they have in common",
}
VOTE_LABELS = {
    "choice": {
        "majority": "The most frequent answer",
        "median": "The median, for degrees that are whole numbers",
        "any": "The lowest answer given",
    },
    "number": {"mean": "The mean", "median": "The median"},
    "several": {
        "majority": "Each choice of more than half of the raters",
        "any": "Each choice of at least one rater",
    },
    "spans": {
        "majority": "Words marked by more than half of the raters",
        "any": "Words marked by at least one rater",
    },
}
TIE_LABELS = {
    "low": "the lower one",
    "high": "the higher one",
    "none": "neither: no label",
}

FIELD_TYPES: dict[str, tuple[AnswerType, ...]] = {
    **dict.fromkeys(("low", "high", "decimals", "anchor_low", "anchor_high"), ("number",)),
    "least": ("several", "spans"),
    "most": ("several", "text", "spans"),
    "marks": ("spans",),
    "scale": ("choice", "several"),
    "label": ("choice", "number", "several", "spans"),
    **dict.fromkeys(
        ("ties", "unasked", "part_of", "writes", "detected", "told_units", "told_judges",
         "told_people"),
        ("choice",),
    ),
}  # fmt: skip
"""Fields for some types of answers only, with these types."""

WITH_CHOICES: tuple[AnswerType, ...] = ("choice", "several", "spans")

TOLD_FIELDS = ("told_units", "told_judges", "told_people")
_LISTS = {"anchors": ("anchor_low", "anchor_high"), "told": TOLD_FIELDS}
"""Lists of texts in a protocol file, with the form's field for each text."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """A dimension whose answers may decide whether this one is asked."""

    dimension: Dimension
    of: str
    chosen: frozenset[str]

    @property
    def place(self) -> str:
        """The unit that it was answered about, seen from this dimension."""
        return {
            "unit": "about the same unit",
            "parent": f"about its {self.dimension.unit_kind}",
            "response": "about the whole answer",
        }[self.of]

    @property
    def names(self) -> list[tuple[str, str]]:
        """The answers that can be ticked, with their labels."""
        one = self.dimension
        named = [choice.value for choice in one.choices] if one.is_choice else one.named
        return [(name, one.called(name)) for name in named]

    @property
    def as_fields(self) -> dict[str, Any]:
        """The condition in the format of a protocol file."""
        one = self.dimension
        order = one.low_to_high if one.is_choice else one.named
        values = [value for value in order if value in self.chosen]
        return {"dimension": one.key, "of": self.of, "is": values}


def as_choices(labels: dict[Any, str]) -> list[tuple[str, str]]:
    return [(str(key), label) for key, label in labels.items()]


def free_key(protocol: Protocol, title: str) -> str:
    """Return a key from a title that no dimension or number of the protocol has."""
    base = re.sub(r"^[^a-z]+", "", identifier_from(title, 21)) or "dimension"
    keys = [base, *(f"{base}_{number}" for number in range(2, 200))]
    return next(key for key in keys if key not in protocol and key not in protocol.derived)


def key_field() -> forms.CharField:
    return forms.CharField(
        max_length=30,
        required=False,
        help_text="Name in files and reports: a-z, 0-9 and _. Empty: derived from the title. It "
        "cannot change later.",
    )


def text_area(label: str | None = None, *, rows: int = 2, **options: Any) -> forms.CharField:
    options |= {"widget": forms.Textarea(attrs={"rows": rows}), "error_messages": REQUIRED_TEXT}
    return forms.CharField(label=label, max_length=2_000, **options)


def short_text(label: str, help_text: str = "", most: int = 2_000) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=most, help_text=help_text)


class DimensionForm(forms.Form):
    """The form of a new dimension, of `before` to change it, or of a copy of `before`.

    The protocol checks the values; the form shows each fault at its field. Only the fields of the
    chosen type of answer are present.
    """

    use_required_attribute = False
    """The buttons next to the rows also submit an incomplete form."""

    title = forms.CharField(max_length=100, error_messages=REQUIRED_TEXT)
    key = key_field()
    about = forms.ChoiceField(label="Judged unit", choices=as_choices(UNIT_LABELS))
    question = text_area("Question")
    help = text_area(required=False, help_text="Shown below the question.")
    answer = forms.ChoiceField(label="Type of answer", choices=as_choices(OF_ANSWER))
    low = forms.CharField(label="Lowest number", max_length=20, error_messages=REQUIRED_TEXT)
    high = forms.CharField(label="Highest number", max_length=20, error_messages=REQUIRED_TEXT)
    decimals = short_text("Maximum decimals", "Empty: only whole numbers.", most=4)
    anchor_low = short_text("Meaning of the lowest number")
    anchor_high = short_text("Meaning of the highest number")
    least = short_text("Minimum", "How many must be chosen. Empty: none.", most=4)
    most = short_text("Maximum", most=5)
    sight = forms.ChoiceField(
        label="Passages shown", choices=as_choices(SIGHT_LABELS), widget=forms.RadioSelect
    )
    marks = forms.ChoiceField(
        label="Raters mark words in", choices=as_choices(MARKS_LABELS), widget=forms.RadioSelect
    )
    scale = forms.ChoiceField(widget=forms.RadioSelect)
    label = forms.ChoiceField(label="How votes become one label", widget=forms.RadioSelect)
    ties = forms.ChoiceField(
        label="If two answers have equally many votes",
        choices=as_choices(TIE_LABELS),
        widget=forms.RadioSelect,
        required=False,
    )
    asked_of = forms.MultipleChoiceField(
        label="Who answers",
        error_messages={"required": "Choose at least one."},
        choices=[("people", "people"), ("automatic", "automatic judges")],
        widget=forms.CheckboxSelectMultiple,
    )
    unasked = short_text(
        "Value if it is not asked",
        "One of the answers, used when an earlier answer about the same unit skips this "
        "dimension. Empty: no value.",
        most=20,
    )
    comes_last = forms.BooleanField(label="Ask it last", required=False)
    cited_only = forms.BooleanField(label="Skip answers without citations", required=False)
    every = forms.BooleanField(
        label="Ask about every statement, also without citations", required=False
    )
    part_of = forms.ChoiceField(
        label="Citation part of",
        required=False,
        help_text="The dimension of the whole text. The highest answer here contradicts the "
        "lowest answer there.",
    )
    writes = forms.BooleanField(
        label="Raters answer by choosing the words of a claim (yes and no)", required=False
    )
    detected = short_text(
        "What a metric detects",
        "The case of the lowest answer, such as “unfitting tone”.",
        most=100,
    )
    told_units = short_text("Name of the units", "In a report's headline, such as “odd answers”.")
    told_judges = short_text("What a judge calls them", "Such as “odd”.")
    told_people = short_text("What people call them instead", "Such as “fitting”.")

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
        self.condition_errors: list[str] = []
        self.dimension: Any = None
        """The dimension that a valid form gives."""
        if replaces:
            del self.fields["key"]
        elif before is not None:
            self.initial["key"] = free_key(protocol, before.key)
        given = data if data is not None else self.initial
        answer, about = given.get("answer") or "choice", given.get("about", "")
        self.answer_type: AnswerType = answer if answer in SCALES else "choice"
        kind = UnitKind(about) if about in {*UnitKind} else UnitKind.RESPONSE
        self._set_rows(data)
        self._keep_fields(kind)
        chosen = _submitted_conditions(data) if data is not None else _conditions_of(before)
        self.prerequisites = [*self._prerequisites(protocol, kind, chosen)]
        self.gone = chosen.keys() - {one.dimension.key for one in self.prerequisites}

    def _set_rows(self, data: QueryDict | None) -> None:
        """Set the rows of choices of every type; the page hides those of other types."""
        one = self.before
        if data is not None:
            names = ("choices", "severities", "automatic_choices")
            self.rows, self.severities, self.automatic = (submitted_rows(n, data) for n in names)
            return
        order, positive = ((), ()) if one is None else (one.low_to_high, one.positive)
        self.rows = rows_for("choices", one.choices if one else (), order=order, positive=positive)
        self.severities = rows_for("severities", one.severities if one else ())
        automatic = one.automatic_choices if one else ()
        self.automatic = rows_for("automatic_choices", automatic, positive=positive)

    def _keep_fields(self, kind: UnitKind) -> None:
        """Remove the fields of other types of answers, and set the choices of the rest."""
        for name, types in FIELD_TYPES.items():
            if self.answer_type not in types:
                del self.fields[name]
        if kind is not UnitKind.CLAIM:
            self.fields.pop("writes", None)
        if kind is not UnitKind.STATEMENT:
            del self.fields["every"]
        if "part_of" in self.fields:
            whole = [
                (one.key, one.title)
                for one in self.study.dimension_list
                if one.unit_kind is PARENTS.get(kind) and one.is_choice
            ]
            self._set_choices("part_of", [("", "none"), *whole])
            if not whole:
                del self.fields["part_of"]
        if "scale" in self.fields:
            scales = SCALES[self.answer_type]
            self._set_choices("scale", [(one, SCALE_LABELS[one]) for one in scales])
        if "label" in self.fields:
            labels = VOTE_LABELS[self.answer_type]
            self._set_choices("label", [(one, labels[one]) for one in LABELS[self.answer_type]])

    def _set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        if self.initial.get(name) not in dict(choices):
            self.initial[name] = choices[0][0]

    @property
    def row_lists(self) -> list[ChoiceRows]:
        """The lists of choices for the type of answer."""
        lists = [self.rows] if self.answer_type in WITH_CHOICES else []
        if self.answer_type == "choice":
            lists.append(self.automatic)
        return [*lists, self.severities] if self.answer_type == "spans" else lists

    def _present(self, *names: str) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    @property
    def limits(self) -> list[forms.BoundField]:
        """The limits of numbers, texts and sets."""
        return self._present("low", "high", "decimals", *_LISTS["anchors"], "least", "most")

    @property
    def counting(self) -> list[forms.BoundField]:
        return self._present("sight", "marks", "scale", "label", "ties", "asked_of")

    @property
    def timing(self) -> list[forms.BoundField]:
        """The fields about when it is asked, in addition to the prerequisites."""
        return self._present("unasked", "comes_last", "cited_only", "every")

    @property
    def reporting(self) -> list[forms.BoundField]:
        """The fields for reports and other dimensions."""
        return self._present("part_of", "writes", "detected", *TOLD_FIELDS)

    @property
    def has_reporting(self) -> bool:
        """Whether one of these fields has a value or an error."""
        used = any(bool(field.value() or field.errors) for field in self.reporting)
        return used or bool(self.automatic.filled)

    def _prerequisites(
        self, protocol: Protocol, kind: UnitKind, chosen: dict[str, list[str]]
    ) -> Iterator[Prerequisite]:
        present = {} if self.before is None else {c.dimension: c for c in self.before.shown_when}
        for key, other in protocol.items():
            if key == self.replaces or not (other.of_people and other.named):
                continue
            of = place_of(kind, other.unit_kind)
            if of and (key in self.study.dimensions or key in chosen):
                if key in present and other.unit_kind is UnitKind.RESPONSE and of == "parent":
                    of = present[key].of
                yield Prerequisite(other, of, frozenset(chosen.get(key, ())))

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        if self.data.get("shown", self.answer_type) != self.answer_type:
            message = f"Below are now the fields of {OF_ANSWER[self.answer_type]}. Fill them in."
            self.add_error("answer", message)
        if not self.errors:
            self._build(given)
        return given

    def _build(self, given: dict[str, Any]) -> None:
        try:
            dimension = from_fields(self._fields_of(given))
        except NotAProtocol as error:
            for fault in error.faults:
                self._add_fault(Fault(fault.field, fault.expected, fault.found))
            return
        if self.gone:
            self.condition_errors.append(
                f"It cannot hang on {', '.join(sorted(self.gone))}: that is about something else."
            )
        if self.condition_errors or any(rows.has_faults for rows in self.row_lists):
            self.add_error(None, CHECK_FIELDS)
            return
        self.dimension = dimension
        self._check_study(dimension)

    def _check_study(self, dimension: Dimension) -> None:
        """Check the dimension together with the study's other dimensions."""
        try:
            saved = versioned(self.study.protocol, dimension, self.replaces)
        except Refused as refusal:
            self.add_error("key" if "key" in self.fields else None, str(refusal))
            return
        active = active_with(self.study, saved, self.replaces)
        for key, fault in faults_with(self.study, saved, active):
            if key == saved.key:
                self._add_fault(fault)
            else:
                title = self.study.protocol[key].title
                self.add_error(None, f"“{title}” hangs on it and would not fit any more: {fault}")

    def _fields_of(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values in the format of a protocol file."""
        key = given.pop("key", "") or free_key(self.study.protocol, given["title"])
        fields: dict[str, Any] = {name: value for name, value in given.items() if value != ""}
        for name, parts in _LISTS.items():
            texts = [fields.pop(part, "") for part in parts]
            fields |= {name: texts} if any(texts) else {}
        for rows in self.row_lists:
            fields[rows.name] = rows.as_fields()
        if self.answer_type == "choice":
            fields["low_to_high"] = self.rows.low_to_high()
        if self.answer_type in WITH_CHOICES:
            every = [row for rows in self.row_lists for row in rows.filled]
            fields["positive"] = [row.value for row in every if row.positive]
        return {
            **fields,
            "key": self.replaces or key,
            "answer": self.answer_type,
            "shown_when": [one.as_fields for one in self.prerequisites if one.chosen],
        }

    def _add_fault(self, fault: Fault) -> None:
        """Show a fault at its field."""
        message = f"Expected {fault.expected}; found {fault.found}."
        place = re.match(r"(\w+)\[(\d+)\]\.(\w+)", fault.field)
        name = fault.field.partition("[")[0].partition(".")[0]
        name = {"low_to_high": "choices", "positive": "choices"}.get(name, name)
        name = _LISTS.get(name, (name,))[0]
        rows = next((one for one in self.row_lists if one.name == name), None)
        if rows is not None and place and int(place[2]) < len(rows.filled):
            in_row = f"{place[3].capitalize()}: {message[0].lower()}{message[1:]}"
            rows.filled[int(place[2])].errors.append(in_row)
        elif rows is not None:
            rows.errors.append(message)
        elif name == "shown_when":
            self.condition_errors.append(message)
        elif name in self.fields:
            self.add_error(name, message)
            return
        else:
            self.add_error(None, str(fault))
            return
        if not self.non_field_errors():
            self.add_error(None, CHECK_FIELDS)


def place_of(kind: UnitKind, other: UnitKind) -> str:
    """Return how a unit of another kind is reached from one of `kind`: `unit`, `parent`,
    `response`, or empty where it is not."""
    if kind is other:
        return "unit"
    if PARENTS.get(kind) is other:
        return "parent"
    return "response" if other is UnitKind.RESPONSE else ""


def _initial(before: Dimension | None, data: QueryDict | None, is_checked: bool) -> dict[str, Any]:
    if data is not None and not is_checked:
        lists = {"asked_of": data.getlist("asked_of")}
        return {**{name: data.get(name, "") for name in data}, **lists}
    defaults: dict[str, Any] = {
        "about": "response",
        "answer": "choice",
        "sight": "nothing",
        "marks": "text",
        "ties": "low",
        "asked_of": ["people"],
    }
    if before is None:
        return defaults
    fields = as_fields(before)
    for name, parts in _LISTS.items():
        fields |= dict(zip(parts, fields.get(name, ()), strict=False))
    return {**defaults, **fields}


def _conditions_of(before: Dimension | None) -> dict[str, list[str]]:
    conditions: Sequence[Condition] = () if before is None else before.shown_when
    return {one.dimension: [*one.values] for one in conditions}


def _submitted_conditions(data: QueryDict) -> dict[str, list[str]]:
    conditions: dict[str, list[str]] = {}
    for one in data.getlist("when"):
        key, _, value = one.partition("=")
        conditions.setdefault(key, []).append(value)
    return conditions
