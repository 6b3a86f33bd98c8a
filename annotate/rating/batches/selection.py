"""Select the questions and systems of a batch, so that comparisons are paired.

Samples are drawn from a seed and from names (question id, system, run, unit key), never from
database ids. A copy of the study elsewhere gets the same batch in the same order.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.models import (
    Assignment,
    Batch,
    BatchItem,
    Judge,
    Question,
    Response,
    Study,
    System,
)
from annotate.protocol.dimensions import Dimension
from annotate.protocol.slices import SliceError
from annotate.protocol.steps import question_keys
from annotate.rating.assignments import PRIME
from annotate.web.errors import Refused

RATING = (Judge.Kind.HUMAN,)
"""Kinds of judges who rate here."""

SOME = 5
"""How many examples a message names."""

GOLD_KINDS = (Judge.Kind.REFERENCE, Judge.Kind.ADJUDICATED)
"""Kinds of judges whose answers may be gold."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which systems' answers to which questions.

    All systems get the same questions or, with `any_answer`, the questions they answered.
    `questions` is all, sample (`sample_size`, drawn from `seed`) or list (`listed`), within
    `slices`. With `any_answer`, a sample counts answers, balanced over systems. `left_out` and
    questions of the batches `apart_from` are never taken. Gold questions are taken first:
    `gold_listed`, or `gold_count` drawn from those with gold answers.
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
    slices: tuple[str, ...] = ()
    any_answer: bool = False
    answers: tuple[tuple[str, str], ...] = ()
    """Only these answers, by question id and system name; empty for all."""

    pairs: int = 0
    """Pairs drawn for each question, so that systems meet equally often; 0 for all."""

    positional: bool | None = None
    """Only responses with positional fine-grained citations. None: if raters write claims."""

    def is_positional(self, study: Study) -> bool:
        return study.writes_claims if self.positional is None else self.positional


def selection_of(batch: Batch) -> Selection:
    """Return a batch's stored selection with the study's current ids."""
    stored: dict[str, Any] = {
        field.name: tuple(kept) if isinstance(kept, list) else kept
        for field in fields(Selection)
        if (kept := batch.selection.get(field.name)) is not None
    }
    others = batch.study.batches.filter(name__in=stored.get("apart_from", ()))
    undrawn = [*others.filter(items=None).values_list("name", flat=True)]
    if undrawn:
        raise Refused(f"This batch is to be apart from {quoted(undrawn)}: draw its tasks first.")
    stored["positional"] = bool(stored.get("positional"))
    stored["answers"] = tuple((key, name) for key, name in stored.get("answers", ()))
    stored["systems"] = systems_named(batch.study, stored.get("systems", ()))
    stored["apart_from"] = tuple(others.values_list("pk", flat=True))
    return Selection(**stored)


def systems_named(study: Study, names: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of systems by name."""
    known = dict(System.objects.loaded().filter(study=study).values_list("name", "pk"))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Refused(
            f"There is no system {quoted(unknown)} in this study. "
            f"Known: {quoted(sorted(known)) or 'none yet'}."
        )
    return tuple(known[name] for name in names)


def gold_judges(study: Study) -> "list[Judge]":
    """Return the judges whose answers may be gold."""
    return list(study.judges.filter(kind__in=GOLD_KINDS))


def gold_judge_named(study: Study, name: str) -> Judge:
    """Return the gold judge with this name."""
    known = {judge.name: judge for judge in gold_judges(study)}
    if name not in known:
        raise Refused(
            f"There are no known answers by “{name}” in this study. "
            f"Known: {quoted(sorted(known)) or 'none yet'}."
        )
    return known[name]


def practice_of(study: Study, batch_id: int) -> Batch:
    found = study.batches.practice().filter(pk=batch_id).first()
    if found is None:
        raise Refused("The practice that is asked for is not one of this study.")
    return found


@dataclass(frozen=True, slots=True)
class TakenQuestions:
    """The question ids of a batch, and why others are not in it."""

    systems: tuple[System, ...]
    work: tuple[str, ...]
    gold: tuple[str, ...]
    eligible: int
    unpaired: tuple[tuple[str, tuple[str, ...]], ...]
    """Questions that some systems did not answer, with the names of these systems."""

    elsewhere: tuple[str, ...]
    """Questions left out because other batches ask the same about them."""

    others: tuple[str, ...]
    """The names of these batches."""

    answers: frozenset[tuple[str, int]] | None = None
    """The drawn answers, by question and system; None for all."""


def take(
    study: Study,
    selection: Selection,
    known: Mapping[str, int],
    others: Sequence[Batch],
    *,
    in_pairs: bool = False,
) -> TakenQuestions:
    """Choose the questions. `known` counts the responses with gold answers by question.

    Nothing is taken that `others` hold; listing it is an error. With `in_pairs`, only questions
    answered by two systems are taken, and a sample always counts questions.
    """
    systems = _systems(study, selection)
    questions = _in_slices(study, selection.slices)
    _refuse_unknown(study, (*selection.listed, *selection.left_out, *selection.gold_listed))
    answered = _wanted(study, systems, questions, selection)
    if in_pairs:
        answered = _by_two(answered, systems)
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
        if len(answered[key]) < len(names) and not selection.any_answer
    }
    eligible = [key for key in asked if key not in unpaired]
    gold = _gold_questions(selection, eligible, known)
    rest = [key for key in eligible if key not in gold]
    if selection.questions == "list":
        listed = set(selection.listed)
        unpaired = {key: lack for key, lack in unpaired.items() if key in listed}
        rest = [key for key in rest if key in listed]
    there = len(rest)
    answers = _single_answers({key: answered[key] for key in rest}, names, selection, in_pairs)
    if answers is not None:
        rest = sorted({key for key, _ in answers})
    elif selection.questions == "sample":
        rest = _draw_some(rest, selection.sample_size, selection.seed, "question")
    return TakenQuestions(
        systems=systems,
        work=tuple(sorted(rest)),
        gold=tuple(sorted(gold)),
        eligible=there,
        unpaired=tuple(sorted(unpaired.items())),
        elsewhere=() if selection.questions == "list" else tuple(held),
        others=tuple(sorted({name for key in held for name in elsewhere[key]})),
        answers=answers,
    )


def _single_answers(
    answered: Mapping[str, set[int]], names: Mapping[int, str], selection: Selection, in_pairs: bool
) -> frozenset[tuple[str, int]] | None:
    """Return the named or drawn answers, by question and system; None for all."""
    if selection.answers:
        keys = {name: pk for pk, name in names.items()}
        named = [(key, keys.get(name)) for key, name in selection.answers]
        return frozenset((key, pk) for key, pk in named if pk and pk in answered.get(key, ()))
    if selection.questions == "sample" and selection.any_answer and not in_pairs:
        return _balanced(answered, names, selection)
    return None


def _by_two(answered: Mapping[str, set[int]], systems: Sequence[System]) -> dict[str, set[int]]:
    """Keep the questions with two answers to compare."""
    if len(systems) < 2:
        raise Refused("Two answers are compared: choose at least two systems with responses.")
    return {key: having for key, having in answered.items() if len(having) > 1}


def _wanted(
    study: Study,
    systems: Sequence[System],
    questions: QuerySet[Question] | None,
    selection: Selection,
) -> dict[str, set[int]]:
    """Return which systems answered each question, with positional citations if wanted."""
    answered = _answered(study, systems, questions)
    if not selection.is_positional(study):
        return answered
    positional = _answered(study, systems, questions, positional=True)
    return {
        key: positional[key] if selection.any_answer else having
        for key, having in answered.items()
        if key in positional
    }


def _balanced(
    answered: Mapping[str, set[int]], names: Mapping[int, str], selection: Selection
) -> frozenset[tuple[str, int]]:
    """Draw answers in rounds, one from each system that has any left.

    Systems go through the questions in the same drawn order, to share as many as possible.
    """
    wanted = selection.sample_size
    there = sum(map(len, answered.values()))
    if wanted < 1:
        raise Refused("Say how many answers are to be drawn: at least one.")
    if wanted > there:
        raise Refused(f"{wanted} answers cannot be drawn: there are {there} that may be taken.")
    order = sorted(answered, key=lambda key: (draw(selection.seed, "question", key), key))
    of_system = {pk: [key for key in order if pk in answered[key]] for pk in names}
    systems = sorted(names, key=lambda pk: (draw(selection.seed, "system", names[pk]), names[pk]))
    rounds = max(map(len, of_system.values()), default=0)
    drawn = [
        (of_system[pk][place], pk)
        for place in range(rounds)
        for pk in systems
        if place < len(of_system[pk])
    ]
    return frozenset(drawn[:wanted])


def _in_slices(study: Study, slices: Sequence[str]) -> QuerySet[Question] | None:
    """Return the questions of some slices; None for all."""
    if not slices:
        return None
    for one in slices:
        try:
            found = Question.objects.filter(study=study).within([one]).exists()
        except SliceError as error:
            raise Refused(str(error)) from None
        if not found:
            raise Refused(f"There is no question of the slice “{one}” in this study.")
    return Question.objects.filter(study=study).within(slices)


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
                f"{quoted(lacking)} cannot be gold: left out, or not answered by every "
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
    """Return the chosen systems that have responses; by default all of them."""
    rows = System.objects.loaded().filter(study=study)
    current = Response.objects.current().filter(study=study)
    having = set(current.order_by().values_list("system", flat=True).distinct())
    if selection.systems:
        rows = rows.filter(pk__in=selection.systems)
        if len(set(selection.systems)) != rows.count():
            raise Refused("One of the chosen systems is not in this study any more.")
        empty = [system.name for system in rows if system.pk not in having]
        if empty:
            raise Refused(f"{quoted(empty)}: no responses. Choose other systems.")
    found = tuple(system for system in rows.order_by("name") if system.pk in having)
    if not found:
        raise Refused("No responses are loaded yet. Upload outputs first.")
    return found


def _answered(
    study: Study,
    systems: Sequence[System],
    questions: QuerySet[Question] | None,
    **how: bool,
) -> dict[str, set[int]]:
    """Return which of the systems answered each question, by question id."""
    rows = (
        Response.objects.current()
        .filter(study=study, system__in=systems, **how)
        .filter(Q() if questions is None else Q(question__in=questions))
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
        raise Refused(f"There is no question {quoted(unknown)} in this study.")


def _questions_of(study: Study, batches: Sequence[int]) -> set[str]:
    rows = BatchItem.objects.filter(batch__study=study, batch__in=batches).order_by()
    return set(rows.values_list("response__question__external_id", flat=True).distinct())


def quoted(names: Sequence[str]) -> str:
    some = ", ".join(f"“{name}”" for name in names[:SOME])
    return f"{some} and {len(names) - SOME} more" if len(names) > SOME else some


def draw(*parts: object) -> int:
    """Return a number below PRIME - 1 that depends only on the parts."""
    text = json.dumps(parts, ensure_ascii=False)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) % (PRIME - 1)


def overlapping_batches(
    study: Study, dimensions: Collection[Dimension], *, but: int = 0
) -> "list[Batch]":
    """Return the work batches that ask any of these dimensions.

    Their content is not taken again: a rater has one answer per dimension, so a second batch would
    show and change the first answer. Closed batches without a person's rating (imported ratings) do
    not matter.
    """
    asked = question_keys(dimensions)
    by_people = Assignment.objects.filter(batch=OuterRef("pk"), judge__kind__in=RATING)
    found = (
        study.batches.work()
        .exclude(pk=but)
        .filter(~Q(state=Batch.State.CLOSED) | Exists(by_people))
        .order_by("name")
    )
    return [batch for batch in found if asked & question_keys(batch.dimension_list)]


def _elsewhere(
    study: Study, systems: Sequence[System], others: Sequence[Batch]
) -> dict[str, list[str]]:
    """Return the questions with answers in these batches, with the batches' names."""
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
            f"{quoted(held)}: the same is asked about {'it' if len(held) == 1 else 'them'} in "
            f"{quoted(names)} already. Leave {'it' if len(held) == 1 else 'them'} out, or ask "
            "other dimensions."
        )
