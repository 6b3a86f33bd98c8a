"""The desk's tasks through its addresses: going on, waiting, too late, and being told why."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Judge
from annotate.rating import assignments
from annotate.rating.task_page import task_of
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, finish, open_work, rater_in, take
from tests.annotate.test_desk import VERMILION_1
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def one_task(study):
    """A batch with the one response of Vermilion's to q1."""
    load(study, [response("The Zugspitze is 2,962 metres high [1]. No peak is higher [1][2].")])
    return open_work(study)


def test_the_heartbeat_renews_the_lease_and_says_when_the_place_is_lost(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    Assignment.objects.filter(pk=task.pk).update(lease_until=timezone.now() + timedelta(seconds=9))
    client.post(at(task, "task-alive"), headers={"hx-request": "true"})
    task.refresh_from_db()
    assert task.lease_until > timezone.now() + timedelta(minutes=20)
    Assignment.objects.filter(pk=task.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    take(signed_in(rater_in(one_task.study, "nina")), one_task)
    reply = client.post(at(task, "task-alive"), headers={"hx-request": "true"})
    assert "other raters took this task" in reply.content.decode()


def test_start_page_offers_to_resume_only_a_task_with_a_free_place(signed_in, rita, study):
    load(study, [response("It is so [1].", question_id=f"q{n}") for n in (1, 2, 3)])
    batch = open_work(study)
    client, address = signed_in(rita), reverse("desk", args=["peaks", batch.pk])

    def offered():
        page = client.get(address).content.decode()
        return [word for word in ("Resume", "Start", "Next task") if f"{word} <kbd>" in page]

    assert offered() == ["Start"]
    task = take(client, batch)
    assert offered() == ["Resume"]
    client.post(at(task, "task-give-back"))
    assert offered() == ["Resume"]
    other = judge_of(study, rater_in(study, "nina"))
    task.item.assignments.create(
        batch=batch, judge=other, lease_until=timezone.now() + timedelta(minutes=9)
    )
    assert offered() == ["Start"]


def test_who_comes_back_too_late_keeps_answers_and_is_led_on(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    for step, value in VERMILION_1:
        answer(client, task, step, value)
    Assignment.objects.filter(pk=task.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    nina = rater_in(one_task.study, "nina")
    hers = take(signed_in(nina), one_task)
    reply = finish(client, task)
    assert reply.headers["HX-Redirect"] == reverse("desk", args=["peaks", one_task.pk])
    assert "Others have rated this" in client.get(reply.headers["HX-Redirect"]).content.decode()
    assert task.judge.judgments.count() == len(VERMILION_1)
    for step, value in VERMILION_1:
        answer(signed_in(nina), hers, step, value)
    assert finish(signed_in(nina), hers).status_code == 200
    assert one_task.assignments.filter(state="done").count() == 1


def test_a_replaced_response_is_not_asked_for_any_more(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    load(one_task.study, [response("Another answer [1].")], replace=True)
    assert "replaced this one" in client.get(at(task, "task")).content.decode()
    reply = client.post(reverse("desk-next", args=["peaks", one_task.pk]))
    assert reply.url == reverse("desk", args=["peaks", one_task.pk])


def test_one_unit_at_a_time(signed_in, rita, study):
    load(study, [response("The Zugspitze is 2,962 metres high [1]. No peak is higher [1][2].")])
    batch = open_work(study, granularity="unit")
    client = signed_in(rita)
    seen = []
    for _ in VERMILION_1:
        task = take(client, batch)
        [step] = task_of(task).steps
        seen.append(step.step.key)
        answer(client, task, step.step.key, dict(VERMILION_1)[step.step.key])
        assert finish(client, task).status_code == 200
    assert sorted(seen) == sorted(step for step, _ in VERMILION_1)
    assert batch.assignments.filter(state="done").count() == len(VERMILION_1)


def test_the_pace_leaves_an_honest_estimate(signed_in, rita, study):
    load(
        study,
        [response("It is high [1].", question_id=f"q{n}", question=f"Q{n}?") for n in range(6)],
    )
    batch = open_work(study, pay_per_hour=Decimal("9.00"), pay_currency="GBP")
    client = signed_in(rita)
    Assignment.objects.all().delete()
    for _ in range(4):
        task = take(client, batch)
        Assignment.objects.filter(pk=task.pk).update(
            created_at=timezone.now() - timedelta(minutes=9)
        )
        for step in ("r:utility", "s1:citation_recall", "s1.c1:citation_support"):
            value = {"r:utility": "3", "s1:citation_recall": "yes"}.get(step, "full")
            answer(client, task, step, value, seconds="40")
        finish(client, task)
    page = client.get(reverse("desk", args=["peaks", batch.pk])).content.decode()
    assert "2 min 0 s a task" in page
    assert "4 min" in page  # two tasks are left
    assert "1.20 GBP" in page  # eight minutes of an hour at 9.00
    last = task
    page = client.get(at(take(client, batch), "task")).content.decode()
    assert "1.20 GBP earned" in page
    assert f'href="{at(last, "task")}?step=last"' in page


def test_paused_and_excluded_raters_are_told(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    judge = judge_of(one_task.study, rita)
    for standing, text in (("paused", "Your work is paused"), ("excluded", "ended your part")):
        Judge.objects.filter(pk=judge.pk).update(standing=standing)
        page = client.get(reverse("desk", args=["peaks", one_task.pk])).content.decode()
        assert text in page
        expected = {"paused": 200, "excluded": 422}[standing]
        value = {"paused": "2", "excluded": "3"}[standing]
        assert answer(client, task, "r:utility", value).status_code == expected
    assert isinstance(assignments.next_task(one_task, judge), assignments.NoTask)


def test_what_is_left_does_not_tell_which_tasks_are_gold(signed_in, rita, study):
    from annotate.models import BatchItem
    from annotate.rating.pace import pace_of

    load(
        study,
        [response("It is high [1].", question_id=f"q{n}", question=f"Q{n}?") for n in range(8)],
    )
    batch = open_work(study)
    gold = [item.pk for item in batch.items.order_by("pk")[:4]]
    BatchItem.objects.filter(pk__in=gold).update(is_gold=True)
    type(batch).objects.filter(pk=batch.pk).update(gold_percent=50)
    batch.refresh_from_db()
    client = signed_in(rita)
    totals, golden = set(), set()
    for _ in range(5):
        task = take(client, batch)
        golden.add(task.item.is_gold)
        totals.add(pace_of(batch, task.judge).total)
        Assignment.objects.filter(pk=task.pk).update(state="done", done_at=timezone.now())
    assert golden == {True, False}
    assert totals == {8}
