"""What is wrong with a question: how it is told, and what certain questions cannot have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotate.protocol.dimensions import Derived, Dimension


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a dimension or a protocol: the field, what was expected, what is there."""

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}; found {self.found}."


_OF_ONE = (
    "automatic_choices",
    "positive",
    "unasked",
    "part_of",
    "detected",
    "told",
)
"""What speaks of one answer, so that a question about two has none of it."""


def faults_of_pair(one: Dimension) -> Iterator[Fault]:
    """What a question about two answers cannot have: whichever of them stands first, it must come
    to the same."""
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


def faults_of_keys(one: Dimension, known: str) -> Iterator[Fault]:
    """Keys of choices that do something else already, or two things."""
    named = [each.key for each in (*one.choices, *one.severities) if each.key]
    if named and one.unit_kind == "pair":
        expected = "no keys, since the two answers change places"
        yield Fault("choices", expected, " ".join(named))
        return
    for key in named:
        if len(key) != 1 or key not in known:
            yield Fault("choices", f"keys that are one of {' '.join(known)}", f"“{key}”")
        if named.count(key) > 1:
            yield Fault("choices", "each key once", f"“{key}” {named.count(key)} times")
            return
    for each in one.automatic_choices:
        if each.key:
            yield Fault("automatic_choices", "no keys, since nobody gives them", f"“{each.key}”")


def faults_of_reference(one: Dimension) -> Iterator[Fault]:
    """What a question cannot have that is about a reference and no response."""
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


def faults_of_told(one: Dimension | Derived) -> Iterator[Fault]:
    if one.told and not (one.detected and len(one.told) == 3 and all(map(str.strip, one.told))):
        yield Fault("told", "three texts, beside “detected”", ", ".join(one.told))
