"""Batches in tests, and what a browser sends from the form of a task."""

from typing import Any

from django.test import Client
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Batch, Judgment, Study, User
from annotate.rating.batches import create_batch, open_batch


def open_work(study: Study, **options: Any) -> Batch:
    """An open batch with everything in the study, one rater per response unless said otherwise."""
    wanted = {"name": "Round 1", "raters_per_item": 1, **options}
    batch = create_batch(study, **wanted)
    open_batch(batch)
    batch.refresh_from_db()
    return batch


def take(client: Client, batch: Batch) -> Assignment:
    """Press “Start”: the task that the rater is led to."""
    answer: Any = client.post(reverse("desk-next", args=[batch.study.slug, batch.pk]))
    assert answer.status_code == 302
    assert "/desk/tasks/" in answer.url, answer.url
    return Assignment.objects.get(pk=answer.url.rstrip("/").rpartition("/")[2])


def at(assignment: Assignment, name: str) -> str:
    return reverse(name, args=[assignment.batch.study.slug, assignment.pk])


def answer(client: Client, assignment: Assignment, step: str, value: str = "", **more: Any) -> Any:
    """What the page's script sends for one answer."""
    sent = {"step": step, **({"value": value} if value else {}), **more}
    return client.post(at(assignment, "task-answer"), sent, headers={"hx-request": "true"})


def finish(client: Client, assignment: Assignment, **more: Any) -> Any:
    return client.post(at(assignment, "task-finish"), more, headers={"hx-request": "true"})


def saved(assignment: Assignment, step: str) -> Any:
    """The judge's answer to a question, or nothing."""
    unit, dimension = step.split(":")
    return Judgment.objects.filter(
        judge=assignment.judge,
        unit__response=assignment.item.response,
        unit__key=unit,
        dimension=dimension,
    ).first()


def rater_in(study: Study, name: str) -> User:
    from annotate.models import Membership, Role
    from tests.conftest import person

    user = person(name)
    Membership.objects.create(study=study, user=user, role=Role.RATER)
    judge_of(study, user)
    return user
