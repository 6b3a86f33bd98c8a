"""The questions of one task, read from the database."""

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import CharField, Exists, IntegerField, OuterRef, Q

from annotate.models import Batch, BatchItem, Source, Study, Unit
from annotate.models.written_once import AskedOnce
from annotate.protocol.dimensions import Dimension, Sight, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import Step, order_steps
from annotate.services.units import drafted

_RESPONSE = {"response": IntegerField()}
_SOURCES = AskedOnce(
    lambda response: Source.objects.filter(response=response).order_by("n"), **_RESPONSE
)
sources_of = AskedOnce(
    lambda response: (
        Source.objects.filter(response=response).select_related("passage").order_by("n")
    ),
    **_RESPONSE,
)
"""A response's sources, with their passages."""

every_unit = AskedOnce(
    lambda response: Unit.objects.filter(response=response).order_by("pk"), **_RESPONSE
)
"""A response's units, also those that are retired."""

_UNITS = AskedOnce(
    lambda response, unit: Unit.objects.filter(
        Q(retired_at__isnull=True) | Q(pk=unit), response=response
    ).order_by("pk"),
    unit=IntegerField(),
    **_RESPONSE,
)
_WHOLE = AskedOnce(
    lambda response: Unit.objects.filter(
        Q(key="r") | Q(source__isnull=False), response=response
    ).order_by("pk"),
    **_RESPONSE,
)
"""What a question about the whole response is about, and what it cites."""

_PART = AskedOnce(
    lambda response, root, below: Unit.objects.filter(
        Q(key__in=["r", root]) | Q(key__startswith=below), response=response
    ).order_by("pk"),
    root=CharField(),
    below=CharField(),
    **_RESPONSE,
)
"""A statement with all its parts, and the response that it stands in."""


def _with_parents(units: list[Unit]) -> list[Unit]:
    """Units that know those of them above them."""
    by_key = {unit.pk: unit for unit in units}
    for unit in units:
        if unit.parent_id in by_key:
            unit.parent = by_key[unit.parent_id]
    return units


def steps_of(batch: Batch, item: BatchItem) -> list[Step]:
    """Every question of a task, also those that the answers given may make unnecessary."""
    study = batch.study
    every = steps_about(item.response_id, study, batch.dimension_list, study.protocol, item.unit_id)
    if batch.granularity == Batch.Granularity.RESPONSE:
        return every
    return [step for step in every if step.unit.pk == item.unit_id]


def steps_about(
    response_id: int,
    study: Study,
    dimensions: Sequence[Dimension],
    protocol: Protocol,
    unit_id: int | None = None,
) -> list[Step]:
    """Every question of a form about a response, in a task or, without a `unit_id`, as it would be
    asked. A task about one unit is shown also where that was retired in the meantime."""
    units = _UNITS(response=response_id, unit=unit_id)
    if unit_id is None:
        units += drafted(response_id, dimensions, units)
    sources = sources_of(response=response_id)
    steps = order_steps(units, sources, dimensions, cap=study.citation_cap, protocol=protocol)
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
    """One question of a task by its key; reads only the statement that it belongs to, or, of the
    whole response, what it cites."""
    root = key.partition(":")[0].partition(".")[0]
    if root == "r":
        units = _WHOLE(response=item.response_id)
    else:
        units = _PART(response=item.response_id, root=root, below=f"{root}.")
    every = in_order(batch, _with_parents(units), _SOURCES(response=item.response_id))
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
