"""Participants as their researchers see them: states, minutes, pay, files, approval."""

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Assignment, Enrolment, Judge, Judgment
from annotate.people import crowd
from annotate.people.participants import State, participants
from annotate.rating import practice, standing
from tests.annotate.crowd import arrive, come, open_batch, page, signed_in_as, text_of
from tests.annotate.desk import (
    WRONG,
    claim,
    do_next,
    practice_of,
)

pytestmark = pytest.mark.django_db


def row_of(batch, external_id="5z3a"):
    [row] = [
        row for row in participants(batch) if row.enrolment.participant.external_id == external_id
    ]
    return row


def states(batch):
    return [row.state for row in participants(batch)]


def takes(judge, seconds):
    """Every answer of a judge took so long."""
    Judgment.objects.filter(judge=judge).update(seconds=seconds)


def rows_in(answered):
    return list(csv.reader(io.StringIO(text_of(answered))))


def test_the_states_from_joining_to_approval(peaks):
    batch = open_batch(peaks)
    enrolment = arrive(batch)
    assert states(batch) == [State.JOINED]
    judge = crowd.judge_behind(enrolment)
    task = claim(batch, judge)
    assert states(batch) == [State.AT_WORK]
    Assignment.objects.filter(pk=task.pk).update(lease_until=timezone.now() - timedelta(1))
    assert states(batch) == [State.TIMED_OUT]
    do_next(batch, judge)
    assert states(batch) == [State.STARTED]
    crowd.leave(enrolment)
    assert states(batch) == [State.RETURNED]
    arrive(batch)
    crowd.finish(enrolment)
    assert states(batch) == [State.FINISHED]
    assert crowd.approve(batch, [enrolment.pk]) == 1
    assert states(batch) == [State.APPROVED]
    assert crowd.approve(batch, [enrolment.pk]) == 0, "once"
    standing.change_standing(judge, Judge.Standing.EXCLUDED, reason="random")
    assert states(batch) == [State.EXCLUDED]


def test_who_fails_the_practice_is_screened_out_and_its_minutes_count(peaks):
    trial = practice_of(peaks, max_rounds=1)
    batch = open_batch(peaks, qualification=trial, pay_per_hour=Decimal("9.00"), pay_currency="GBP")
    judge = crowd.judge_behind(arrive(batch))
    trainee = practice.begin(trial, judge).trainee
    assert states(batch) == [State.JOINED]
    do_next(trial, trainee, WRONG)
    do_next(trial, trainee, WRONG)
    takes(trainee, 20.0)
    row = row_of(batch)
    assert (row.state, row.done) == (State.SCREENED_OUT, 0)
    # Nine questions of 20 seconds: three minutes, at 9 an hour.
    assert (row.minutes, row.pay) == (3.0, Decimal("0.45"))


def test_lists_for_approval_in_the_platforms_forms(peaks, bob, signed_in):
    batch = open_batch(peaks, pay_per_hour=Decimal("6"), pay_currency="USD")
    parts = [
        crowd.arrive(batch, platform="prolific", external_id=f"p{n}", session=f"s{n}")
        for n in (1, 2, 3)
    ]
    parts.append(
        crowd.arrive(batch, platform="mturk", external_id="W1", session="A1", project="H1")
    )
    for part in (parts[0], parts[2], parts[3]):
        crowd.finish(part)
    client = signed_in(bob)
    html = text_of(page("participants", batch, client))
    assert ">p1\np3</textarea>" in html
    assert "p2\n" not in html
    answered = page("participants-mturk", batch, client)
    assert rows_in(answered) == [
        ["HITId", "AssignmentId", "WorkerId", "Approve", "Reject"],
        ["H1", "A1", "W1", "x", ""],
    ]
    sent = {"part": [parts[0].pk, parts[2].pk, parts[1].pk, "x", "9" * 12]}
    noted = client.post(
        reverse("participants-approve", args=["peaks", batch.pk]), sent, follow=True
    )
    assert "2 are noted as approved" in text_of(noted), "who has not finished is not"
    assert Enrolment.objects.filter(approved_at__isnull=False).count() == 2
    assert "To approve on Prolific" not in text_of(noted)
    head, *rows = rows_in(page("participants-csv", batch, client))
    assert head[:8] == [
        *("platform", "id", "session", "project", "rater", "state", "tasks_done", "minutes")
    ]
    assert [row[:3] + row[5:10] for row in rows] == [
        ["prolific", "p1", "s1", "approved", "0", "0.0", "0.00", "USD"],
        ["prolific", "p2", "s2", "joined", "0", "0.0", "0.00", "USD"],
        ["prolific", "p3", "s3", "approved", "0", "0.0", "0.00", "USD"],
        ["mturk", "W1", "A1", "finished", "0", "0.0", "0.00", "USD"],
    ]


def test_a_screened_out_worker_is_told_what_to_do_on_the_platform(peaks):
    trial = practice_of(peaks, max_rounds=1)
    batch = open_batch(
        peaks,
        qualification=trial,
        screen_out_code="0UT",
        screen_out_url="https://platform.example.org/done?cc=0UT",
    )
    client = come(batch)
    judge = crowd.judge_behind(Enrolment.objects.get())
    assert judge.user == signed_in_as(client)
    trainee = practice.begin(trial, judge).trainee
    do_next(trial, trainee, WRONG)
    last = do_next(trial, trainee, WRONG)
    feedback = client.get(reverse("task-feedback", args=["peaks", last.pk]))
    for html in (
        text_of(feedback),
        text_of(page("desk", trial, client)),
        text_of(page("desk", batch, client)),
        text_of(page("crowd-done", batch, client)),
    ):
        assert 'data-copy="0UT"' in html
        assert 'href="https://platform.example.org/done?cc=0UT"' in html
        assert "C0DE" not in html
        assert "ask the study's researchers" not in html.lower()
