"""Disputes: the queue of units where raters disagree, and the decisions about them.

The queue has every disagreement and every decision: the most disputed first, then those with most
votes, then in loading order. Answers without a measure of disagreement, such as texts, are last. A
decision is an answer of the study's adjudicated judge.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import merge
from typing import overload

from django.db import transaction
from django.db.models import Q, QuerySet

from annotate.content import counts
from annotate.content.counts import Add, ResponseData, counted, subject
from annotate.content.judgments import record_judgment
from annotate.models import Batch, Disputed, Judge, Judgment, Study, Unit, User
from annotate.protocol.dimensions import Dimension
from annotate.protocol.distances import Votes, disagreement, in_order
from annotate.protocol.steps import WITHDRAWN
from annotate.web import audit
from annotate.web.errors import Refused

NAME = "adjudicated"
NOTE_CHARS = 5_000


def find_adjudicated_judge(study: Study) -> Judge | None:
    """Return the study's judge of adjudicated labels, if it exists."""
    return _judge_or_free_name(study)[0]


def adjudicated_judge(study: Study) -> Judge:
    """Return the study's judge of adjudicated labels. Create it if needed."""
    judge = find_adjudicated_judge(study)
    if judge is not None:
        return judge
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        judge, name = _judge_or_free_name(study)
        return judge or Judge.objects.create(study=study, name=name, kind=Judge.Kind.ADJUDICATED)


def _judge_or_free_name(study: Study) -> tuple[Judge | None, str]:
    """Return the adjudicated judge and its name, which no judge of another kind has."""
    taken = {judge.name: judge for judge in study.judges.filter(name__startswith=NAME)}
    name, number = NAME, 1
    while name in taken and taken[name].kind != Judge.Kind.ADJUDICATED:
        number += 1
        name = f"{NAME}-{number}"
    return taken.get(name), name


def decide(
    unit: Unit,
    dimension: str,
    *,
    value: str,
    note: str = "",
    by: User,
    base: str | None = None,
    version: int | None = None,
) -> Judgment:
    """Save the adjudicator's answer to the wording that they saw.

    Raise `Conflict` if somebody else has decided since the adjudicator opened the page (`base`).
    """
    if not value:
        raise Refused("Choose an answer.")
    note = note.strip()[:NOTE_CHARS]
    return _record(unit, dimension, value=value, note=note, by=by, base=base, version=version)


def take_back(unit: Unit, dimension: str, *, by: User, base: str | None = None) -> Judgment:
    """Withdraw the decision. The history keeps it."""
    return _record(unit, dimension, skipped_reason=WITHDRAWN, by=by, base=base)


def _record(
    unit: Unit,
    dimension: str,
    *,
    by: User,
    base: str | None,
    value: str = "",
    skipped_reason: str = "",
    note: str = "",
    version: int | None = None,
) -> Judgment:
    if not unit.response.live:
        raise Refused("The response was replaced by a newer one, so there is nothing to decide.")
    study = unit.response.study
    with transaction.atomic():
        saved = record_judgment(
            judge=adjudicated_judge(study),
            unit=unit,
            dimension=dimension,
            value=value,
            skipped_reason=skipped_reason,
            note=note,
            edit=str(uuid.uuid4()),
            base=base,
            given_by=by.username,
            version=version,
        )
        audit.note("decided", unit, study=study, by=by, dimension=dimension, value=value)
    return saved


PAGE = 25

disagreement_of = lru_cache(maxsize=10_000)(disagreement)


@dataclass(frozen=True, slots=True)
class Dispute:
    """The votes on one dimension of one unit. `decided` is the adjudicated value, or empty."""

    unit_id: int
    dimension: Dimension
    votes: Votes
    decided: str

    @property
    def key(self) -> tuple[int, str]:
        return self.unit_id, self.dimension.key

    @property
    def measure(self) -> float | None:
        return disagreement_of(self.dimension, self.votes)

    @property
    def is_open(self) -> bool:
        return len(self.votes) > 1 and not self.decided

    @property
    def labels(self) -> list[tuple[str, int]]:
        return [(self.dimension.label(value), count) for value, count in self.votes]

    @property
    def decided_label(self) -> str:
        return self.dimension.label(self.decided) if self.decided else ""


# Kept counts -------------------------------------------------------------------------------------


@counted("disputes", version=1, rows=Disputed)
def count_disputes(data: ResponseData, add: Add) -> list[Disputed]:
    """Return the disputes of some responses, and add their numbers per batch and study."""
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
    adjudicated = find_adjudicated_judge(data.study) if is_decided else None
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
    """The disputes of a study or batch, optionally of one dimension or state. Read lazily."""

    study: Study
    batch: int
    dimension: str
    state: str
    sums: counts.Counts

    def number(self, state: str) -> int:
        """Return the number of disputes in a state."""
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
        states = (self.rows(state)[:end] for state in self._states)
        rows = merge(*states, key=lambda row: [getattr(row, name) for name in Disputed.ORDER])
        return [self._dispute(row) for row in rows][first:end]

    def __iter__(self) -> Iterator[Dispute]:
        return iter(self[: len(self)])

    def rows(self, state: str) -> "QuerySet[Disputed]":
        """Return the stored rows in a state, in order."""
        # SQLite uses its index for `IN`, but not for a bare `is_open`.
        rows = Disputed.objects.filter(
            study_id=self.study.pk, batch_id=self.batch, is_open__in=[state == "open"]
        )
        rows = rows.filter(dimension=self.dimension) if self.dimension else rows
        return rows.order_by(*Disputed.ORDER)

    def following(self, after: tuple[int, str]) -> Dispute | None:
        """Return the next open dispute; after the last, the first."""
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
    """Match rows after this one."""
    found, same = Q(), Q()
    for name in Disputed.ORDER:
        value = getattr(here, name)
        found |= same & Q(**{f"{name}__gt": value})
        same &= Q(**{name: value})
    return Q(rank__gte=here.rank) & found


def queue_of(study: Study, *, dimension: str = "", batch: Batch | None = None) -> DisputeQueue:
    """Return the queue of a study or of one batch, in all states."""
    key = 0 if batch is None else batch.pk
    return DisputeQueue(study, key, dimension, "all", counts.kept(study).of("disputes", key))


def in_state(queue: DisputeQueue, state: str) -> DisputeQueue:
    """Restrict the queue to decided disputes, to all, or by default to open ones."""
    return replace(queue, state=state if state in {"all", "decided"} else "open")


@dataclass(frozen=True, slots=True)
class QueueRow:
    dispute: Dispute
    unit: Unit
    text: str


def queue_rows(disputes: Sequence[Dispute]) -> list[QueueRow]:
    """Return a page of the queue with its texts."""
    units = Unit.objects.select_related("response__question", "parent").in_bulk(
        [d.unit_id for d in disputes]
    )
    return [QueueRow(d, units[d.unit_id], units[d.unit_id].listed_text) for d in disputes]
