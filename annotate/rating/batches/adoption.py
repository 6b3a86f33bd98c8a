"""Ratings that were made elsewhere, counted as tasks of a batch."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Min

from annotate.models import (
    Assignment,
    Batch,
    BatchItem,
    Judge,
    Judgment,
    Source,
    Unit,
)
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.steps import unanswered
from annotate.rating.task_steps import in_order

CHUNK = 500
"""Responses whose units are read at once."""


def adopt_ratings(batch: Batch, judges: Sequence[Judge]) -> int:
    """Count what these raters judged already, in a file, as tasks that they did in this batch.

    A task counts where a judge answered all of it, the first to finish first, and never more than
    the batch wants. Returns how many were taken over.
    """
    items: dict[int, list[BatchItem]] = defaultdict(list)
    for item in batch.items.filter(is_gold=False):
        items[item.response_id].append(item)
    done: list[tuple[datetime, datetime, BatchItem, Judge]] = []
    ids = sorted(items)
    for first in range(0, len(ids), CHUNK):
        some = ids[first : first + CHUNK]
        units, sources = _parts(some, batch.dimension_list)
        given = _answers(some, judges)
        for response in some:
            steps = in_order(batch, units[response], sources[response])
            for item in items[response]:
                if batch.granularity == Batch.Granularity.UNIT:
                    asked = [step for step in steps if step.unit.pk == item.unit_id]
                else:
                    asked = steps
                for judge in judges:
                    answers = given[judge.pk]
                    found = [a for step in asked if (a := step.answer(answers)) is not None]
                    if found and not unanswered(asked, answers):
                        times = [answer.created_at for answer in found]
                        done.append((max(times), min(times), item, judge))
    taken: Counter[int] = Counter()
    rows_to_write = []
    for end, start, item, judge in sorted(done, key=lambda found: (found[0], found[3].name)):
        if taken[item.pk] >= batch.raters_per_item:
            continue
        taken[item.pk] += 1
        rows_to_write.append(
            Assignment(
                batch=batch,
                item=item,
                judge=judge,
                state=Assignment.State.DONE,
                lease_until=end,
                created_at=start,
                seen_at=end,
                done_at=end,
            )
        )
    with transaction.atomic():
        Assignment.objects.bulk_create(rows_to_write, batch_size=1_000)
        span = batch.assignments.aggregate(first=Min("created_at"), last=Max("done_at"))
        if span["first"] is not None:
            Batch.objects.filter(pk=batch.pk).update(
                state=Batch.State.CLOSED, opened_at=span["first"], closed_at=span["last"]
            )
    batch.refresh_from_db()
    return len(rows_to_write)


def _parts(
    ids: Sequence[int], dimensions: Sequence[Dimension]
) -> tuple[dict[int, list[Unit]], dict[int, list[Source]]]:
    """The units and sources of some responses that questions can be about, without their texts."""
    kinds = {UnitKind.RESPONSE}
    if any(dimension.unit_kind != UnitKind.RESPONSE for dimension in dimensions):
        kinds = set(UnitKind)
    units: dict[int, list[Unit]] = defaultdict(list)
    names = ("pk", "response", "kind", "key", "parent", "ordinal", "source")
    found = Unit.objects.standing().filter(response__in=ids, kind__in=kinds)
    for unit in found.only(*names).order_by("pk"):
        units[unit.response_id].append(unit)
    sources: dict[int, list[Source]] = defaultdict(list)
    rows = Source.objects.filter(response__in=ids).only("pk", "response", "n").order_by("n")
    for source in rows:
        sources[source.response_id].append(source)
    return units, sources


def _answers(
    responses: Sequence[int], judges: Sequence[Judge]
) -> dict[int, dict[tuple[int, str], Judgment]]:
    """What each judge said about the units of some responses, in finished ratings."""
    given: dict[int, dict[tuple[int, str], Judgment]] = {judge.pk: {} for judge in judges}
    rows = Judgment.objects.finished().filter(judge__in=judges, unit__response__in=responses)
    for row in rows:
        given[row.judge_id][row.unit_id, row.dimension] = row
    return given
