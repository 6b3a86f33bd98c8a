"""A rater's answers, each beside what the others say of the same.

What is compared are votes, see `evaluation/statistics/votes.py`: also one that follows from an
answer, on a question that the rater was therefore not asked.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import datetime

from annotate.models import PEOPLE, Judge, Judgment
from annotate.protocol.protocol import Protocol
from evaluation.labels.judgment_columns import read_answers
from evaluation.statistics.leave_one_out import compared
from evaluation.statistics.likeness import likeness


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """What the rater said, or a vote that follows from it on a question that was not asked."""

    dimension: str
    at: datetime
    seconds: float | None
    is_given: bool
    same: float
    """How many of the others gave the same answer, or how alike theirs are, of how many."""

    others: int


def compared_answers(judge: Judge) -> Iterator[ComparedAnswer]:
    """The rater's answers and votes of finished work, each with how many of the others gave the
    same."""
    own = Judgment.objects.current().finished().exclude(value="").filter(judge=judge).order_by()
    given = {
        (unit, dimension): (at, seconds)
        for unit, dimension, at, seconds in own.values_list(
            "unit_id", "dimension", "created_at", "seconds"
        )
    }
    alike = dict(_compared(judge))
    for place, (at, seconds) in given.items():
        yield ComparedAnswer(place[1], at, seconds, True, *alike.pop(place, (0, 0)))
    for (unit, dimension), (same, others) in alike.items():
        at, _ = given[unit, _asked_first(judge.study.protocol, unit, dimension, given)]
        yield ComparedAnswer(dimension, at, None, False, same, others)


def _asked_first(
    protocol: Protocol, unit: int, dimension: str, given: Container[tuple[int, str]]
) -> str:
    """The question whose answer decided that this one was not asked."""
    while (unit, dimension) not in given:
        [condition] = protocol[dimension].shown_when  # only such votes were not given
        dimension = condition.dimension
    return dimension


def _compared(judge: Judge) -> Iterator[tuple[tuple[int, str], tuple[float, int]]]:
    """By unit and dimension: of how many others how many gave the same as the rater."""
    voters = set(
        judge.study.judges.filter(kind__in=PEOPLE)
        .exclude(standing=Judge.Standing.EXCLUDED)
        .values_list("pk", flat=True)
    )
    # The rater's units that do not count fall out by `current`, so that the inner query need not
    # look at responses again.
    answers = read_answers(
        Judgment.objects.current()
        .finished()
        .exclude(value="")
        .filter(
            judge__in=voters | {judge.pk},
            unit__in=Judgment.objects.filter(judge=judge).values("unit"),
        ),
        judge.study.protocol,
    )
    for dimension in answers.protocol.values():
        if dimension.scale == "none":
            continue  # texts are not compared
        votes = answers.votes(dimension.key, judge.study.dimensions)
        ratings = votes.coded()
        near = likeness(dimension, votes.values)
        same, others = compared(ratings, [one in voters for one in ratings.judges], near)
        mine = votes.judge == judge.pk
        columns = (votes.unit[mine], same[mine], others[mine].astype(int))
        for unit, alike, of in zip(*(column.tolist() for column in columns), strict=True):
            yield (unit, dimension.key), (alike, of)
