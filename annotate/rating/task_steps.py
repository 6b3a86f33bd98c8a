"""The questions of one task, read from the database."""

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Exists, OuterRef

from annotate.content.units import Contents, contents_of, draft_units, units_of
from annotate.models import Batch, BatchItem, Source, Study, Unit, hot_queries
from annotate.protocol.dimensions import Dimension, Sight, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import Step, order_steps


def steps_of(batch: Batch, item: BatchItem, found: Contents | None = None) -> list[Step]:
    """Every question of a task, also those that the answers given may make unnecessary. `found` is
    what its response has, where the caller has read that."""
    if found is None:
        response = item.response_id
        found = Contents(units_of(response), hot_queries.sources_of_response(response))
    # A task about one unit is shown also where that was retired in the meantime.
    units = [one for one in found.units if one.retired_at is None or one.pk == item.unit_id]
    every = in_order(batch, units, found.sources)
    if batch.granularity == Batch.Granularity.UNIT:
        every = [step for step in every if step.unit.pk == item.unit_id]
    return [beside(step) for step in every]


def steps_about(
    response_id: int,
    study: Study,
    dimensions: Sequence[Dimension],
    protocol: Protocol,
    *,
    drafts: bool = True,
) -> list[Step]:
    """Every question of a form about a response, as it would be asked; with `drafts` also about
    units that would have to be made for it."""
    found = contents_of(response_id)
    units = [unit for unit in found.units if unit.retired_at is None]
    if drafts:
        units += draft_units(response_id, dimensions, units)
    cap = study.citation_cap
    steps = order_steps(units, found.sources, dimensions, cap=cap, protocol=protocol)
    return [beside(step) for step in steps]


def beside(step: Step) -> Step:
    """With the passages of both answers, where the question is about two and has some in sight."""
    if step.unit.kind != UnitKind.PAIR or step.dimension.sight == "nothing":
        return step
    return replace(step, sources=_of_both(step.unit, step.dimension.sight))


def _of_both(pair: Unit, sight: Sight) -> tuple[Source, ...]:
    both = Source.objects.filter(response__in=[pair.response_id, pair.other_id])
    if sight == "cited":
        both = both.filter(Exists(Unit.objects.filter(source=OuterRef("pk"))))
    return tuple(both.select_related("passage").order_by("n", "pk"))


def step_of(batch: Batch, item: BatchItem, key: str) -> Step | None:
    """One question of a task by its key, made of its statement's units only, or of the whole
    response and what it cites."""
    root = key.partition(":")[0].partition(".")[0]

    def is_needed(unit: Unit) -> bool:
        if root == "r":
            return unit.key == "r" or unit.source_id is not None
        return unit.key in {"r", root} or unit.key.startswith(f"{root}.")

    units = [unit for unit in units_of(item.response_id) if is_needed(unit)]
    every = in_order(batch, units, hot_queries.sources_of_response(item.response_id))
    found = next((step for step in every if step.key == key), None)
    is_single = batch.granularity == Batch.Granularity.UNIT
    if found is None or (is_single and found.unit.pk != item.unit_id):
        return None
    return beside(found)


def in_order(batch: Batch, units: Sequence[Unit], sources: Sequence[Source]) -> list[Step]:
    """What a batch asks about the units of one response."""
    study = batch.study
    dimensions, cap = batch.dimension_list, study.citation_cap
    return order_steps(units, sources, dimensions, cap=cap, protocol=study.protocol)
