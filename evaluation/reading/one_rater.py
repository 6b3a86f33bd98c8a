"""One rater: the work on each question, how it was done over time, and how far as the others do.

Finished work is shown. Judgments of excluded raters count for nobody's agreement; their own is
shown all the same.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import inf
from statistics import median

from django.db.models import Count, Max, Q, QuerySet

from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Flag,
    Judge,
    Judgment,
    PracticeRound,
    StandingChange,
)
from annotate.protocol.answers import NOTHING, said, shown_number
from annotate.protocol.dimensions import Dimension
from annotate.protocol.steps import OPEN_AGAIN
from annotate.services.rating import gold
from evaluation.agreement.leave_one_out import Alike
from evaluation.reading.compared_answers import Compared, compared_answers
from evaluation.reading.contradictions import contradictions

PARTS = 10
"""Into which a rater's work is cut to see a drift."""

FLAGS_SHOWN = 50

STRETCHES = 5
"""Into which numbers are cut."""

Kind = tuple[str, Callable[[str], bool]]
"""What answers are counted as: its words, and whether an answer is one of them."""


@dataclass(slots=True)
class HitRate:
    """How many of how many."""

    of: int = 0
    hits: int = 0

    def add(self, is_hit: bool) -> None:
        self.of += 1
        self.hits += is_hit

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def percent(self) -> float:
        return 100 * self.hits / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """A rater's work on one dimension, or on all."""

    answers: int
    skips: int
    seconds: float | None
    others: Alike
    gold: HitRate


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """How often a choice was taken, or named: by the rater, and by everybody else who counts."""

    label: str
    own: int
    own_percent: float
    everybody: int
    everybody_percent: float


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of a rater's work, in the order in which it was done."""

    number: int
    first: datetime
    last: datetime
    others: Alike
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Rater:
    """Everything that the page of one rater shows."""

    judge: Judge
    dimensions: tuple[tuple[Dimension, Work], ...]
    total: Work
    minutes: float
    contradictions: int
    skips: tuple[tuple[str, str, int], ...]
    choices: tuple[tuple[Dimension, tuple[ChoiceRow, ...]], ...]
    drift: tuple[Period, ...]
    flags: tuple[Flag, ...]
    flag_count: int
    batches: tuple[tuple[Batch, int, int], ...]
    rounds: tuple[PracticeRound, ...]
    changes: tuple[StandingChange, ...]
    seen: datetime | None


def rater(judge: Judge) -> Rater:
    own = Judgment.objects.current().finished().filter(judge=judge)
    answers = sorted(compared_answers(judge), key=lambda answer: answer.at)
    skips = _skips(own)
    known = _gold(judge)
    # Every dimension of the study, and any other that there is something on.
    used = {a.dimension for a in answers} | {key for key, _, _ in skips} | set(known)
    protocol = judge.study.protocol
    wanted = protocol.of(used | {*judge.study.dimensions})
    flags = Flag.objects.filter(
        judge=judge, withdrawn_at__isnull=True, unit__response__system__deleted_at__isnull=True
    )
    seen = judge.assignments.aggregate(last=Max("seen_at"))["last"]
    return Rater(
        judge=judge,
        dimensions=tuple((d, _work(answers, skips, known, d.key)) for d in wanted),
        total=_work(answers, skips, known),
        minutes=sum(answer.seconds or 0.0 for answer in answers) / 60,
        contradictions=contradictions([judge.pk], protocol)[judge.pk],
        skips=tuple((protocol[key].title, reason, n) for key, reason, n in skips),
        choices=tuple(_choices(judge, wanted, own)),
        drift=tuple(_parts([answer for answer in answers if answer.others])),
        flags=tuple(flags.select_related("unit__response").order_by("-pk")[:FLAGS_SHOWN]),
        flag_count=flags.count(),
        batches=tuple(_batches(judge)),
        rounds=tuple(judge.rounds.select_related("batch").order_by("batch", "number")),
        changes=tuple(judge.standing_changes.select_related("by")),
        seen=max(filter(None, (seen, answers[-1].at if answers else None)), default=None),
    )


def _skips(own: QuerySet[Judgment]) -> list[tuple[str, str, int]]:
    """Dimension, reason and number of what was not judged, the most frequent first."""
    return list(
        own.filter(value="")
        .exclude(skipped_reason__in=OPEN_AGAIN)
        .order_by()
        .values("dimension", "skipped_reason")
        .annotate(n=Count("pk"))
        .order_by("-n", "dimension", "skipped_reason")
        .values_list("dimension", "skipped_reason", "n")
    )


def _gold(judge: Judge) -> dict[str, HitRate]:
    """By dimension: answers to gold among the work, and how many were as known."""
    found: dict[str, HitRate] = defaultdict(HitRate)
    done = Assignment.objects.filter(judge=judge, state=Assignment.State.DONE, item__is_gold=True)
    batches = judge.study.batches.work().filter(gold__isnull=False, assignments__in=done)
    for batch in batches.select_related("study").distinct():
        items = list(
            BatchItem.objects.filter(
                batch=batch, response__live=True, assignments__in=done
            ).select_related("response", "unit")
        )
        answers = {
            (row.unit_id, row.dimension): row
            for row in Judgment.objects.current().filter(
                judge=judge, unit__response__in=[item.response_id for item in items]
            )
        }
        for steps in gold.known_steps(batch, items).values():
            for known in steps:
                verdict = known.verdict(answers)
                if verdict is not None:
                    found[known.step.dimension.key].add(verdict)
    return found


def _work(
    answers: Sequence[Compared],
    skips: Sequence[tuple[str, str, int]],
    known: Mapping[str, HitRate],
    dimension: str = "",
) -> Work:
    """The work on a dimension, or on all where none is named."""
    some = [answer for answer in answers if dimension in {"", answer.dimension}]
    shares = [share for key, share in known.items() if dimension in {"", key}]
    return Work(
        answers=sum(answer.is_given for answer in some),
        skips=sum(n for key, _, n in skips if dimension in {"", key}),
        seconds=_median(some),
        others=_agreement(some),
        gold=HitRate(sum(share.of for share in shares), sum(share.hits for share in shares)),
    )


def _median(answers: Sequence[Compared]) -> float | None:
    times = [answer.seconds for answer in answers if answer.seconds is not None]
    return median(times) if times else None


def _agreement(answers: Sequence[Compared]) -> Alike:
    found = Alike()
    for answer in answers:
        found.add(answer.same, answer.others)
    return found


def _choices(
    judge: Judge, dimensions: Sequence[Dimension], own: QuerySet[Judgment]
) -> Iterator[tuple[Dimension, tuple[ChoiceRow, ...]]]:
    people = Judgment.objects.counted().filter(judge__kind__in=PEOPLE)
    everybody = people.filter(judge__study=judge.study).exclude(judge=judge)
    mine, theirs = _by_value(own), _by_value(everybody)
    for dimension in dimensions:
        kinds = _kinds(dimension)
        ours, own_total = _counted(kinds, mine[dimension.key])
        others, total = _counted(kinds, theirs[dimension.key])
        if not own_total:
            continue
        yield (
            dimension,
            tuple(
                ChoiceRow(
                    label=label,
                    own=taken,
                    own_percent=100 * taken / own_total,
                    everybody=by_others,
                    everybody_percent=100 * by_others / total if total else 0.0,
                )
                for (label, _), taken, by_others in zip(kinds, ours, others, strict=True)
            ),
        )


def _counted(kinds: Sequence[Kind], given: Mapping[str, int]) -> tuple[list[int], int]:
    """How many answers are of each kind, and how many are of any."""
    found, total = [0] * len(kinds), 0
    for value, n in given.items():
        own = [is_so(value) for _, is_so in kinds]
        total += n * any(own)
        found = [before + n * here for before, here in zip(found, own, strict=True)]
    return found, total


def _kinds(dimension: Dimension) -> list[Kind]:
    """What answers are counted as: choices, what may be named, or stretches of numbers."""
    if dimension.answer == "number":
        return _stretches(dimension)
    names = {one.value: one.label for one in (*dimension.choices, *dimension.severities)}
    if names and not dimension.is_choice:
        words = dimension.label(NOTHING)
        names[NOTHING] = words[0].upper() + words[1:]
    return [(label, partial(_names, name)) for name, label in names.items()]


def _names(name: str, value: str) -> bool:
    return name in said(value)


def _stretches(dimension: Dimension) -> list[Kind]:
    """As wide as each other; an end belongs to the higher one."""
    wide = (dimension.high - dimension.low) / STRETCHES
    edges = [dimension.low + number * wide for number in range(STRETCHES)]
    return [
        (f"{shown_number(round(low, 6))} to {shown_number(round(low + wide, 6))}",
         partial(_lies, low, low + wide if low < edges[-1] else inf))
        for low in edges
    ]  # fmt: skip


def _lies(low: float, high: float, value: str) -> bool:
    return low <= float(value) < high


def _by_value(judgments: QuerySet[Judgment]) -> Mapping[str, Counter[str]]:
    """How often each answer was given to each question."""
    rows = judgments.exclude(value="").order_by().values("dimension", "value")
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for dimension, value, n in rows.annotate(n=Count("pk")).values_list("dimension", "value", "n"):
        found[dimension][value] = n
    return found


def _parts(answers: Sequence[Compared]) -> Iterator[Period]:
    """The work cut into ten parts as equal as can be; fewer where there are fewer answers."""
    count = min(PARTS, len(answers))
    for number in range(count):
        first, end = (len(answers) * n // count for n in (number, number + 1))
        some = answers[first:end]
        yield Period(number + 1, some[0].at, some[-1].at, _agreement(some), _median(some))


def _batches(judge: Judge) -> Iterator[tuple[Batch, int, int]]:
    """The batches that the rater works in: tasks done, and tasks given back for good."""
    State = Assignment.State  # noqa: N806
    rows = (
        judge.assignments.order_by()
        .values("batch")
        .annotate(
            done=Count("pk", filter=Q(state=State.DONE)),
            back=Count("pk", filter=Q(state=State.RETURNED)),
        )
        .values_list("batch", "done", "back")
    )
    counts = {batch: (done, back) for batch, done, back in rows}
    for batch in Batch.objects.filter(pk__in=counts):
        yield batch, *counts[batch.pk]
