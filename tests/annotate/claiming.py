"""How tests of assignments claim, finish and lose tasks, and what they are told."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.models import Assignment
from annotate.rating import assignments
from annotate.rating.assignments import NoTask
from tests.annotate.loading import load, response

pytestmark = pytest.mark.django_db


def load_many(study, questions):
    load(
        study,
        [
            response(f"Peak {n} is high [1].", system=system, question_id=f"q{n}", question=f"{n}?")
            for n in range(questions)
            for system in ("Vermilion", "Quokka-9B")
        ],
    )


def claim(batch, judge):
    found = assignments.next_task(batch, judge)
    assert isinstance(found, Assignment), found
    return found


def finish(task):
    with transaction.atomic():
        return assignments.finish(task)


def do(batch, judge):
    """Claim and finish, whatever was answered."""
    return finish(claim(batch, judge))


def do_all(batch, judge):
    order = []
    while isinstance(found := assignments.next_task(batch, judge), Assignment):
        order.append(found.item)
        finish(found)
    return order, found


def lapse(assignment):
    """The lease runs out."""
    Assignment.objects.filter(pk=assignment.pk).update(
        lease_until=timezone.now() - timedelta(seconds=1)
    )
    assignment.refresh_from_db()
    return assignment


def why(batch, judge):
    found = assignments.next_task(batch, judge)
    assert isinstance(found, NoTask), found
    assert found.text
    return found.why
