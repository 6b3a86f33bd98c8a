"""How a rater's work changed over time: the answers that can be compared, in the order in which
they were given, cut into parts. Of many answers a worker does it, and pages say when."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import sha256
from json import dumps
from statistics import median
from typing import Any

from annotate.content import counts
from annotate.content.counts import KeptSums
from annotate.models import Judge
from evaluation.labels.agreement_counts import ON
from evaluation.labels.background_figures import have_refreshed, refreshing
from evaluation.labels.compared_answers import ComparedAnswer, compared_answers
from evaluation.models import RaterDrift
from evaluation.statistics.leave_one_out import Alike

PARTS = 10

FEW = 100
"""Answers of which it is computed while the browser waits."""

TASK = "evaluation.refresh_drift"


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of a rater's work, in the order in which it was done."""

    number: int
    first: datetime
    last: datetime
    others: Alike
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Drift:
    periods: tuple[Period, ...]
    made_at: datetime | None
    """When it was computed, where it was; none also where it never was."""

    is_of_now: bool


def drift(judge: Judge, kept: KeptSums, answers: int) -> Drift:
    """What is known of it; of few answers that is what is so now."""
    known, state = _known(judge), _state(judge, kept)
    if known.state != state:
        if answers <= FEW:
            known = refresh(judge)
        else:
            have_refreshed(known, TASK, judge.pk)
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
    """What changes with any answer of the rater, and with what others say of the same."""
    said = sorted(kept.of(ON, judge.pk).items()), judge.study.dimensions, judge.study.form
    return sha256(dumps(said).encode()).hexdigest()


def _period(row: Sequence[Any]) -> Period:
    number, first, last, others, seconds = row
    return Period(
        number, datetime.fromisoformat(first), datetime.fromisoformat(last), Alike(*others), seconds
    )


def _periods(judge: Judge) -> Iterator[Period]:
    """The work cut into parts as equal as can be; fewer where there are fewer answers."""
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
