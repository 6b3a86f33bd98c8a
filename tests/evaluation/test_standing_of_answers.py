"""Only finished ratings count: in labels, and on the pages of batches, raters and disputes."""

import pytest
from django.urls import reverse

from annotate.content import overview, response_judgments
from annotate.content.judgments import judge_of
from annotate.models import Membership, Role
from annotate.rating import answering, dispute_page
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from evaluation.labels import batch_agreement, monitor, raters, study_labels
from tests.annotate.claiming import claim, lapse
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, finish, open_work, take
from tests.conftest import person
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

ANSWERS = {"interpretable": "yes", "attributable": "yes"}
"""What everybody answers who is not told otherwise."""


@shared_rows
def ais(alice):
    made = create_study(name="Sources", slug="sources", preset="ais", owner=alice)
    load(made, [response("2,962 metres.")])
    return made


@shared_rows
def four(ais):
    """Four raters with accounts."""
    users = [person(f"rater{number}") for number in range(4)]
    for user in users:
        Membership.objects.create(study=ais, user=user, role=Role.RATER)
    return users


def say(task, **values):
    for step in steps_of(task.batch, task.item):
        if (value := values.get(step.dimension.key)) is not None:
            answering.save_answer(task, step, value=value)


def rate(batch, user, **values):
    task = claim(batch, judge_of(batch.study, user))
    say(task, **ANSWERS | values)
    return answering.finish(task)


@shared_rows
def lost(ais, four):
    """A batch of three ratings: the lease of a fourth rater ran out, the three finished, and the
    fourth went on. Their answers to the second question are yes, no, yes; the fourth says no."""
    batch = open_work(ais, raters_per_item=3)
    late = lapse(claim(batch, judge_of(ais, four[0])))
    for user, value in zip(four[1:], ("yes", "no", "yes"), strict=True):
        rate(batch, user, attributable=value)
    say(late, interpretable="yes", attributable="no")
    return batch, late


def test_the_numbers_are_those_of_the_finished_ratings(ais, lost):
    batch, late = lost
    for within in (None, batch):
        assert [
            (label.dimension, label.value, label.note)
            for label in study_labels.labels(ais, study_labels.Method.MAJORITY, within)
        ] == [("interpretable", "yes", "3 of 3 votes"), ("attributable", "yes", "2 of 3 votes")]
        assert study_labels.left_out(ais, within) == 2
    shown = {row.dimension.key: row for row in batch_agreement.agreement(batch)}
    assert shown["attributable"].observed.value == pytest.approx(1 / 3)
    assert shown["attributable"].raters == 3
    assert monitor.progress(batch).unfinished == 2
    [_, row] = overview.progress(ais)
    assert (row.by_people, row.left_out) == (3, 1)
    [_, tally] = response_judgments.tallies(late.item.response, ais.protocol, hide_automatic=False)
    assert (tally.people, tally.left_out) == ((("Yes", 2), ("No", 1)), 1)
    opened = dispute_page.open_dispute(ais, late.item.unit, tally_dimension(batch))
    assert (len(opened.votes), opened.left_out) == (3, 1)
    listed = {row.judge.name: (row.answers, row.others.value) for row in raters.rater_rows(ais)}
    assert listed[late.judge.name] == (0, None)


def tally_dimension(batch):
    return next(d for d in batch.dimension_list if d.key == "attributable")


# At the desk -------------------------------------------------------------------------------------


@pytest.fixture
def waiting(signed_in, ais, four):
    """A rater whose place another has taken, both in their browsers."""
    batch = open_work(ais, raters_per_item=1)
    late, other = (signed_in(user) for user in four[:2])
    task = lapse(take(late, batch))
    return batch, late, task, other, take(other, batch)


def test_the_answer_to_a_save_says_that_the_place_is_lost(waiting):
    batch, late, task, _, _ = waiting
    reply = answer(late, task, "r:interpretable", "yes")
    page = reply.content.decode()
    assert reply.status_code == 200
    assert "Kept, not counted" in page
    assert "Saved" not in page
    assert 'id="desk-place"' in page
    assert "other raters took this task" in page
    assert reverse("desk-next", args=["sources", batch.pk]) in page
    assert "Check for a free place" in page
    assert task.judge.judgments.get().unfinished


def test_a_place_that_comes_free_is_taken_up_again(waiting):
    batch, late, task, other, hers = waiting
    look = {"lost": "1"}
    htmx = {"hx-request": "true"}
    assert late.post(at(task, "task-alive"), look, headers=htmx).content == b""
    other.post(at(hers, "task-give-back"), {"for_good": "1"})
    found = late.post(at(task, "task-alive"), look, headers=htmx).content.decode()
    assert "This task is yours again" in found
    for step, value in ANSWERS.items():
        answer(late, task, f"r:{step}", value)
    assert finish(late, task).status_code == 200
    assert [
        label.note for label in study_labels.labels(batch.study, study_labels.Method.MAJORITY)
    ] == ["1 of 1 votes", "1 of 1 votes"]
    page = answer(other, hers, "r:interpretable", "no").content.decode()
    assert "You gave this task back" in page
    assert "Check for a free place" not in page
    assert "You gave this task back" in other.get(at(hers, "task")).content.decode()


def test_late_rater_reads_that_the_answers_do_not_count(waiting):
    _, late, task, _, _ = waiting
    for step, value in ANSWERS.items():
        answer(late, task, f"r:{step}", value)
    shown = late.get(finish(late, task).headers["HX-Redirect"]).content.decode()
    assert "are kept, and do not count" in shown
