"""Faults of dimensions and derived numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotate.protocol import answers
from annotate.protocol.answers import AnswerType
from annotate.protocol.dimensions import (
    KEY,
    KEYS,
    LABELS,
    NO_TO_YES,
    OF_ANSWER,
    SCALES,
    VALUE,
    Derived,
    Dimension,
    UnitKind,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a dimension or protocol: the field, the expected and the found value."""

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}; found {self.found}."


_OF_CHOICES = ("low_to_high", "automatic_choices", "unasked", "part_of", "writes", "detected")
"""Fields only for questions with one choice."""

_OF_NUMBERS = ("low", "high", "decimals", "anchors")
_ELSEWHERE: dict[AnswerType, tuple[str, ...]] = {
    "number": ("choices", "severities", "least", "most", "positive"),
    "several": (*_OF_NUMBERS, "severities"),
    "text": (*_OF_NUMBERS, "choices", "severities", "least", "positive"),
    "spans": _OF_NUMBERS,
}
"""Fields that the other types of answers cannot have."""

_OF_ONE = (
    "automatic_choices",
    "positive",
    "unasked",
    "part_of",
    "detected",
    "told",
)
"""Fields about a single response, which a question about two responses cannot have."""


def faults_of_dimension(one: Dimension) -> Iterator[Fault]:
    """Yield the faults of a single dimension."""
    yield from _faults_of_words(one)
    yield from _faults_of_values(one)
    yield from _faults_of_answer(one) if one.answer != "choice" else _faults_of_order(one)
    yield from _faults_of_place(one)
    if one.marks != "text" and one.answer != "spans":
        yield Fault("marks", "nothing, since no words are marked", one.marks)
    if one.unit_kind is UnitKind.PAIR:
        yield from _faults_of_pair(one)
    yield from _faults_of_told(one)


def _faults_of_values(one: Dimension) -> Iterator[Fault]:
    least = {"choice": 2, "several": 2, "spans": 1}.get(one.answer, 0)
    if len(one.choices) < least:
        words = "at least two choices" if least == 2 else "at least one choice, a label"
        yield Fault("choices", words, str(len(one.choices)))
    every = [each.value for each in (*one.choices, *one.automatic_choices, *one.severities)]
    for value in every:
        if not VALUE.match(value):
            yield Fault("choices", "values of at most 20 of a-z, 0-9 and _", f"“{value}”")
        if every.count(value) > 1:
            yield Fault("choices", "each value once", f"“{value}” {every.count(value)} times")
            break
    yield from _faults_of_keys(one)
    for name, among in (("scale", SCALES), ("label_by", LABELS)):
        known = among[one.answer]
        if getattr(one, name) not in known:
            expected = f"{' or '.join(known)}, since the answer is {OF_ANSWER[one.answer]}"
            field = "label" if name == "label_by" else name
            yield Fault(field, expected, str(getattr(one, name)))


def _faults_of_order(one: Dimension) -> Iterator[Fault]:
    given = [choice.value for choice in one.choices]
    every = [*given, *(choice.value for choice in one.automatic_choices)]
    names = ", ".join(given)
    for name in ("low", "high", "decimals", "anchors", "least", "most", "severities"):
        if getattr(one, name):
            yield Fault(name, "nothing, since the answer is one choice", "something")
    if sorted(one.low_to_high) != sorted(given):
        found = ", ".join(one.low_to_high) or "nothing"
        yield Fault("low_to_high", f"each of {names} once", found)
    if not one.positive <= {*every} or {*given} <= one.positive:
        found = ", ".join(sorted(one.positive)) or "nothing"
        yield Fault("positive", f"some of {', '.join(every)}, but not all", found)
    if one.unasked and one.unasked not in given:
        yield Fault("unasked", f"one of {names}", f"“{one.unasked}”")


def _faults_of_answer(one: Dimension) -> Iterator[Fault]:
    """Yield faults of an answer that is not one choice."""
    of = OF_ANSWER[one.answer]
    for name in (*_OF_CHOICES, *_ELSEWHERE[one.answer]):
        if getattr(one, name):
            field = "choices" if name == "choices" else name
            yield Fault(field, f"nothing, since the answer is {of}", "something")
    if not one.positive <= {choice.value for choice in one.choices}:
        names = ", ".join(choice.value for choice in one.choices) or "nothing"
        yield Fault("positive", f"some of {names}", ", ".join(sorted(one.positive)))
    if one.marks == "passages" and one.sight == "nothing":
        yield Fault("sight", "cited or all, since words of passages are marked", "nothing")
    if one.answer == "number" and not (one.low < one.high and 0 <= one.decimals <= 6):
        low, high = answers.format_number(one.low), answers.format_number(one.high)
        yield Fault("high", f"a number above {low}", high)
    if one.anchors and len(one.anchors) != 2:
        yield Fault("anchors", "two texts, of the lowest and of the highest number",
                    str(len(one.anchors)))  # fmt: skip
    few = len(one.choices) if one.answer == "several" else answers.MOST_SPANS
    most = answers.MOST_TEXT if one.answer == "text" else few
    if one.most > most or one.least > (one.most or most):
        yield Fault("most", f"at most {most:,}, and at least “least”", str(one.most))


def _faults_of_words(one: Dimension) -> Iterator[Fault]:
    if not KEY.match(one.key):
        yield Fault("key", "a-z, then at most 23 of a-z, 0-9 and _", f"“{one.key}”")
    for name, text in (("title", one.title), ("question", one.question)):
        if not text.strip():
            yield Fault(name, "a text", "nothing")
    if any(not choice.label.strip() for choice in (*one.choices, *one.automatic_choices)):
        yield Fault("choices", "a label for each choice", "a choice without one")
    if not one.asked_of:
        yield Fault("asked_of", "people, automatic or both", "nobody")


def _faults_of_place(one: Dimension) -> Iterator[Fault]:
    numbers = [choice.value.isdigit() for choice in one.choices]
    if one.answer != "choice":
        numbers = []
    elif one.label_by == "median" and not (one.scale == "ordinal" and all(numbers)):
        expected = "majority: a median needs an ordinal scale of whole numbers"
        yield Fault("label", expected, "median")
    if one.label_by == "majority" and numbers and all(numbers):
        yield Fault("label", "median, or values that are not all numbers", one.label_by)
    for name in ("comes_last", "cited_only"):
        if getattr(one, name) and one.unit_kind is not UnitKind.RESPONSE:
            yield Fault(name, "only with a dimension of the response", one.unit_kind)
    if one.every and one.unit_kind is not UnitKind.STATEMENT:
        yield Fault("every", "only with a dimension of statements", one.unit_kind)
    elif one.every and one.sight == "cited":
        found = "the cited ones, of which such a statement has none"
        yield Fault("every", "only with no passage or all of them in sight", found)
    if one.sees_reference:
        yield from _faults_of_reference(one)
    if one.writes and one.unit_kind is not UnitKind.CLAIM:
        yield Fault("writes", "only with a dimension of claims", one.unit_kind)
    if one.writes and {*one.low_to_high} != {*NO_TO_YES}:
        expected = "yes, with which a claim is written, and no, where there is none"
        yield Fault("choices", expected, ", ".join(one.low_to_high) or "nothing")
    if one.unasked and [condition.of for condition in one.shown_when] != ["unit"]:
        expected = "only where the dimension hangs on one answer about the same unit"
        yield Fault("unasked", expected, f"{len(one.shown_when)} conditions")
    for condition in one.shown_when:
        if condition.of != "unit" and one.unit_kind is UnitKind.RESPONSE:
            yield Fault("shown_when", "an answer about the same unit", condition.of)


def faults_of_derived(one: Derived) -> Iterator[Fault]:
    """Yield the faults of a single derived number."""
    if one.unit_kind is UnitKind.PAIR:
        expected = "a unit of one answer, whose number it is: a report says who won pairs"
        yield Fault("about", expected, one.unit_kind)
    yield from _faults_of_told(one)


def _faults_of_pair(one: Dimension) -> Iterator[Fault]:
    """Yield faults of a question about two answers, which must not depend on their order."""
    why = "since two answers are compared"
    if not one.is_choice:
        yield Fault("answer", f"choice, {why}", one.answer)
        return
    for name in _OF_ONE:
        if getattr(one, name):
            yield Fault(name, f"nothing, {why}: low_to_high says for which one speaks", "something")
    if one.label_by != "majority":
        yield Fault("label", f"majority, {why}", one.label_by)
    if one.ties != "none":
        yield Fault("ties", f"none, {why}: a lower choice is one of them", one.ties)
    if one.asked_of != ("people",):
        yield Fault("asked_of", f"people, {why}", " and ".join(one.asked_of))
    for condition in one.shown_when:
        if condition.of != "unit":
            yield Fault("shown_when", "an answer about the same two answers", condition.of)


def _faults_of_keys(one: Dimension) -> Iterator[Fault]:
    """Yield faults of keyboard shortcuts."""
    named = [each.key for each in (*one.choices, *one.severities) if each.key]
    if named and one.unit_kind == "pair":
        expected = "no keys, since the two answers change places"
        yield Fault("choices", expected, " ".join(named))
        return
    for key in named:
        if len(key) != 1 or key not in KEYS:
            yield Fault("choices", f"keys that are one of {' '.join(KEYS)}", f"“{key}”")
        if named.count(key) > 1:
            yield Fault("choices", "each key once", f"“{key}” {named.count(key)} times")
            return
    for each in one.automatic_choices:
        if each.key:
            yield Fault("automatic_choices", "no keys, since nobody gives them", f"“{each.key}”")


def _faults_of_reference(one: Dimension) -> Iterator[Fault]:
    """Yield faults of a question about the reference, for which no response is visible."""
    if one.unit_kind not in {"response", "reference_claim"}:
        expected = "reference_claim, or response for all claims at once, with this in sight"
        yield Fault("about", expected, one.unit_kind)
    if one.asked_of != ("people",):
        expected = "people, since only they are shown the reference"
        yield Fault("asked_of", expected, " and ".join(one.asked_of))
    if one.answer == "spans" and one.unit_kind == "response":
        yield Fault("answer", "another one: no answer is in sight to mark words in", "spans")
    for name in ("cited_only", "detected"):
        if getattr(one, name):
            yield Fault(name, "nothing, since no response is in sight", "something")


def _faults_of_told(one: Dimension | Derived) -> Iterator[Fault]:
    if one.told and not (one.detected and len(one.told) == 3 and all(map(str.strip, one.told))):
        yield Fault("told", "three texts, together with “detected”", ", ".join(one.told))
