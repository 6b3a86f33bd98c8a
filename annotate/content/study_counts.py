"""Count a study as a whole, and the work in each of its batches."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from annotate.content.counts import (
    Add,
    CountedJudgment,
    CountedUnit,
    ResponseData,
    counted,
    subject,
)
from annotate.models import Assignment, Batch, BatchItem, Judge
from annotate.protocol.dimensions import OF_CLAIMS, UnitKind, is_written
from annotate.protocol.steps import OPEN_AGAIN

CITED = {UnitKind.CITATION, UnitKind.CLAIM_CITATION}

DONE, ACTIVE = Assignment.State.DONE, Assignment.State.ACTIVE


EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


def microseconds(at: datetime) -> int:
    """Return a time as an integer, which sums and maxima need."""
    return (at - EPOCH) // MICROSECOND


def moment(number: int | None) -> datetime | None:
    """Return the time of a number of microseconds."""
    return None if number is None else EPOCH + number * MICROSECOND


# A study -----------------------------------------------------------------------------------------


@counted("study", version=2)
def of_study(data: ResponseData, add: Add) -> None:
    """Count responses, statements, citations and judgments of the study and of each system."""
    questions, of_systems = data.firsts
    for one in data.responses.values():
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
    for unit in data.units.values():
        if data.responses[unit.response].counts and _is_to_judge(data, unit):
            add(unit.response, "study", 0, f"units:{unit.kind}:{_claim_source(unit)}")
    _judged(data, add)


def _claim_source(unit: CountedUnit) -> str:
    """Return who made a claim or its citation; empty for other units."""
    if unit.kind not in OF_CLAIMS:
        return ""
    return "written" if is_written(unit.name) else "parsed"


def _is_to_judge(data: ResponseData, unit: CountedUnit) -> bool:
    """Whether a unit is to be judged. Citations are, up to the study's cap."""
    return unit.kind not in CITED or (unit.is_cited and unit.ordinal <= data.study.citation_cap)


def _judged(data: ResponseData, add: Add) -> None:
    """Count judgments by dimension and kind of judge, and the units that people have judged."""
    judged = set[tuple[int, str]]()
    for one in data.current:
        response, who = data.units[one.unit].response, data.judges[one.judge]
        add(response, "study", 0, "judgments")
        if one.value and who.is_person:
            add(response, "votes", 0, "votes" if data.is_counted(one) else "left_out")
        if one.skipped_reason in OPEN_AGAIN or who.kind == Judge.Kind.TRAINEE:
            continue
        if who.is_person and not data.is_counted(one):
            add(response, "study", 0, f"left_out:{one.dimension}")
            continue
        add(response, "study", 0, f"{'people' if who.is_person else 'others'}:{one.dimension}")
        if not one.value:
            add(response, "study", 0, f"skipped:{one.dimension}")
        if who.is_person:
            judged.add((one.unit, one.dimension))
    for key, dimension in judged:
        unit = data.units[key]
        if _is_to_judge(data, unit):
            add(unit.response, "study", 0, f"judged:{dimension}:{_claim_source(unit)}")


# Work --------------------------------------------------------------------------------------------


@counted("work", version=1)
def of_work(data: ResponseData, add: Add) -> None:
    """Count the progress of each batch."""
    for item in data.items:
        _tasks(data, item, add)
    for batch in data.batches.values():
        _answers(data, batch, add)


def _tasks(data: ResponseData, item: BatchItem, add: Add) -> None:
    response, batch, still = item.response_id, item.batch_id, data.still(item)
    own = [task for task in data.tasks[item.pk] if data.counts(task.judge)]
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


def given_in(data: ResponseData, batch: Batch) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return (subject, judge) of a batch's tasks, and the unfinished ones among them."""
    given, unfinished = set[tuple[int, int]](), set[tuple[int, int]]()
    for item in data.items_of[batch.pk]:
        for task in data.tasks[item.pk]:
            place = subject(batch, item), task.judge
            given.add(place)
            if task.state != DONE and data.counts(task.judge):
                unfinished.add(place)
    return given, unfinished


def asked_in(data: ResponseData, batch: Batch) -> Iterator[tuple[CountedJudgment, int]]:
    """Yield the current judgments on a batch's dimensions, each with the unit or response that its
    task is about."""
    by_unit = batch.granularity == Batch.Granularity.UNIT
    for one in data.current:
        if one.dimension in batch.dimensions and data.about(batch, one.unit):
            yield one, one.unit if by_unit else data.units[one.unit].response


def _answers(data: ResponseData, batch: Batch, add: Add) -> None:
    given, unfinished = given_in(data, batch)
    for one, about in asked_in(data, batch):
        response, who = data.units[one.unit].response, data.judges[one.judge]
        place = about, one.judge
        if one.value and place in unfinished:
            add(response, "work", batch.pk, "unfinished")
        if place not in given or not who.is_person:
            continue
        if one.value:
            add(response, "votes", batch.pk, "votes" if data.is_counted(one) else "left_out")
        if who.is_excluded:
            if one.value:
                add(response, "work", batch.pk, "excluded")
        elif not one.unfinished and not one.value and one.skipped_reason not in OPEN_AGAIN:
            add(response, "work", batch.pk, "skips")
    by_unit = batch.granularity == Batch.Granularity.UNIT
    for judge, key, reason in data.flags:
        unit = data.units[key]
        about = key if by_unit else unit.response
        if (about, judge) in given and data.counts(judge) and data.about(batch, key):
            add(unit.response, "work", batch.pk, f"flag:{reason}")
