"""The queue of disputes: where raters disagree, most disputed first. It is kept.

Everything that raters disagree on or that is decided is in it: most disputed first, then with most
votes, then in the order of loading; last what is not compared, as texts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import merge
from typing import overload

from django.db.models import Q, QuerySet

from annotate.content import counts
from annotate.content.counts import Add, ResponseData, counted, subject
from annotate.models import Batch, Disputed, Judge, Study, Unit
from annotate.protocol.dimensions import Dimension
from annotate.protocol.distances import Votes, disagreement, in_order
from annotate.rating.decisions import present_judge

PAGE = 25

measure_of = lru_cache(maxsize=10_000)(disagreement)


@dataclass(frozen=True, slots=True)
class Dispute:
    """The votes on one question about one unit; `decided` is the adjudicated value, or empty."""

    unit_id: int
    dimension: Dimension
    votes: Votes
    decided: str

    @property
    def key(self) -> tuple[int, str]:
        return self.unit_id, self.dimension.key

    @property
    def measure(self) -> float | None:
        return measure_of(self.dimension, self.votes)

    @property
    def is_open(self) -> bool:
        return len(self.votes) > 1 and not self.decided

    @property
    def labels(self) -> list[tuple[str, int]]:
        return [(self.dimension.label(value), count) for value, count in self.votes]

    @property
    def decided_label(self) -> str:
        return self.dimension.label(self.decided) if self.decided else ""


# What is kept ------------------------------------------------------------------------------------


@counted("disputes", version=1, rows=Disputed)
def of_disputes(data: ResponseData, add: Add) -> list[Disputed]:
    """The disputes about some responses, and of the study and each batch how many there are."""
    rows = []
    subjects = {
        key: {subject(batch, item) for item in data.items_of[key]}
        for key, batch in data.batches.items()
    }
    for one in _disputes(data):
        unit = data.units[one.unit_id]
        rows.append(_row(data, one, 0))
        for key, batch in data.batches.items():
            by_unit = batch.granularity == Batch.Granularity.UNIT
            about = one.unit_id if by_unit else unit.response
            is_asked = one.dimension.key in batch.dimensions and data.about(batch, one.unit_id)
            if is_asked and about in subjects[key]:
                rows.append(_row(data, one, key))
    for row in rows:
        state = "open" if row.is_open else "decided"
        add(row.response_id, "disputes", row.batch_id, f"{state}:{row.dimension}")
    return rows


def _disputes(data: ResponseData) -> Iterator[Dispute]:
    protocol = data.protocol
    is_decided = any(who.kind == Judge.Kind.ADJUDICATED for who in data.judges.values())
    adjudicated = present_judge(data.study) if is_decided else None
    given = defaultdict[tuple[int, str], Counter[str]](Counter)
    decided: dict[tuple[int, str], str] = {}
    for one in data.given:
        if one.value and adjudicated is not None and one.judge == adjudicated.pk:
            decided[one.unit, one.dimension] = one.value
    for one in data.current:
        if one.value and data.judges[one.judge].is_person and data.is_counted(one):
            given[one.unit, one.dimension][one.value] += 1
    for (unit, key), values in given.items():
        asked, answer = protocol[key], decided.get((unit, key), "")
        if asked.is_choice:
            values = Counter({value: values[value] for value in asked.values})
        votes = in_order(asked, values)
        if len(votes) > 1 or answer:
            yield Dispute(unit, asked, votes, answer)


def _row(data: ResponseData, one: Dispute, batch: int) -> Disputed:
    return Disputed(
        study_id=data.study.pk,
        response_id=data.units[one.unit_id].response,
        batch_id=batch,
        dimension=one.dimension.key,
        is_open=one.is_open,
        rank=-1.0 if one.measure is None else -1.0 - one.measure,
        fewness=-sum(n for _, n in one.votes),
        unit_id=one.unit_id,
        place=data.protocol.order[one.dimension.key],
        votes=[list(vote) for vote in one.votes],
        decided=one.decided,
    )


# The queue ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DisputeQueue(Sequence[Dispute]):
    """The disputes of a study, or of a batch, on all questions or one, in a state or in all: read
    as far as they are asked for."""

    study: Study
    batch: int
    dimension: str
    state: str
    sums: counts.Counts

    def number(self, state: str) -> int:
        """How many there are in a state."""
        if self.dimension:
            return self.sums[f"{state}:{self.dimension}"]
        return sum(n for name, n in self.sums.items() if name.startswith(f"{state}:"))

    def __len__(self) -> int:
        return sum(map(self.number, self._states))

    @property
    def _states(self) -> tuple[str, ...]:
        return ("open", "decided") if self.state == "all" else (self.state,)

    @overload
    def __getitem__(self, place: int) -> Dispute: ...
    @overload
    def __getitem__(self, place: slice) -> list[Dispute]: ...
    def __getitem__(self, place: int | slice) -> Dispute | list[Dispute]:
        if isinstance(place, int):
            return self[: len(self)][place]
        first, end, _ = place.indices(len(self))
        if self.state != "all":
            return [self._dispute(row) for row in self.rows(self.state)[first:end]]
        each = (self.rows(state)[:end] for state in self._states)
        found = merge(*each, key=lambda row: [getattr(row, name) for name in Disputed.ORDER])
        return [self._dispute(row) for row in found][first:end]

    def __iter__(self) -> Iterator[Dispute]:
        return iter(self[: len(self)])

    def rows(self, state: str) -> "QuerySet[Disputed]":
        """Those in a state as they are kept, in their order."""
        # `is_open` by itself, as Django writes it, is nothing that SQLite looks up in an index.
        rows = Disputed.objects.filter(
            study_id=self.study.pk, batch_id=self.batch, is_open__in=[state == "open"]
        )
        rows = rows.filter(dimension=self.dimension) if self.dimension else rows
        return rows.order_by(*Disputed.ORDER)

    def following(self, after: tuple[int, str]) -> Dispute | None:
        """The open one that follows another; from the first again after the last."""
        unit, key = after
        rows = self.rows("open").exclude(unit_id=unit, dimension=key)
        here = Disputed.objects.filter(
            response_id__in=Unit.objects.filter(pk=unit).values("response_id"),
            batch_id=self.batch,
            unit_id=unit,
            dimension=key,
        ).first()
        found = rows.filter(_later(here)).first() if here else None
        found = found or rows.first()
        return self._dispute(found) if found else None

    def _dispute(self, row: Disputed) -> Dispute:
        votes = tuple((value, number) for value, number in row.votes)
        return Dispute(row.unit_id, self.study.protocol[row.dimension], votes, row.decided)


def _later(here: Disputed) -> Q:
    """Of rows, those that follow one."""
    found, same = Q(), Q()
    for name in Disputed.ORDER:
        value = getattr(here, name)
        found |= same & Q(**{f"{name}__gt": value})
        same &= Q(**{name: value})
    return Q(rank__gte=here.rank) & found


def found(study: Study, *, dimension: str = "", batch: Batch | None = None) -> DisputeQueue:
    """Everything that raters disagree on or that is decided."""
    of = 0 if batch is None else batch.pk
    return DisputeQueue(study, of, dimension, "all", counts.kept(study).of("disputes", of))


def in_state(queue: DisputeQueue, state: str) -> DisputeQueue:
    """Those that are still open (also where nothing is said), decided, or all."""
    return replace(queue, state=state if state in {"all", "decided"} else "open")


@dataclass(frozen=True, slots=True)
class QueueRow:
    dispute: Dispute
    unit: Unit
    text: str


def rows_of(disputes: Sequence[Dispute]) -> list[QueueRow]:
    """A page of the queue with the texts that it shows."""
    units = Unit.objects.select_related("response__question", "parent").in_bulk(
        [d.unit_id for d in disputes]
    )
    return [QueueRow(d, units[d.unit_id], units[d.unit_id].listed_text) for d in disputes]
