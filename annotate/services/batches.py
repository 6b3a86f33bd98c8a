"""Batches: what is to be rated, drawn so that comparisons are paired; opening and closing.

Every choice by chance is drawn from a seed and from names (question id, system, run, unit key),
never from keys of the database: the same study elsewhere gets the same batch in the same order.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from typing import Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.utils import timezone

from annotate.dimensions import DIMENSIONS, Dimension, UnitKind
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Example,
    Judge,
    Judgment,
    Response,
    Source,
    Study,
    System,
    Unit,
    User,
)
from annotate.services import gold as known_answers
from annotate.services.assignments import PRIME, items_to_rate
from annotate.services.bulk import insert
from annotate.services.errors import Refused
from annotate.services.removal import remove_rows
from annotate.steps import missing, order_steps

CITING = {UnitKind.CITATION, UnitKind.CLAIM_CITATION}

RATING = (Judge.Kind.HUMAN,)
"""The kinds of judge who rate here, as people."""

READ_AT_ONCE = 2_000
"""Responses whose units are counted at once."""

CHUNK = 500
"""Responses whose units are read at once."""

SOME = 5
"""How many examples a message names."""

MOST = {"raters": 1_000, "minutes": 10_080}
"""Raters per task; minutes that a task is kept for its rater (a week)."""

KNOWING = (Judge.Kind.REFERENCE, Judge.Kind.ADJUDICATED)
"""The kinds of judge whose answers may count as known."""


# What is chosen ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Selection:
    """Which systems' answers to which questions. All systems get the same questions.

    `questions` is all, sample (`sample_size` of them, drawn from `seed`) or list (`listed`).
    `left_out` and the questions of the batches `apart_from` are never taken. Gold questions are
    taken out first, as `gold_listed` or `gold_count` of them drawn among those with known answers.
    """

    systems: tuple[int, ...] = ()
    questions: str = "all"
    sample_size: int = 0
    seed: int = 0
    listed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    apart_from: tuple[int, ...] = ()
    gold_listed: tuple[str, ...] = ()
    gold_count: int = 0


def systems_named(study: Study, names: Sequence[str]) -> tuple[int, ...]:
    """The keys of systems, by their names."""
    known = dict(System.objects.loaded().filter(study=study).values_list("name", "pk"))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Refused(
            f"There is no system {_quoted(unknown)} in this study. "
            f"Known: {_quoted(sorted(known)) or 'none yet'}."
        )
    return tuple(known[name] for name in names)


def knowing_judges(study: Study) -> "list[Judge]":
    """The judges whose answers may count as known."""
    return list(study.judges.filter(kind__in=KNOWING))


def knowing_judge_named(study: Study, name: str) -> Judge:
    """The judge of known answers with this name."""
    known = {judge.name: judge for judge in knowing_judges(study)}
    if name not in known:
        raise Refused(
            f"There are no known answers by “{name}” in this study. "
            f"Known: {_quoted(sorted(known)) or 'none yet'}."
        )
    return known[name]


def practice_of(study: Study, batch_id: int) -> Batch:
    found = study.batches.practice().filter(pk=batch_id).first()
    if found is None:
        raise Refused("The practice that is asked for is not one of this study.")
    return found


@dataclass(frozen=True, slots=True)
class Taken:
    """The questions of a batch by their ids, and why others are not in it."""

    systems: tuple[System, ...]
    work: tuple[str, ...]
    gold: tuple[str, ...]
    eligible: int
    unpaired: tuple[tuple[str, tuple[str, ...]], ...]
    """Questions that some of the systems did not answer, with the names of these systems."""

    elsewhere: tuple[str, ...]
    """Questions left out because other batches ask the same about them."""

    others: tuple[str, ...]
    """The names of these batches."""


def _take(
    study: Study, selection: Selection, known: Mapping[str, int], others: Sequence[Batch]
) -> Taken:
    """Choose the questions; `known` counts the responses with known answers, by question.

    What `others` hold is never taken; whoever lists it is told.
    """
    systems = _systems(study, selection)
    answered = _answered(study, systems)
    _refuse_unknown(study, (*selection.listed, *selection.left_out, *selection.gold_listed))
    away = {*selection.left_out, *_questions_of(study, selection.apart_from)}
    names = {system.pk: system.name for system in systems}
    elsewhere = _elsewhere(study, systems, others)
    listed_here = selection.listed if selection.questions == "list" else ()
    _refuse_held_elsewhere(
        [key for key in (*listed_here, *selection.gold_listed) if key not in away], elsewhere
    )
    held = sorted(key for key in elsewhere if key in answered and key not in away)
    asked = [key for key in answered if key not in away and key not in elsewhere]
    if selection.questions == "list":
        wanted = {*selection.listed, *selection.gold_listed}
        asked = [key for key in asked if key in wanted or selection.gold_count]
    unpaired = {
        key: tuple(names[pk] for pk in names if pk not in answered[key])
        for key in asked
        if len(answered[key]) < len(names)
    }
    eligible = [key for key in asked if key not in unpaired]
    gold = _gold_questions(selection, eligible, known)
    rest = [key for key in eligible if key not in gold]
    if selection.questions == "list":
        listed = set(selection.listed)
        unpaired = {key: lack for key, lack in unpaired.items() if key in listed}
        rest = [key for key in rest if key in listed]
    there = len(rest)
    if selection.questions == "sample":
        rest = _draw_some(rest, selection.sample_size, selection.seed, "question")
    return Taken(
        systems=systems,
        work=tuple(sorted(rest)),
        gold=tuple(sorted(gold)),
        eligible=there,
        unpaired=tuple(sorted(unpaired.items())),
        elsewhere=() if selection.questions == "list" else tuple(held),
        others=tuple(sorted({name for key in held for name in elsewhere[key]})),
    )


def _draw_some(keys: Sequence[str], wanted: int, *parts: object) -> list[str]:
    if wanted < 1:
        raise Refused("Say how many questions are to be drawn: at least one.")
    if wanted > len(keys):
        raise Refused(
            f"{wanted} question{'s' if wanted > 1 else ''} cannot be drawn: "
            f"every chosen system answered {len(keys)} that may be taken."
        )
    return sorted(keys, key=lambda key: (draw(*parts, key), key))[:wanted]


def _gold_questions(
    selection: Selection, eligible: Sequence[str], known: Mapping[str, int]
) -> set[str]:
    if selection.gold_listed:
        lacking = [key for key in selection.gold_listed if key not in set(eligible)]
        if lacking:
            raise Refused(
                f"{_quoted(lacking)} cannot be gold: left out, or not answered by every "
                "chosen system."
            )
        return set(selection.gold_listed)
    if not selection.gold_count:
        return set()
    listed = set(selection.listed) if selection.questions == "list" else set()
    candidates = [key for key in eligible if known.get(key) and key not in listed]
    if selection.gold_count > len(candidates):
        raise Refused(
            f"{selection.gold_count} gold questions cannot be drawn: {len(candidates)} "
            "of the questions that may be taken have known answers."
        )
    ranked = sorted(candidates, key=lambda key: (draw(selection.seed, "gold", key), key))
    return set(ranked[: selection.gold_count])


def _systems(study: Study, selection: Selection) -> tuple[System, ...]:
    """The chosen systems that have answers; all of them where none is chosen."""
    rows = System.objects.loaded().filter(study=study)
    current = Response.objects.current().filter(study=study)
    having = set(current.order_by().values_list("system", flat=True).distinct())
    if selection.systems:
        rows = rows.filter(pk__in=selection.systems)
        if len(set(selection.systems)) != rows.count():
            raise Refused("One of the chosen systems is not in this study any more.")
        empty = [system.name for system in rows if system.pk not in having]
        if empty:
            raise Refused(f"{_quoted(empty)}: no responses. Choose other systems.")
    found = tuple(system for system in rows.order_by("name") if system.pk in having)
    if not found:
        raise Refused("No responses are loaded yet. Upload outputs first.")
    return found


def _answered(study: Study, systems: Sequence[System]) -> dict[str, set[int]]:
    """Which of the systems answered each question, by the question's id."""
    rows = (
        Response.objects.current()
        .filter(study=study, system__in=systems)
        .order_by()
        .values_list("question__external_id", "system")
        .distinct()
    )
    answered: dict[str, set[int]] = defaultdict(set)
    for key, system in rows:
        answered[key].add(system)
    return answered


def _refuse_unknown(study: Study, keys: Sequence[str]) -> None:
    if not keys:
        return
    current = Response.objects.current().filter(study=study).order_by()
    known = set(current.values_list("question__external_id", flat=True).distinct())
    unknown = [key for key in dict.fromkeys(keys) if key not in known]
    if unknown:
        raise Refused(f"There is no question {_quoted(unknown)} in this study.")


def _questions_of(study: Study, batches: Sequence[int]) -> set[str]:
    rows = BatchItem.objects.filter(batch__study=study, batch__in=batches).order_by()
    return set(rows.values_list("response__question__external_id", flat=True).distinct())


def _quoted(names: Sequence[str]) -> str:
    some = ", ".join(f"“{name}”" for name in names[:SOME])
    return f"{some} and {len(names) - SOME} more" if len(names) > SOME else some


def draw(*parts: object) -> int:
    """A number below the prime less one, the same for the same parts everywhere."""
    text = json.dumps(parts, ensure_ascii=False)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) % (PRIME - 1)


# Tasks -------------------------------------------------------------------------------------------


class Task(NamedTuple):
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
class Plan:
    """A batch before it is written."""

    taken: Taken
    tasks: list[Task]
    named: dict[int, Named]
    responses: int = 0
    empty: int = 0
    """Responses about which nothing is asked."""

    def count(self, *, gold: bool) -> int:
        return sum(task.is_gold == gold for task in self.tasks)


def _plan(
    study: Study,
    selection: Selection,
    dimensions: Sequence[Dimension],
    granularity: str,
    knower: Judge | None,
    purpose: str,
) -> Plan:
    if selection.gold_count and knower is None:
        raise Refused("Choose whose answers count as known; then gold can be drawn from them.")
    known = _known_questions(study, knower, dimensions) if selection.gold_count else {}
    is_work = purpose == Batch.Purpose.WORK
    others = asking_the_same(study, [d.key for d in dimensions]) if is_work else []
    taken = _take(study, selection, known, others)
    gold = set(taken.gold)
    named = _named(study, taken)
    plan = Plan(taken, [], named)
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


def _named(study: Study, taken: Taken) -> dict[int, Named]:
    """The responses of a batch, by their keys."""
    wanted = {*taken.work, *taken.gold}
    rows = (
        Response.objects.current()
        .filter(study=study, system__in=taken.systems)
        .order_by("pk")
        .values_list("pk", "question__external_id", "system__name", "run")
    )
    return {
        pk: Named(question, system, run) for pk, question, system, run in rows if question in wanted
    }


class Row(NamedTuple):
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
) -> Iterator[tuple[int, list[Row], set[int]]]:
    """The units of some responses that questions can be about, and those of known answers."""
    rows = Unit.objects.order_by("response", "pk")
    if all(dimension.unit_kind == UnitKind.RESPONSE for dimension in dimensions):
        rows = rows.filter(kind=UnitKind.RESPONSE)
    for first in range(0, len(ids), READ_AT_ONCE):
        some = ids[first : first + READ_AT_ONCE]
        known = _known_answers(some, dimensions, knower)
        found = map(Row._make, rows.filter(response__in=some).values_list(*Row._fields))
        for response, units in groupby(found, key=attrgetter("response")):
            yield response, list(units), known


def asked_units(
    units: Sequence[Row], dimensions: Sequence[Dimension], *, cap: int
) -> list[tuple[Row, int]]:
    """The units of one response about which something is asked, and how many questions.

    The rules are those of `steps.order_steps`, whose questions this counts without making them.
    """
    per_kind = Counter(str(dimension.unit_kind) for dimension in dimensions)
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


def _parts(
    ids: Sequence[int], dimensions: Sequence[Dimension]
) -> tuple[dict[int, list[Unit]], dict[int, list[Source]]]:
    """The units and sources of some responses that questions can be about, without their texts."""
    kinds = {UnitKind.RESPONSE}
    if any(dimension.unit_kind != UnitKind.RESPONSE for dimension in dimensions):
        kinds = set(UnitKind)
    units: dict[int, list[Unit]] = defaultdict(list)
    names = ("pk", "response", "kind", "key", "parent", "ordinal", "source")
    found = Unit.objects.filter(response__in=ids, kind__in=kinds)
    for unit in found.only(*names).order_by("pk"):
        units[unit.response_id].append(unit)
    sources: dict[int, list[Source]] = defaultdict(list)
    rows = Source.objects.filter(response__in=ids).only("pk", "response", "n").order_by("n")
    for source in rows:
        sources[source.response_id].append(source)
    return units, sources


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
    some = [Q(dimension=d.key, value__in=[c.value for c in d.choices]) for d in dimensions]
    return reduce(or_, some)


def _tasks(
    response: int,
    units: Sequence[Row],
    asked: Sequence[tuple[Row, int]],
    known: set[int],
    granularity: str,
    *,
    is_gold: bool,
) -> Iterator[Task]:
    """A response of which nothing is asked gives no task. One known answer makes a task a known
    one: what is a matter of taste (utility) need not be known, and is not scored then."""
    if granularity == Batch.Granularity.UNIT:
        for unit, steps in asked:
            yield Task(response, unit.pk, unit.kind, unit.key, steps, unit.pk in known, is_gold)
    elif asked:
        whole = next(unit for unit in units if unit.kind == UnitKind.RESPONSE)
        steps = sum(steps for _, steps in asked)
        is_known = any(unit.pk in known for unit, _ in asked)
        yield Task(response, whole.pk, whole.kind, whole.key, steps, is_known, is_gold)


# Batches that ask the same -----------------------------------------------------------------------


def asking_the_same(study: Study, dimensions: Iterable[str], *, but: int = 0) -> "list[Batch]":
    """The batches of work that ask one of these questions: what they hold is not taken again.

    A rater has one answer to a question, so in a second batch it would be filled in already, and
    changing it would change the first. A closed batch that no person rated in, of ratings that
    were made elsewhere, is in nobody's way.
    """
    asked = set(dimensions)
    by_people = Assignment.objects.filter(batch=OuterRef("pk"), judge__kind__in=RATING)
    found = (
        study.batches.work()
        .exclude(pk=but)
        .filter(~Q(state=Batch.State.CLOSED) | Exists(by_people))
        .order_by("name")
    )
    return [batch for batch in found if asked & set(batch.dimensions)]


def _elsewhere(
    study: Study, systems: Sequence[System], others: Sequence[Batch]
) -> dict[str, list[str]]:
    """The questions of which these batches hold an answer, with the batches' names."""
    names = {batch.pk: batch.name for batch in others}
    if not names:
        return {}
    rows = (
        BatchItem.objects.filter(batch__in=names, response__system__in=systems, response__live=True)
        .order_by("batch__name")
        .values_list("response__question__external_id", "batch")
        .distinct()
    )
    found: dict[str, list[str]] = defaultdict(list)
    for key, batch in rows:
        found[key].append(names[batch])
    return found


def _refuse_held_elsewhere(keys: Sequence[str], elsewhere: Mapping[str, Sequence[str]]) -> None:
    held = [key for key in dict.fromkeys(keys) if key in elsewhere]
    if held:
        names = sorted({name for key in held for name in elsewhere[key]})
        raise Refused(
            f"{_quoted(held)}: the same is asked about {'it' if len(held) == 1 else 'them'} in "
            f"{_quoted(names)} already. Leave {'it' if len(held) == 1 else 'them'} out, or ask "
            "other questions."
        )


def _refuse_to_open_again(batch: Batch) -> None:
    """While it was closed and nobody's, what it holds may have been given to another batch."""
    if batch.is_practice:
        return
    others = asking_the_same(batch.study, batch.dimensions, but=batch.pk)
    shared = BatchItem.objects.filter(
        batch__in=others, response__in=batch.items.order_by().values("response")
    )
    names = sorted(set(shared.order_by().values_list("batch__name", flat=True).distinct()))
    if names:
        raise Refused(
            f"{_quoted(names)} asks the same about some of these responses, so this batch stays "
            "closed. Make a new one of other responses."
        )


# A look before it is made ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preview:
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
) -> Preview:
    """Count what the batch would hold, without making it."""
    asked = chosen_dimensions(study, dimensions)
    plan = _plan(study, selection, asked, granularity, gold, purpose)
    taken, is_practice = plan.taken, purpose == Batch.Purpose.PRACTICE
    work = [task for task in plan.tasks if not task.is_gold]
    responses = {task.response for task in plan.tasks}
    kinds = Counter(task.kind for task in work)
    return Preview(
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


def chosen_dimensions(study: Study, keys: Sequence[str] | None) -> list[Dimension]:
    """The questions that a batch asks, in the order of the protocol; all of them by default."""
    if keys is None:
        return study.dimension_list
    foreign = [key for key in keys if key not in study.dimensions]
    if foreign:
        raise Refused(f"This study does not ask {_quoted(foreign)}. Change its settings first.")
    chosen = [d for d in study.dimension_list if d.key in keys]
    if not chosen:
        raise Refused("Choose at least one question to ask.")
    for dimension in chosen:
        if dimension.only_if and dimension.only_if[0] not in keys:
            first = DIMENSIONS[dimension.only_if[0]]
            raise Refused(f"“{dimension.title}” is only asked after “{first.title}”: choose both.")
    return chosen


# Making ------------------------------------------------------------------------------------------


def create_batch(
    study: Study,
    *,
    name: str,
    author: User | None = None,
    purpose: str = Batch.Purpose.WORK,
    selection: Selection | None = None,
    dimensions: Sequence[str] | None = None,
    raters_per_item: int | None = None,
    granularity: str = Batch.Granularity.RESPONSE,
    order: str = Batch.Order.SHUFFLE,
    seed: int = 0,
    lease_minutes: int | None = None,
    tasks_per_rater: int | None = None,
    audience: str = Batch.Audience.MEMBERS,
    consent: str = "",
    completion_code: str = "",
    completion_url: str = "",
    gold: Judge | None = None,
    gold_percent: int = 0,
    gold_mark: int = 0,
    gold_least: int = 5,
    qualification: Batch | None = None,
    pass_mark: int = 80,
    max_rounds: int | None = None,
) -> Batch:
    """A new batch, still a draft, with all its items. What is sampled is drawn from `seed`."""
    chosen = replace(selection or Selection(), seed=seed)
    asked = chosen_dimensions(study, dimensions)
    batch = Batch(
        study=study,
        name=name.strip(),
        purpose=purpose,
        created_by=author,
        dimensions=[dimension.key for dimension in asked],
        raters_per_item=study.raters_per_unit if raters_per_item is None else raters_per_item,
        granularity=granularity,
        order=order,
        seed=seed,
        lease_minutes=settings.ATTEST_LEASE_MINUTES if lease_minutes is None else lease_minutes,
        tasks_per_rater=tasks_per_rater,
        audience=audience,
        consent=consent,
        completion_code=completion_code,
        completion_url=completion_url,
        gold=gold,
        gold_percent=gold_percent,
        gold_mark=gold_mark,
        gold_least=gold_least,
        qualification=qualification,
        pass_mark=pass_mark,
        max_rounds=max_rounds,
    )
    _refuse_impossible(batch, chosen)
    with transaction.atomic():
        # Two that are made at once wait here, so that they do not take the same.
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        _refuse_taken_name(batch)
        plan = _plan(study, chosen, asked, granularity, gold, purpose)
        taken = plan.taken
        if not plan.count(gold=False):
            if taken.elsewhere and not taken.work:
                raise Refused(
                    f"All that could be taken is in {_quoted(taken.others)}, where the same is "
                    "asked. Ask other questions, or choose other systems."
                )
            if not taken.work and taken.unpaired:
                raise Refused(
                    "No question was answered by every chosen system: choose fewer systems."
                )
            raise Refused("Nothing would be in this batch: choose more questions, or other ones.")
        batch.selection = _told(study, chosen, taken.systems)
        _save_named(batch)
        rows = _items(batch, plan)
        for first in range(0, len(rows), 2_000):
            insert(rows[first : first + 2_000])
    return batch


def _told(study: Study, selection: Selection, systems: Sequence[System]) -> dict[str, Any]:
    """The selection as it is kept: by names, since keys say nothing later and elsewhere."""
    others = dict(study.batches.values_list("pk", "name"))
    return {
        **asdict(selection),
        "systems": [system.name for system in systems],
        "apart_from": [others[pk] for pk in selection.apart_from if pk in others],
    }


def _refuse_impossible(batch: Batch, selection: Selection) -> None:
    if not batch.name:
        raise Refused("Give the batch a name.")
    if batch.gold is not None and (
        batch.gold.kind not in KNOWING or batch.gold.study_id != batch.study_id
    ):
        raise Refused("Known answers are reference or adjudicated labels of this study.")
    has_gold = bool(selection.gold_listed or selection.gold_count)
    if batch.is_practice:
        if has_gold or batch.gold_percent:
            raise Refused("In practice every answer is known; gold is for rating.")
        if batch.qualification is not None:
            raise Refused("Practice cannot ask for other practice first.")
    _refuse_terms(batch, has_gold=has_gold)


def _refuse_terms(batch: Batch, *, has_gold: bool) -> None:
    """What can be changed later must fit together, then and now."""
    if (batch.gold_percent or batch.gold_mark) and not has_gold:
        raise Refused("Gold among the work needs gold questions: list them, or draw some.")
    if has_gold and not batch.gold_percent:
        raise Refused("Say how much of the work is gold: at least 1 percent.")
    practice = batch.qualification
    if practice is not None and (
        not practice.is_practice or practice.study_id != batch.study_id or practice == batch
    ):
        raise Refused("The practice that is asked for is not one of this study.")
    if batch.gold_percent > 50:
        raise Refused("At most 50 percent of the work can be gold.")
    if max(batch.gold_mark, batch.pass_mark) > 100:
        raise Refused("Marks are percentages: at most 100.")
    for name, value in (("raters", batch.raters_per_item), ("minutes", batch.lease_minutes)):
        if not 1 <= value <= MOST[name]:
            raise Refused(f"The number of {name} must be from 1 to {MOST[name]:,}, not {value}.")


def _save_named(batch: Batch) -> None:
    try:
        with transaction.atomic():
            batch.save()
    except IntegrityError:
        _refuse_taken_name(batch)
        raise


def _refuse_taken_name(batch: Batch) -> None:
    if batch.study.batches.filter(name=batch.name).exclude(pk=batch.pk).exists():
        raise Refused(f"A batch of this study is called “{batch.name}” already.")


def _items(batch: Batch, plan: Plan) -> list[BatchItem]:
    together: dict[str, int] = {}
    rows = []
    for task in plan.tasks:
        named = plan.named[task.response]
        question = named.question
        if question not in together:
            together[question] = draw(batch.seed, "together", question)
        rows.append(
            BatchItem(
                batch_id=batch.pk,
                response_id=task.response,
                unit_id=task.unit,
                is_gold=task.is_gold,
                shuffle=draw(batch.seed, "item", question, named.system, named.run, task.key),
                question_shuffle=together[question],
            )
        )
    return rows


# Changing, opening, closing ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terms:
    """What can change in a batch after it was made; the rest is fixed."""

    name: str
    raters_per_item: int
    lease_minutes: int
    tasks_per_rater: int | None
    audience: str
    consent: str
    completion_code: str
    completion_url: str
    gold_percent: int
    gold_mark: int
    gold_least: int
    qualification: Batch | None
    pass_mark: int
    max_rounds: int | None


def terms_of(batch: Batch) -> Terms:
    return Terms(**{name: getattr(batch, name) for name in Terms.__dataclass_fields__})


def change_batch(batch: Batch, terms: Terms) -> Batch:
    """Change the terms of a draft or an open batch."""
    with transaction.atomic():
        locked = _locked(batch)
        if locked.state == Batch.State.CLOSED:
            raise Refused("The batch is closed. Open it again to change it.")
        most = _most_ratings(locked)
        if terms.raters_per_item < most:
            raise Refused(
                f"Something in this batch has {most} finished rating{'s' if most > 1 else ''} "
                "already; fewer cannot be asked for."
            )
        for name in Terms.__dataclass_fields__:
            setattr(locked, name, getattr(terms, name))
        locked.name = locked.name.strip()
        if not locked.name:
            raise Refused("Give the batch a name.")
        if locked.is_practice and (locked.qualification or locked.gold_percent):
            raise Refused("Practice neither asks for other practice nor holds gold.")
        _refuse_terms(locked, has_gold=locked.items.filter(is_gold=True).exists())
        _save_named(locked)
    return locked


def _most_ratings(batch: Batch) -> int:
    rows = batch.assignments.filter(
        state=Assignment.State.DONE, item__is_gold=False, judge__kind__in=PEOPLE
    ).exclude(judge__standing=Judge.Standing.EXCLUDED)
    if batch.is_practice:
        return 0
    counts = rows.order_by().values("item").annotate(n=Count("pk"))
    return counts.aggregate(most=Max("n"))["most"] or 0


def _locked(batch: Batch) -> Batch:
    rows = Batch.objects.select_for_update(of=("self",)).select_related("study", "gold")
    return rows.get(pk=batch.pk)


def open_batch(batch: Batch) -> Batch:
    """Open a draft, or a closed batch again. It keeps the time when it was first opened."""
    with transaction.atomic():
        locked = _locked(batch)
        if locked.is_open:
            return locked
        if not items_to_rate(locked).exists():
            raise Refused("Nothing is in this batch that could be rated.")
        practice = locked.qualification
        if practice is not None and practice.state == Batch.State.DRAFT:
            raise Refused(f"Open the practice “{practice.name}” first: raters have to pass it.")
        _refuse_without_known_answers(locked)
        if locked.state == Batch.State.CLOSED:
            _refuse_to_open_again(locked)
        locked.state = Batch.State.OPEN
        locked.opened_at = locked.opened_at or timezone.now()
        locked.closed_at = None
        locked.save(update_fields=["state", "opened_at", "closed_at"])
    return locked


def _refuse_without_known_answers(batch: Batch) -> None:
    """Gold and practice can be scored only where at least one answer is known."""
    lacking = without_known_answers(batch)
    if not lacking:
        return
    names = [f"{i.response.question.external_id} ({i.response.system.name})" for i in lacking]
    raise Refused(f"No answer is known yet for {_quoted(names)}. Write the known answers first.")


def without_known_answers(batch: Batch) -> list[BatchItem]:
    """Items of practice, or gold, of which no answer is known."""
    items = known_answers.items_with_gold(batch)
    known = known_answers.known_steps(batch, items)
    return [item for item in items if not known[item.pk]]


def close_batch(batch: Batch) -> Batch:
    """Close an open batch: answers stay as they are, and nothing is handed out any more."""
    with transaction.atomic():
        locked = _locked(batch)
        if locked.state == Batch.State.DRAFT:
            raise Refused("The batch is a draft: it was never open.")
        if locked.is_open:
            locked.state, locked.closed_at = Batch.State.CLOSED, timezone.now()
            locked.save(update_fields=["state", "closed_at"])
    return locked


def refuse_to_delete(batch: Batch) -> None:
    """Only a batch in which nobody took part may go; judgments stay in any case."""
    raters = batch.assignments.exclude(judge__kind__in=KNOWING)
    if raters.exists() or batch.rounds.exists() or batch.enrolments.exists():
        raise Refused("Raters took part in this batch. Close it instead of deleting it.")
    asking = batch.opens.first()
    if asking is not None:
        raise Refused(f"“{asking.name}” asks for this practice. Change that first.")


def delete_batch(batch: Batch) -> None:
    with transaction.atomic():
        locked = Batch.objects.select_for_update().get(pk=batch.pk)
        refuse_to_delete(locked)
        remove_rows(locked.items.order_by())
        locked.delete()


# Ratings that were made elsewhere ----------------------------------------------------------------


def adopt_ratings(batch: Batch, judges: Sequence[Judge]) -> int:
    """Count what these raters judged already, in a file, as tasks that they did in this batch.

    A task counts where a judge answered all of it, the first to finish first, and never more than
    the batch wants. Returns how many were taken over.
    """
    study = batch.study
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
            steps = order_steps(
                units[response], sources[response], batch.dimension_list, cap=study.citation_cap
            )
            for item in items[response]:
                if batch.granularity == Batch.Granularity.UNIT:
                    asked = [step for step in steps if step.unit.pk == item.unit_id]
                else:
                    asked = steps
                for judge in judges:
                    answers = given[judge.pk]
                    found = [a for step in asked if (a := step.answer(answers)) is not None]
                    if found and not missing(asked, answers):
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


def _answers(
    responses: Sequence[int], judges: Sequence[Judge]
) -> dict[int, dict[tuple[int, str], Judgment]]:
    """What each judge said about the units of some responses."""
    given: dict[int, dict[tuple[int, str], Judgment]] = {judge.pk: {} for judge in judges}
    rows = Judgment.objects.filter(judge__in=judges, unit__response__in=responses)
    for row in rows:
        given[row.judge_id][row.unit_id, row.dimension] = row
    return given
