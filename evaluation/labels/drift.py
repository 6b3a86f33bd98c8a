"""How a rater's work changed over time.

The answers that can be compared with others' are cut into periods, in the order in which they were
given. Votes are compared (`evaluation/statistics/votes.py`), including votes that follow from an
answer on a question that was not asked. Of many answers a worker computes it, and pages show when.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import sha256
from json import dumps
from statistics import median
from typing import Any

from annotate.content import counts
from annotate.content.counts import KeptSums
from annotate.models import PEOPLE, Judge, Judgment
from annotate.protocol.protocol import Protocol
from evaluation.labels.agreement_counts import ON
from evaluation.labels.background_figures import refreshing, request_refresh
from evaluation.labels.study_labels import read_answers
from evaluation.models import RaterDrift
from evaluation.statistics.leave_one_out import Alike, compared, likeness


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer of the rater, or a vote that follows from one on a question that was not asked."""

    dimension: str
    at: datetime
    seconds: float | None
    is_given: bool
    same: float
    """How many of the `others` gave the same answer, or how similar theirs are."""

    others: int


def compared_answers(judge: Judge) -> Iterator[ComparedAnswer]:
    """Yield the rater's answers and votes of finished work, compared with the others'."""
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
    """Return the question whose answer decided that this one was not asked."""
    while (unit, dimension) not in given:
        [condition] = protocol[dimension].shown_when  # only such votes were not given
        dimension = condition.dimension
    return dimension


def _compared(judge: Judge) -> Iterator[tuple[tuple[int, str], tuple[float, int]]]:
    """Yield unit and dimension with the number of equal answers and of other raters."""
    voters = set(
        judge.study.judges.filter(kind__in=PEOPLE)
        .exclude(standing=Judge.Standing.EXCLUDED)
        .values_list("pk", flat=True)
    )
    # `current` removes the rater's units that do not count: the inner query need not do so.
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


PARTS = 10

FEW = 100
"""Up to this number of answers, drift is computed in the request."""

TASK = "evaluation.refresh_drift"


@dataclass(frozen=True, slots=True)
class Period:
    """A period of a rater's work."""

    number: int
    first: datetime
    last: datetime
    others: Alike
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Drift:
    periods: tuple[Period, ...]
    made_at: datetime | None
    """When it was computed, if ever."""

    is_of_now: bool


def drift(judge: Judge, kept: KeptSums, answers: int) -> Drift:
    """Return the stored drift; of few answers the current one."""
    known, state = _known(judge), _state(judge, kept)
    if known.state != state:
        if answers <= FEW:
            known = refresh(judge)
        else:
            request_refresh(known, TASK, judge.pk)
    return Drift(tuple(map(_period, known.parts)), known.made_at, known.state == state)


def refresh(judge: Judge) -> RaterDrift:
    known = _known(judge)
    with refreshing(known, _state(judge, counts.kept(judge.study)), "parts"):
        known.parts = [
            [
                one.number,
                one.first.isoformat(),
                one.last.isoformat(),
                astuple(one.others),
                one.seconds,
            ]
            for one in _periods(judge)
        ]
    return known


def _known(judge: Judge) -> RaterDrift:
    return RaterDrift.objects.get_or_create(judge=judge)[0]


def _state(judge: Judge, kept: KeptSums) -> str:
    """Return a digest of the rater's answers and of what others answered about the same."""
    said = sorted(kept.of(ON, judge.pk).items()), judge.study.dimensions, judge.study.form
    return sha256(dumps(said).encode()).hexdigest()


def _period(row: Sequence[Any]) -> Period:
    number, first, last, others, seconds = row
    return Period(
        number, datetime.fromisoformat(first), datetime.fromisoformat(last), Alike(*others), seconds
    )


def _periods(judge: Judge) -> Iterator[Period]:
    """Cut the work into parts of about the same size; fewer if there are fewer answers."""
    found = (one for one in compared_answers(judge) if one.others)
    answers = sorted(found, key=lambda one: one.at)
    count = min(PARTS, len(answers))
    for number in range(count):
        first, end = (len(answers) * n // count for n in (number, number + 1))
        some = answers[first:end]
        yield Period(number + 1, some[0].at, some[-1].at, _alike(some), _median(some))


def _alike(answers: Sequence[ComparedAnswer]) -> Alike:
    found = Alike()
    for answer in answers:
        found.add(answer.same, answer.others)
    return found


def _median(answers: Sequence[ComparedAnswer]) -> float | None:
    times = [answer.seconds for answer in answers if answer.seconds is not None]
    return median(times) if times else None
