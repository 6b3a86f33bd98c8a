"""The steps of a task, read from the database."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from django.db.models import Exists, OuterRef

from annotate.content.units import Contents, contents_of, draft_units, units_of
from annotate.models import Batch, BatchItem, Judgment, Source, Study, Unit, hot_queries
from annotate.protocol.dimensions import Dimension, Sight, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import Step, order_steps


def steps_of(batch: Batch, item: BatchItem, found: Contents | None = None) -> list[Step]:
    """Return every step of a task, including steps that answers may make unnecessary.

    `found` is the response's contents, if the caller has read them.
    """
    if found is None:
        response = item.response_id
        found = Contents(units_of(response), hot_queries.sources_of_response(response))
    # A task about a unit is shown even if the unit has been retired.
    units = [one for one in found.units if one.retired_at is None or one.pk == item.unit_id]
    every = batch_steps(batch, units, found.sources)
    if batch.granularity == Batch.Granularity.UNIT:
        every = [step for step in every if step.unit.pk == item.unit_id]
    return [with_pair_passages(step) for step in every]


def form_steps(
    response_id: int,
    study: Study,
    dimensions: Sequence[Dimension],
    protocol: Protocol,
    *,
    drafts: bool = True,
) -> list[Step]:
    """Return every step of a form about a response.

    With `drafts`, include units that would be created for it.
    """
    found = contents_of(response_id)
    units = [unit for unit in found.units if unit.retired_at is None]
    if drafts:
        units += draft_units(response_id, dimensions, units)
    cap = study.citation_cap
    steps = order_steps(units, found.sources, dimensions, cap=cap, protocol=protocol)
    return [with_pair_passages(step) for step in steps]


def with_pair_passages(step: Step) -> Step:
    """Return a pair's step with the passages of both answers, if the dimension shows any."""
    if step.unit.kind != UnitKind.PAIR or step.dimension.sight == "nothing":
        return step
    return replace(step, sources=_of_both(step.unit, step.dimension.sight))


def _of_both(pair: Unit, sight: Sight) -> tuple[Source, ...]:
    both = Source.objects.filter(response__in=[pair.response_id, pair.other_id])
    if sight == "cited":
        both = both.filter(Exists(Unit.objects.filter(source=OuterRef("pk"))))
    return tuple(both.select_related("passage").order_by("n", "pk"))


def steps_of_items(
    batch: Batch, items: Collection[BatchItem]
) -> Iterator[tuple[BatchItem, list[Step]]]:
    """Yield many items with their steps, in two queries. Steps of pairs have no passages."""
    units: dict[int, list[Unit]] = {item.response_id: [] for item in items}
    for unit in Unit.objects.standing().filter(response__in=units).order_by("pk"):
        units[unit.response_id].append(unit)
    sources: dict[int, list[Source]] = defaultdict(list)
    for source in Source.objects.filter(response__in=units).order_by("n"):
        sources[source.response_id].append(source)
    steps = {
        response: batch_steps(batch, own, sources[response]) for response, own in units.items()
    }
    is_single = batch.granularity == Batch.Granularity.UNIT
    for item in items:
        own = steps[item.response_id]
        yield item, [step for step in own if step.unit.pk == item.unit_id] if is_single else own


def answers_by_judge(
    rows: Iterable[Judgment], judges: Iterable[int]
) -> dict[int, dict[tuple[int, str], Judgment]]:
    """Return judgments by judge, unit and dimension."""
    answers: dict[int, dict[tuple[int, str], Judgment]] = {judge: {} for judge in judges}
    for row in rows:
        answers[row.judge_id][row.unit_id, row.dimension] = row
    return answers


def step_of(batch: Batch, item: BatchItem, key: str) -> Step | None:
    """Return one step of a task by its key, or None.

    Only the units of its statement are read, or the whole response and its citations.
    """
    root = key.partition(":")[0].partition(".")[0]

    def is_needed(unit: Unit) -> bool:
        if root == "r":
            return unit.key == "r" or unit.source_id is not None
        return unit.key in {"r", root} or unit.key.startswith(f"{root}.")

    units = [unit for unit in units_of(item.response_id) if is_needed(unit)]
    every = batch_steps(batch, units, hot_queries.sources_of_response(item.response_id))
    found = next((step for step in every if step.key == key), None)
    is_single = batch.granularity == Batch.Granularity.UNIT
    if found is None or (is_single and found.unit.pk != item.unit_id):
        return None
    return with_pair_passages(found)


def batch_steps(batch: Batch, units: Sequence[Unit], sources: Sequence[Source]) -> list[Step]:
    """Return the steps of a batch about the units of one response."""
    study = batch.study
    dimensions, cap = batch.dimension_list, study.citation_cap
    return order_steps(units, sources, dimensions, cap=cap, protocol=study.protocol)
