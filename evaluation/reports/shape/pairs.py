"""Two systems' answers to a question, and how often which is the better one."""

from typing import TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Text


class SystemInPairs(TypedDict):
    """A system against all others. The three shares add up to 1."""

    system: Text
    pairs: Count
    won: Number
    tied: Number
    lost: Number
    rate: Number
    degree: Number | None


class TwoSystems(TypedDict):
    """Two systems, by the first one's name; what was won, tied and lost is the first one's."""

    one: Text
    other: Text
    pairs: Count
    won: Number
    tied: Number
    lost: Number
    rate: Number


class JudgeOnPairs(TypedDict):
    """What an automatic judge says of pairs."""

    judge: JudgeId
    pairs: Count
    systems: list[SystemInPairs]
    first_seen: Number


class PairsOn(TypedDict):
    """All that was compared on one dimension: by people, and by each automatic judge."""

    item: ItemKey
    pairs: Count
    answers: Count
    systems: list[SystemInPairs]
    two: list[TwoSystems]
    first_seen: Number
    judges: list[JudgeOnPairs]
