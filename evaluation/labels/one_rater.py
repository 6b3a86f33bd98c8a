"""One rater: the work on each question, how it was done over time, and how far as the others do.

Finished work is shown. Judgments of excluded raters count for nobody's agreement; their own is
shown all the same.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotate.content import counts
from annotate.content.counts import Counts
from annotate.models import Assignment, Batch, Flag, Judge, PracticeRound, StandingChange
from annotate.protocol.dimensions import Dimension
from evaluation.labels.agreement_counts import EVERYBODY, ON
from evaluation.labels.answer_kinds import kinds_of
from evaluation.labels.drift import Drift, drift
from evaluation.labels.raters import RaterRow, alike_of, median_of, row_of
from evaluation.statistics.leave_one_out import Alike

FLAGS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class HitRate:
    """How many of how many."""

    of: int = 0
    hits: int = 0

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def percent(self) -> float:
        return 100 * self.hits / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class RaterWork:
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
class Rater:
    """Everything that the page of one rater shows."""

    judge: Judge
    dimensions: tuple[tuple[Dimension, RaterWork], ...]
    total: RaterWork
    minutes: float
    contradictions: int
    skips: tuple[tuple[str, str, int], ...]
    choices: tuple[tuple[Dimension, tuple[ChoiceRow, ...]], ...]
    drift: Drift
    flags: tuple[Flag, ...]
    flag_count: int
    batches: tuple[tuple[Batch, int, int], ...]
    rounds: tuple[PracticeRound, ...]
    changes: tuple[StandingChange, ...]
    seen: datetime | None


def rater(judge: Judge) -> Rater:
    kept, protocol = counts.kept(judge.study), judge.study.protocol
    row, on = row_of(kept, judge), kept.of(ON, judge.pk)
    skips = sorted(
        ((key, reason, n) for (key, reason), n in _named(on, "skips")),
        key=lambda skip: (-skip[2], skip[0], skip[1]),
    )
    # Every dimension of the study, and any other that there is something on.
    used = {key for of in ("answers", "units", "gold_asked") for (key,), _ in _named(on, of)}
    used |= {key for key, _, _ in skips} | {*judge.study.dimensions}
    wanted = protocol.of(used)
    flags = Flag.objects.filter(
        judge=judge, withdrawn_at__isnull=True, unit__response__system__deleted_at__isnull=True
    )
    shown = [*flags.select_related("unit__response").order_by("-pk")[:FLAGS_SHOWN]]
    times = _by_question(kept.of("times on", judge.pk))
    return Rater(
        judge=judge,
        dimensions=tuple((one, _work(on, times[one.key], one.key)) for one in wanted),
        total=_total(row),
        minutes=row.minutes,
        contradictions=row.contradictions,
        skips=tuple((protocol[key].title, reason, n) for key, reason, n in skips),
        choices=tuple(_choices(judge, wanted, on, kept.of(ON, EVERYBODY))),
        drift=drift(judge, kept, row.answers),
        flags=tuple(shown),
        flag_count=len(shown) if len(shown) < FLAGS_SHOWN else flags.count(),
        batches=tuple(_batches(on)),
        rounds=tuple(judge.rounds.select_related("batch").order_by("batch", "number")),
        changes=tuple(judge.standing_changes.select_related("by")),
        seen=row.seen,
    )


def _named(sums: Counts, of: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """What is kept under a name of several parts, by the rest of them; a reason may have colons."""
    start = f"{of}:"
    for name, number in sums.items():
        if name.startswith(start):
            yield tuple(name.removeprefix(start).split(":", 1)), number


def _by_question(times: Counts) -> dict[str, dict[str, int]]:
    """How often answers to each took so many seconds."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for name, number in times.items():
        key, _, seconds = name.partition(":")
        found[key][seconds] = number
    return found


def _work(on: Counts, times: Counts, key: str) -> RaterWork:
    """The work on a dimension."""
    return RaterWork(
        answers=on[f"answers:{key}"],
        skips=sum(n for (of, _), n in _named(on, "skips") if of == key),
        seconds=median_of(times),
        others=alike_of(on, f":{key}"),
        gold=HitRate(on[f"gold_asked:{key}"], on[f"gold_right:{key}"]),
    )


def _total(row: RaterRow) -> RaterWork:
    gold = HitRate(row.gold.asked, row.gold.right)
    return RaterWork(row.answers, row.skips, row.seconds, row.others, gold)


def _choices(
    judge: Judge, dimensions: Sequence[Dimension], on: Counts, everybody: Counts
) -> Iterator[tuple[Dimension, tuple[ChoiceRow, ...]]]:
    is_among = judge.standing != Judge.Standing.EXCLUDED
    for dimension in dimensions:
        key = dimension.key
        own_total = on[f"kinds:{key}"]
        if not own_total:
            continue
        total, rows = everybody[f"kinds:{key}"] - own_total * is_among, []
        for place, (label, _) in enumerate(kinds_of(dimension)):
            own = on[f"kind:{key}:{place}"]
            others = everybody[f"kind:{key}:{place}"] - own * is_among
            rows.append(
                ChoiceRow(
                    label=label,
                    own=own,
                    own_percent=100 * own / own_total,
                    everybody=others,
                    everybody_percent=100 * others / total if total else 0.0,
                )
            )
        yield dimension, tuple(rows)


def _batches(on: Counts) -> Iterator[tuple[Batch, int, int]]:
    """The batches that the rater works in: tasks done, and tasks given back for good."""
    tasks = {(int(of), state): n for (of, state), n in _named(on, "tasks")}
    State = Assignment.State  # noqa: N806
    for batch in Batch.objects.filter(pk__in={of for of, _ in tasks}):
        done, back = (tasks.get((batch.pk, state), 0) for state in (State.DONE, State.RETURNED))
        yield batch, done, back
