"""A batch before it is made: its tasks, and a look at what it would hold."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.models import (
    Batch,
    BatchItem,
    Example,
    Judge,
    Judgment,
    Response,
    Study,
    Unit,
)
from annotate.protocol.dimensions import OF_CLAIMS, Dimension, UnitKind, is_written
from annotate.protocol.steps import are_written
from annotate.services.batches.selection import (
    SOME,
    Selection,
    Taken,
    asking_the_same,
    quoted,
    take,
)
from annotate.services.errors import Refused

CITING = {UnitKind.CITATION, UnitKind.CLAIM_CITATION}

READ_AT_ONCE = 2_000
"""Responses whose units are counted at once."""


class PlannedTask(NamedTuple):
    """An item to be: a response as a whole, or one unit of it."""

    response: int
    unit: int
    kind: str
    key: str
    steps: int
    known: bool
    is_gold: bool


class Named(NamedTuple):
    """What a response is called, whatever its key."""

    question: str
    system: str
    run: str


@dataclass(slots=True)
class BatchPlan:
    """A batch before it is written."""

    taken: Taken
    tasks: list[PlannedTask]
    named: dict[int, Named]
    responses: int = 0
    empty: int = 0
    """Responses about which nothing is asked."""

    def count(self, *, gold: bool) -> int:
        return sum(task.is_gold == gold for task in self.tasks)


def plan_batch(
    study: Study,
    selection: Selection,
    dimensions: Sequence[Dimension],
    granularity: str,
    knower: Judge | None,
    purpose: str,
) -> BatchPlan:
    if selection.gold_count and knower is None:
        raise Refused("Choose whose answers count as known; then gold can be drawn from them.")
    known = _known_questions(study, knower, dimensions) if selection.gold_count else {}
    is_work = purpose == Batch.Purpose.WORK
    others = asking_the_same(study, dimensions) if is_work else []
    taken = take(study, selection, known, others)
    gold = set(taken.gold)
    named = _named(study, taken, only_positional=selection.is_positional(study))
    plan = BatchPlan(taken, [], named)
    for response, units, answered in _units(list(named), dimensions, knower):
        is_gold = named[response].question in gold
        asked = asked_units(units, dimensions, cap=study.citation_cap)
        tasks = list(_tasks(response, units, asked, answered, granularity, is_gold=is_gold))
        if is_gold and selection.gold_count:
            # Drawn for its known answers: what has none is not gold, nor work either.
            tasks = [task for task in tasks if task.known]
        plan.responses += not is_gold
        plan.empty += not is_gold and not tasks
        plan.tasks += tasks
    return plan


def _known_questions(
    study: Study, knower: Judge | None, dimensions: Sequence[Dimension]
) -> dict[str, int]:
    if knower is None:
        return {}
    rows = (
        Judgment.objects.current()
        .filter(given_by_people(dimensions), judge=knower, unit__response__study=study)
        .order_by()
        .values("unit__response__question__external_id")
        .annotate(n=Count("unit__response", distinct=True))
    )
    return {row["unit__response__question__external_id"]: row["n"] for row in rows}


def _named(study: Study, taken: Taken, *, only_positional: bool) -> dict[int, Named]:
    """The responses of a batch, by their keys."""
    wanted = {*taken.work, *taken.gold}
    rows = (
        Response.objects.current()
        .filter(study=study, system__in=taken.systems)
        .filter(Q(positional=True) if only_positional else Q())
        .order_by("pk")
        .values_list("pk", "question__external_id", "system_id", "system__name", "run")
    )
    gold, drawn = set(taken.gold), taken.answers
    return {
        pk: Named(question, name, run)
        for pk, question, system, name, run in rows
        if question in wanted and (drawn is None or question in gold or (question, system) in drawn)
    }


class UnitRow(NamedTuple):
    """A unit without its texts."""

    response: int
    pk: int
    kind: str
    key: str
    parent: int | None
    ordinal: int
    source: int | None


def _units(
    ids: Sequence[int], dimensions: Sequence[Dimension], knower: Judge | None
) -> Iterator[tuple[int, list[UnitRow], set[int]]]:
    """The units of some responses that questions can be about, and those of known answers."""
    rows = Unit.objects.order_by("response", "pk")
    if all(d.unit_kind == UnitKind.RESPONSE and not d.cited_only for d in dimensions):
        rows = rows.filter(kind=UnitKind.RESPONSE)
    for first in range(0, len(ids), READ_AT_ONCE):
        some = ids[first : first + READ_AT_ONCE]
        known = _known_answers(some, dimensions, knower)
        found = map(UnitRow._make, rows.filter(response__in=some).values_list(*UnitRow._fields))
        for response, units in groupby(found, key=attrgetter("response")):
            yield response, list(units), known


def asked_units(
    units: Sequence[UnitRow], dimensions: Sequence[Dimension], *, cap: int
) -> list[tuple[UnitRow, int]]:
    """The units of one response about which something is asked, and how many questions.

    The rules are those of `steps.order_steps`, whose questions this counts without making them.
    """
    cites = any(unit.source is not None for unit in units)
    per_kind = Counter(str(d.unit_kind) for d in dimensions if cites or not d.cited_only)
    writes = are_written(dimensions)
    units = [u for u in units if u.kind not in OF_CLAIMS or is_written(u.key) == writes]
    counting = {
        unit.pk
        for unit in units
        if unit.kind in CITING and unit.source is not None and unit.ordinal <= cap
    }
    citing = {unit.parent for unit in units if unit.pk in counting}
    return [
        (unit, per_kind[unit.kind])
        for unit in units
        if per_kind[unit.kind]
        and (
            unit.kind == UnitKind.RESPONSE
            or unit.pk in (counting if unit.kind in CITING else citing)
        )
    ]


def _known_answers(
    ids: Sequence[int], dimensions: Sequence[Dimension], knower: Judge | None
) -> set[int]:
    """The units about which something that is asked is known."""
    if knower is None:
        return set()
    rows = Judgment.objects.current().filter(judge=knower, unit__response__in=ids)
    return set(rows.filter(given_by_people(dimensions)).values_list("unit", flat=True))


def given_by_people(dimensions: Sequence[Dimension]) -> Q:
    """Judgments with a value that people may give."""
    some = [
        Q(dimension=d.key, value__in=[c.value for c in d.choices])
        if d.is_choice
        else Q(dimension=d.key, value__gt="")
        for d in dimensions
    ]
    return reduce(or_, some)


def _tasks(
    response: int,
    units: Sequence[UnitRow],
    asked: Sequence[tuple[UnitRow, int]],
    known: set[int],
    granularity: str,
    *,
    is_gold: bool,
) -> Iterator[PlannedTask]:
    """A response of which nothing is asked gives no task. One known answer makes a task a known
    one: what is a matter of taste (utility) need not be known, and is not scored then."""
    if granularity == Batch.Granularity.UNIT:
        for unit, steps in asked:
            yield PlannedTask(
                response, unit.pk, unit.kind, unit.key, steps, unit.pk in known, is_gold
            )
    elif asked:
        whole = next(unit for unit in units if unit.kind == UnitKind.RESPONSE)
        steps = sum(steps for _, steps in asked)
        is_known = any(unit.pk in known for unit, _ in asked)
        yield PlannedTask(response, whole.pk, whole.kind, whole.key, steps, is_known, is_gold)


@dataclass(frozen=True, slots=True)
class BatchPreview:
    """What a batch would hold."""

    systems: tuple[str, ...]
    questions: int
    eligible: int
    unpaired: int
    unpaired_examples: tuple[tuple[str, tuple[str, ...]], ...]
    responses: int
    empty: int
    tasks: int
    answers: int
    """Questions put to one rater who does every task."""

    ratings: int
    gold_questions: int
    gold_tasks: int
    unknown: int
    """Tasks that need a known answer (gold, practice) and have none yet."""

    in_examples: int
    in_practice: int
    per_kind: tuple[tuple[str, int], ...]
    elsewhere: int
    """Questions left out because other batches ask the same about them."""

    others: tuple[str, ...]


def preview(
    study: Study,
    selection: Selection,
    *,
    dimensions: Sequence[str] | None = None,
    granularity: str = Batch.Granularity.RESPONSE,
    raters_per_item: int = 1,
    gold: Judge | None = None,
    purpose: str = Batch.Purpose.WORK,
) -> BatchPreview:
    """Count what the batch would hold, without making it."""
    asked = chosen_dimensions(study, dimensions, granularity)
    plan = plan_batch(study, selection, asked, granularity, gold, purpose)
    taken, is_practice = plan.taken, purpose == Batch.Purpose.PRACTICE
    work = [task for task in plan.tasks if not task.is_gold]
    responses = {task.response for task in plan.tasks}
    kinds = Counter(task.kind for task in work)
    return BatchPreview(
        systems=tuple(system.name for system in taken.systems),
        questions=len(taken.work),
        eligible=taken.eligible,
        unpaired=len(taken.unpaired),
        unpaired_examples=taken.unpaired[:SOME],
        responses=plan.responses,
        empty=plan.empty,
        tasks=len(work),
        answers=sum(task.steps for task in work),
        ratings=0 if is_practice else len(work) * raters_per_item,
        gold_questions=len(taken.gold),
        gold_tasks=plan.count(gold=True),
        unknown=sum(not task.known for task in plan.tasks if task.is_gold or is_practice),
        in_examples=_also_in(
            responses, Example.objects.filter(study=study).values_list("unit__response", flat=True)
        ),
        in_practice=_also_in(
            responses,
            BatchItem.objects.filter(
                batch__study=study, batch__purpose=Batch.Purpose.PRACTICE
            ).values_list("response", flat=True),
        ),
        per_kind=tuple((k.replace("_", " "), kinds[k]) for k in UnitKind if kinds[k]),
        elsewhere=len(taken.elsewhere),
        others=taken.others if taken.elsewhere else (),
    )


def _also_in(responses: set[int], others: Iterable[int]) -> int:
    return len(responses.intersection(others))


def chosen_dimensions(
    study: Study, keys: Sequence[str] | None, granularity: str
) -> list[Dimension]:
    """The questions that a batch asks, in the order of the protocol; all of them by default."""
    keys = study.dimensions if keys is None else keys
    foreign = [key for key in keys if key not in study.dimensions]
    if foreign:
        raise Refused(f"This study does not ask {quoted(foreign)}. Change its settings first.")
    chosen = [d for d in study.dimension_list if d.key in keys]
    if not chosen:
        raise Refused("Choose at least one question to ask.")
    for dimension in chosen:
        for condition in dimension.shown_when:
            if condition.dimension not in keys:
                first = study.protocol[condition.dimension].title
                raise Refused(f"“{dimension.title}” is only asked after “{first}”: choose both.")
            if condition.of != "unit" and granularity == Batch.Granularity.UNIT:
                before = study.protocol[condition.dimension]
                about = before.unit_kind.replace("_", " ")
                raise Refused(
                    f"“{dimension.title}” is only asked after “{before.title}”, which is about the "
                    f"{about}, so one task must be a whole response."
                )
    return chosen
