"""Plan a batch before it is created: its tasks, and a preview of its size."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby, starmap
from operator import attrgetter, or_
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.content.units import WholeUnit, claims_of, stored_units, texts_of
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
from annotate.protocol.dimensions import OF_CLAIMS, OF_WHOLE, Dimension, UnitKind, is_written
from annotate.protocol.steps import people_write
from annotate.rating.batches import pairs
from annotate.rating.batches.selection import (
    SOME,
    Selection,
    TakenQuestions,
    overlapping_batches,
    quoted,
    take,
)
from annotate.web.errors import Refused

CITING = {UnitKind.CITATION, UnitKind.CLAIM_CITATION}

READ_AT_ONCE = 2_000
"""Responses whose units are counted at once."""


class PlannedTask(NamedTuple):
    """A future item: a whole response or one of its units."""

    response: int
    unit: int
    kind: str
    key: str
    steps: int
    known: bool
    is_gold: bool
    of: int | str = 0
    """What a missing unit is created from: the id of a pair's other response, or the text of a
    reference's claim."""


class NamedResponse(NamedTuple):
    """A response's names, which are the same in every database."""

    question: str
    system: str
    run: str


@dataclass(slots=True)
class BatchPlan:
    taken: TakenQuestions
    tasks: list[PlannedTask]
    named: dict[int, NamedResponse]
    responses: int = 0
    empty: int = 0
    """Responses without any step."""

    claims: list[WholeUnit] = field(default_factory=list)
    """The references' claims that are asked, each with its response."""

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
        raise Refused("Choose a source of gold answers first. Gold tasks are drawn from it.")
    known = _known_questions(study, knower, dimensions) if selection.gold_count else {}
    is_work = purpose == Batch.Purpose.WORK
    others = overlapping_batches(study, dimensions) if is_work else []
    in_pairs = are_pairs(dimensions)
    # Other batches hold single pairs or answers of a question, not the whole question.
    of_questions = [] if in_pairs or selection.answers else others
    taken = take(study, selection, known, of_questions, in_pairs=in_pairs)
    gold = set(taken.gold)
    named = _named(study, taken, only_positional=selection.is_positional(study))
    if selection.answers:
        items = BatchItem.objects.filter(batch__in=others, response__in=named)
        held = set(items.order_by().values_list("response", flat=True).distinct())
        named = {pk: one for pk, one in named.items() if pk not in held}
    plan = BatchPlan(taken, [], named)
    if in_pairs:
        _plan_pairs(plan, selection, dimensions, knower, others)
        return plan
    claims = _PlannedClaims(study, named, dimensions)
    if any(dimension.sees_reference for dimension in dimensions):
        plan.named = named = claims.one_of_each()
    for response, units, answered in _units(list(named), dimensions, knower):
        is_gold = named[response].question in gold
        units += claims.of(response, next(unit.pk for unit in units if unit.key == "r"))
        asked = asked_units(units, dimensions, cap=study.citation_cap)
        tasks = list(_tasks(response, units, asked, answered, granularity, is_gold=is_gold))
        if is_gold and selection.gold_count:
            # Drawn gold without a gold answer is neither gold nor work.
            tasks = [task for task in tasks if task.known]
        plan.responses += not is_gold
        plan.empty += not is_gold and not tasks
        plan.tasks += tasks
        if tasks:
            plan.claims += [(response, u.text) for u, _ in asked if u.text]
    return plan


class _PlannedClaims:
    """The claims of the references as units, including units that do not exist yet."""

    def __init__(
        self, study: Study, named: Mapping[int, NamedResponse], dimensions: Sequence[Dimension]
    ) -> None:
        self._named = named
        self._claims: dict[str, list[str]] = {}
        self._texts: set[str] = set()
        self._here: dict[WholeUnit, tuple[int, int]] = {}
        if any(d.unit_kind is UnitKind.REFERENCE_CLAIM or d.sees_reference for d in dimensions):
            wanted = {one.question for one in named.values()}
            rows = list(study.questions.values_list("external_id", "references"))
            self._claims = {key: claims_of(given) for key, given in rows if key in wanted}
            self._texts = {key for key, given in rows if texts_of(given)}
            self._here = stored_units(UnitKind.REFERENCE_CLAIM, named)

    def one_of_each(self) -> dict[int, NamedResponse]:
        """Return one response to each question whose reference has a text and claims.

        Such questions are asked once, for the system whose name comes first.
        """
        found: dict[str, int] = {}
        for pk, one in sorted(self._named.items(), key=lambda item: item[1][1:]):
            if one.question in self._texts and self._claims.get(one.question):
                found.setdefault(one.question, pk)
        return {pk: one for pk, one in self._named.items() if pk in found.values()}

    def of(self, response: int, whole: int) -> list["UnitRow"]:
        """Return a response's claims as units, named by their texts and not by their numbers."""
        texts = self._claims.get(self._named[response].question, [])
        return [
            UnitRow(
                response,
                self._here.get((response, text), (-number, 0))[0],
                UnitKind.REFERENCE_CLAIM,
                f"k:{text}",
                whole,
                number,
                None,
                text,
            )
            for number, text in enumerate(texts, 1)
        ]


def _plan_pairs(
    plan: BatchPlan,
    selection: Selection,
    dimensions: Sequence[Dimension],
    knower: Judge | None,
    others: Sequence[Batch],
) -> None:
    named, gold = plan.named, {*plan.taken.gold}
    there, held = pairs.pairs_by_question(named), pairs.held_pairs(others)
    elsewhere = {q: {held[p] for p in some if p in held} for q, some in there.items()}
    free = {q: [pair for pair in some if pair not in held] for q, some in there.items()}
    units = stored_units(UnitKind.PAIR, named) if knower is not None else {}
    known = _known_of(list(named), dimensions, knower)
    work = {question: some for question, some in free.items() if question not in gold}
    chosen = [
        *pairs.draw_pairs(work, named, selection),
        *((question, pair) for question in sorted(gold) for pair in free.get(question, [])),
    ]
    for question, pair in chosen:
        unit = units.get(pair, (0, 0))[0]
        is_known, is_gold = unit in known, question in gold
        if is_gold and selection.gold_count and not is_known:
            continue
        key = json.dumps(named[pair[1]][1:], ensure_ascii=False)
        task = PlannedTask(
            pair[0], unit, UnitKind.PAIR, key, len(dimensions), is_known, is_gold, pair[1]
        )
        plan.tasks.append(task)
    plan.responses = len({r for q, pair in chosen if q not in gold for r in pair})
    names = {name for some in elsewhere.values() for name in some}
    plan.taken = replace(
        plan.taken,
        elsewhere=tuple(sorted(question for question, some in elsewhere.items() if some)),
        others=tuple(sorted(names)),
        work=tuple(sorted({question for question, _ in chosen if question not in gold})),
    )


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


def _named(
    study: Study, taken: TakenQuestions, *, only_positional: bool
) -> dict[int, NamedResponse]:
    """Return the names of the batch's responses by id."""
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
        pk: NamedResponse(question, name, run)
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
    text: str = ""
    """The text of a reference's claim. If its unit does not exist yet, `pk` is negative."""


def _units(
    ids: Sequence[int], dimensions: Sequence[Dimension], knower: Judge | None
) -> Iterator[tuple[int, list[UnitRow], set[int]]]:
    """Yield each response with its units, and the units with gold answers."""
    rows = Unit.objects.exclude(kind__in=OF_WHOLE).order_by("response", "pk")
    if all(d.unit_kind == UnitKind.RESPONSE and not d.cited_only for d in dimensions):
        rows = rows.filter(kind=UnitKind.RESPONSE)
    for first in range(0, len(ids), READ_AT_ONCE):
        some = ids[first : first + READ_AT_ONCE]
        known = _known_answers(some, dimensions, knower)
        names = UnitRow._fields[:-1]
        found = starmap(UnitRow, rows.filter(response__in=some).values_list(*names))
        for response, units in groupby(found, key=attrgetter("response")):
            yield response, list(units), known


def asked_units(
    units: Sequence[UnitRow], dimensions: Sequence[Dimension], *, cap: int
) -> list[tuple[UnitRow, int]]:
    """Return the units of a response that have steps, with the number of steps.

    The rules are those of `steps.order_steps`, which this counts without creating steps.
    """
    cites = any(unit.source is not None for unit in units)
    per_kind = Counter(str(d.unit_kind) for d in dimensions if cites or not d.cited_only)
    of_every = Counter(str(d.unit_kind) for d in dimensions if d.every)
    writes = people_write(dimensions)
    units = [u for u in units if u.kind not in OF_CLAIMS or is_written(u.key) == writes]
    counting = {
        unit.pk
        for unit in units
        if unit.kind in CITING and unit.source is not None and unit.ordinal <= cap
    }
    citing = {unit.parent for unit in units if unit.pk in counting}
    found = []
    for unit in units:
        is_put = unit.kind in {UnitKind.RESPONSE, UnitKind.REFERENCE_CLAIM} or unit.pk in (
            counting if unit.kind in CITING else citing
        )
        found.append((unit, (per_kind if is_put else of_every)[unit.kind]))
    return [(unit, count) for unit, count in found if count]


def _known_of(
    ids: Sequence[int], dimensions: Sequence[Dimension], knower: Judge | None
) -> set[int]:
    found: set[int] = set()
    for first in range(0, len(ids), READ_AT_ONCE):
        found |= _known_answers(ids[first : first + READ_AT_ONCE], dimensions, knower)
    return found


def _known_answers(
    ids: Sequence[int], dimensions: Sequence[Dimension], knower: Judge | None
) -> set[int]:
    """Return the units with a gold answer to an asked dimension."""
    if knower is None:
        return set()
    rows = Judgment.objects.current().filter(judge=knower, unit__response__in=ids)
    return set(rows.filter(given_by_people(dimensions)).values_list("unit", flat=True))


def given_by_people(dimensions: Sequence[Dimension]) -> Q:
    """Match judgments with a value that people may give."""
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
    """Yield the tasks of a response; none without steps.

    One gold answer makes a task known. Matters of taste (utility) need no gold answer and are not
    scored.
    """
    if granularity == Batch.Granularity.UNIT:
        for unit, steps in asked:
            yield PlannedTask(
                response,
                max(unit.pk, 0),
                unit.kind,
                unit.key,
                steps,
                unit.pk in known,
                is_gold,
                unit.text or 0,
            )
    elif asked:
        whole = next(unit for unit in units if unit.kind == UnitKind.RESPONSE)
        steps = sum(steps for _, steps in asked)
        is_known = any(unit.pk in known for unit, _ in asked)
        yield PlannedTask(response, whole.pk, whole.kind, whole.key, steps, is_known, is_gold)


@dataclass(frozen=True, slots=True)
class BatchPreview:
    """What a batch would contain."""

    systems: tuple[str, ...]
    questions: int
    eligible: int
    unpaired: int
    unpaired_examples: tuple[tuple[str, tuple[str, ...]], ...]
    responses: int
    empty: int
    tasks: int
    answers: int
    """Answers of one rater who does every task."""

    ratings: int
    gold_questions: int
    gold_tasks: int
    unknown: int
    """Gold and practice tasks without a gold answer."""

    in_examples: int
    in_practice: int
    per_kind: tuple[tuple[str, int], ...]
    elsewhere: int
    """Questions left out because other batches ask the same about them."""

    others: tuple[str, ...]
    in_pairs: bool = False
    """Only the pairs in other batches are left out, not the whole questions."""


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
    """Count what the batch would contain, without creating it."""
    asked = chosen_dimensions(study, dimensions, granularity)
    granularity = task_granularity(asked, granularity)
    plan = plan_batch(study, selection, asked, granularity, gold, purpose)
    taken, is_practice = plan.taken, purpose == Batch.Purpose.PRACTICE
    work = [task for task in plan.tasks if not task.is_gold]
    others = {task.of for task in plan.tasks if isinstance(task.of, int) and task.of}
    responses = {task.response for task in plan.tasks} | others
    kinds = Counter(task.kind for task in work)
    examples = Example.objects.filter(study=study).values_list("unit__response", flat=True)
    practice = BatchItem.objects.filter(
        batch__study=study, batch__purpose=Batch.Purpose.PRACTICE
    ).values_list("response", flat=True)
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
        in_examples=len(responses.intersection(examples)),
        in_practice=len(responses.intersection(practice)),
        per_kind=tuple((k.replace("_", " "), kinds[k]) for k in UnitKind if kinds[k]),
        elsewhere=len(taken.elsewhere),
        others=taken.others if taken.elsewhere else (),
        in_pairs=are_pairs(asked),
    )


def are_pairs(dimensions: Sequence[Dimension]) -> bool:
    """Whether the dimensions are about pairs of responses."""
    return any(dimension.unit_kind is UnitKind.PAIR for dimension in dimensions)


def task_granularity(dimensions: Sequence[Dimension], granularity: str) -> str:
    """Return the granularity of tasks. Pairs are always judged one by one."""
    return Batch.Granularity.UNIT.value if are_pairs(dimensions) else granularity


def default_dimensions(study: Study) -> list[str]:
    """Return all dimensions of a study that need no batch of their own.

    If there are none, return those of the first such kind.
    """
    sorts = defaultdict[str, list[str]](list)
    for dimension in study.dimension_list:
        sorts[dimension.apart].append(dimension.key)
    return sorts[""] or next(iter(filter(None, sorts.values())), [])


def chosen_dimensions(
    study: Study, keys: Sequence[str] | None, granularity: str
) -> list[Dimension]:
    """Return the batch's dimensions in protocol order; by default all."""
    keys = default_dimensions(study) if keys is None else keys
    foreign = [key for key in keys if key not in study.dimensions]
    if foreign:
        raise Refused(f"This study does not ask {quoted(foreign)}. Change its settings first.")
    chosen = [d for d in study.dimension_list if d.key in keys]
    if not chosen:
        raise Refused("Choose at least one dimension to ask.")
    of = next((d.apart for d in chosen if d.apart), "")
    apart = [d.title for d in chosen if d.apart == of]
    if len(apart) < len(chosen):
        raise Refused(
            f"{quoted(apart)}: what is asked about {of} has a batch of its own. "
            "Choose either these dimensions or the others."
        )
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
