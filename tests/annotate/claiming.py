"""How tests of assignments claim, finish and lose tasks, and what they are told."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.models import Assignment
from annotate.services.rating import assignments
from annotate.services.rating.assignments import NoTask, WhyNoTask
from tests.annotate.loading import load, response
from tests.beginnings import beginning

pytestmark = pytest.mark.django_db

TEXTS = {
    WhyNoTask.CLOSED: "This batch is not open.",
    WhyNoTask.EMPTY: "There is nothing in this batch.",
    WhyNoTask.ALL_DONE: "Everything in this batch has all its ratings.",
    WhyNoTask.ALL_YOURS_DONE: (
        "You have rated everything here. What is left waits for other raters."
    ),
    WhyNoTask.LEASED: "Everything that is left is being rated by others at the moment.",
    WhyNoTask.QUOTA: "You have done all the tasks that one rater may do in this batch.",
    WhyNoTask.NOT_QUALIFIED: "Pass the practice first; then this batch opens for you.",
    WhyNoTask.FAILED_PRACTICE: (
        "You have used all the rounds of the practice without passing, "
        "so there is no work for you in this batch."
    ),
    WhyNoTask.LEFT: "You stopped taking part. Open the batch's link again to go on.",
    WhyNoTask.PAUSED: (
        "Your work is paused. The study's researchers will look at it and get in touch."
    ),
    WhyNoTask.EXCLUDED: "The study's researchers have ended your part in it.",
}


@beginning
def many(study):
    """Twelve responses: two systems' answers to six questions."""
    load_many(study, 6)
    return study


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
    assert found.text == TEXTS[found.why]
    return found.why
