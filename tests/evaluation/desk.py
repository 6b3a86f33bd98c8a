"""Batches, raters and their answers, put there directly: who claims what is tested elsewhere."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from annotate.models import Assignment, Batch, BatchItem, Judge, Judgment, Response, Study, Unit


def rater(study: Study, name: str, **more: Any) -> Judge:
    return Judge.objects.create(study=study, name=name, **{"kind": Judge.Kind.HUMAN, **more})


def batch(study: Study, *dimensions: str, name: str = "First", **more: Any) -> Batch:
    """A batch of all the study's responses, as whole responses."""
    terms: dict[str, Any] = {
        "raters_per_item": 3,
        "lease_minutes": 30,
        "state": Batch.State.OPEN,
        **more,
    }
    made = Batch.objects.create(
        study=study, name=name, dimensions=list(dimensions) or study.dimensions, **terms
    )
    for number, response in enumerate(Response.objects.current().filter(study=study)):
        BatchItem.objects.create(
            batch=made,
            response=response,
            unit=response.units.get(key="r"),
            shuffle=number,
            question_shuffle=number,
        )
    return made


def gives(batch: Batch, judge: Judge, **more: Any) -> None:
    """All of a batch is given to a judge, who has done it unless told otherwise."""
    for item in batch.items.all():
        task(item, judge, **more)


def task(
    item: BatchItem, judge: Judge, *, state: str = "done", at: datetime | None = None, **more: Any
) -> Assignment:
    now = at or timezone.now()
    return Assignment.objects.create(
        batch=item.batch,
        item=item,
        judge=judge,
        state=state,
        done_at=now if state == "done" else None,
        created_at=now - timedelta(minutes=5),
        seen_at=now,
        **{"lease_until": now + timedelta(minutes=25), **more},
    )


def unit(study: Study, key: str, *, system: str = "Vermilion", question: str = "q1") -> Unit:
    return Unit.objects.get(
        response__study=study,
        response__system__name=system,
        response__question__external_id=question,
        response__live=True,
        key=key,
    )


def says(judge: Judge, where: Unit, dimension: str, value: str = "", **more: Any) -> Judgment:
    reason = more.pop("reason", "")
    return Judgment.objects.create(
        judge=judge, unit=where, dimension=dimension, value=value, skipped_reason=reason, **more
    )


def exclude(judge: Judge) -> None:
    judge.standing = Judge.Standing.EXCLUDED
    judge.save()
