"""What is kept of a study as a whole, and of the work in each of its batches."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from annotate.models import Assignment, Batch, BatchItem, Judge
from annotate.protocol.dimensions import OF_CLAIMS, UnitKind, is_written
from annotate.protocol.steps import OPEN_AGAIN
from annotate.services.counts import Add, CountedChunk, CountedJudgment, counted
from annotate.services.counts.chunk import CountedUnit, subject

CITED = {UnitKind.CITATION, UnitKind.CLAIM_CITATION}

DONE, ACTIVE = Assignment.State.DONE, Assignment.State.ACTIVE


EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


def microseconds(at: datetime) -> int:
    """A moment as a whole number."""
    return (at - EPOCH) // MICROSECOND


def moment(number: int | None) -> datetime | None:
    """The moment of such a number."""
    return None if number is None else EPOCH + number * MICROSECOND


# A study -----------------------------------------------------------------------------------------


@counted("study", version=1)
def of_study(chunk: CountedChunk, add: Add) -> None:
    """Responses and what is in them, and the judgments on each question: of `study`, and of each
    `system`."""
    questions, of_systems = chunk.firsts
    for one in chunk.responses.values():
        if not one.counts:
            continue
        for part, of in (("study", 0), ("system", one.system)):
            add(one.key, part, of, "responses")
            add(one.key, part, of, "statements", one.statements)
            add(one.key, part, of, "citations", one.citations)
            add(one.key, part, of, "uncited", one.uncited)
            add(one.key, part, of, "out_of_range", one.out_of_range)
            add(one.key, part, of, "positional", int(one.positional))
        add(one.key, "study", 0, "questions", int(one.key in questions))
        add(one.key, "system", one.system, "questions", int((one.system, one.key) in of_systems))
        add(one.key, "system", one.system, f"run:{one.run}")
    for unit in chunk.units.values():
        if chunk.responses[unit.response].counts and _is_to_judge(chunk, unit):
            add(unit.response, "study", 0, f"units:{unit.kind}:{sort_of(unit)}")
    _judged(chunk, add)


def sort_of(unit: CountedUnit) -> str:
    """Of claims and their citations, whose they are; of others there is one sort."""
    if unit.kind not in OF_CLAIMS:
        return ""
    return "written" if is_written(unit.name) else "parsed"


def _is_to_judge(chunk: CountedChunk, unit: CountedUnit) -> bool:
    """Only citations that count are to be judged."""
    return unit.kind not in CITED or (unit.is_cited and unit.ordinal <= chunk.study.citation_cap)


def _judged(chunk: CountedChunk, add: Add) -> None:
    """How many judgments there are on each question, whose, and on how many units."""
    judged = set[tuple[int, str]]()
    for one in chunk.current:
        response, who = chunk.units[one.unit].response, chunk.who[one.judge]
        add(response, "study", 0, "judgments")
        if one.value and who.is_person:
            add(response, "votes", 0, "votes" if is_counted(chunk, one) else "left_out")
        if one.skipped_reason in OPEN_AGAIN or who.kind == Judge.Kind.TRAINEE:
            continue
        if who.is_person and not is_counted(chunk, one):
            add(response, "study", 0, f"left_out:{one.dimension}")
            continue
        add(response, "study", 0, f"{'people' if who.is_person else 'others'}:{one.dimension}")
        if not one.value:
            add(response, "study", 0, f"skipped:{one.dimension}")
        if who.is_person:
            judged.add((one.unit, one.dimension))
    for key, dimension in judged:
        unit = chunk.units[key]
        if _is_to_judge(chunk, unit):
            add(unit.response, "study", 0, f"judged:{dimension}:{sort_of(unit)}")


def is_counted(chunk: CountedChunk, one: CountedJudgment) -> bool:
    """What `COUNTS` asks."""
    return not one.unfinished and not chunk.who[one.judge].is_excluded


# Work --------------------------------------------------------------------------------------------


@counted("work", version=1)
def of_work(chunk: CountedChunk, add: Add) -> None:
    """How far each batch has come, by its key."""
    for item in chunk.items:
        _tasks(chunk, item, add)
    for batch in chunk.batches.values():
        _answers(chunk, batch, add)


def _tasks(chunk: CountedChunk, item: BatchItem, add: Add) -> None:
    response, batch, still = item.response_id, item.batch_id, chunk.still(item)
    own = [task for task in chunk.tasks[item.pk] if chunk.counts(task.judge)]
    done = [task for task in own if task.state == DONE]
    if still and item.is_gold:
        add(response, "work", batch, "gold_items")
    elif still:
        add(response, "work", batch, f"rated:{len(done)}")
        add(response, "work", batch, "done", len(done))
    if item.is_gold:
        add(response, "work", batch, "gold", len(done))
    for task in own:
        add(response, "work", batch, f"judge:{task.judge}")
        add(response, "work", batch, "^begun", -microseconds(task.created_at))
        if task.done_at is not None:
            add(response, "work", batch, "^ended", microseconds(task.done_at))
            add(response, "work", batch, f"^seen:{task.judge}", microseconds(task.seen_at))


def given_in(
    chunk: CountedChunk, batch: Batch
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Who was given what in a batch, and of these tasks those of raters that are not done."""
    given, unfinished = set[tuple[int, int]](), set[tuple[int, int]]()
    for item in chunk.items_of[batch.pk]:
        for task in chunk.tasks[item.pk]:
            place = subject(batch, item), task.judge
            given.add(place)
            if task.state != DONE and chunk.counts(task.judge):
                unfinished.add(place)
    return given, unfinished


def asked_in(chunk: CountedChunk, batch: Batch) -> Iterator[tuple[CountedJudgment, int]]:
    """The judgments of now about what a batch asks, on whichever response, and what each is about:
    a unit, or its response."""
    by_unit = batch.granularity == Batch.Granularity.UNIT
    for one in chunk.current:
        if one.dimension in batch.dimensions and chunk.about(batch, one.unit):
            yield one, one.unit if by_unit else chunk.units[one.unit].response


def _answers(chunk: CountedChunk, batch: Batch, add: Add) -> None:
    given, unfinished = given_in(chunk, batch)
    for one, about in asked_in(chunk, batch):
        response, who = chunk.units[one.unit].response, chunk.who[one.judge]
        place = about, one.judge
        if one.value and place in unfinished:
            add(response, "work", batch.pk, "unfinished")
        if place not in given or not who.is_person:
            continue
        if one.value:
            add(response, "votes", batch.pk, "votes" if is_counted(chunk, one) else "left_out")
        if who.is_excluded:
            if one.value:
                add(response, "work", batch.pk, "excluded")
        elif not one.unfinished and not one.value and one.skipped_reason not in OPEN_AGAIN:
            add(response, "work", batch.pk, "skips")
    by_unit = batch.granularity == Batch.Granularity.UNIT
    for judge, key, reason in chunk.flags:
        unit = chunk.units[key]
        about = key if by_unit else unit.response
        if (about, judge) in given and chunk.counts(judge) and chunk.about(batch, key):
            add(unit.response, "work", batch.pk, f"flag:{reason}")
