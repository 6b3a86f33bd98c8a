"""Why there is nothing to rate, looking without claiming, and what both cost."""

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.models import Assignment, Batch, BatchItem, Judge, PracticeRound, Response
from annotate.rating import assignments
from annotate.rating.assignments import NoTask, WhyNoTask
from annotate.web.errors import Refused
from tests.annotate.claiming import claim, do, do_all, finish, lapse, load_many, why
from tests.annotate.desk import batch_of, gold_judge, rater
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def many(study):
    """Twelve responses: two systems' answers to six questions."""
    load_many(study, 6)
    return study


# The order ---------------------------------------------------------------------------------------


# Why there is nothing ----------------------------------------------------------------------------


def test_closed_or_empty_batch_and_paused_rater_get_no_task(many):
    batch, judge = open_work(many), rater(many, "judge")
    for state in ("draft", "closed"):
        Batch.objects.update(state=state)
        assert why(batch, judge) == WhyNoTask.CLOSED
    Batch.objects.update(state="open")
    for standing, reason in (("paused", WhyNoTask.PAUSED), ("excluded", WhyNoTask.EXCLUDED)):
        Judge.objects.filter(pk=judge.pk).update(standing=standing)
        assert why(batch, judge) == reason
    BatchItem.objects.all().delete()
    assert why(batch, rater(many, "other")) == WhyNoTask.EMPTY


def test_all_done_and_all_yours_done(many):
    batch = open_work(many, raters_per_item=2)
    first, second, third = (rater(many, f"r{n}") for n in range(3))
    assert do_all(batch, first)[1] == NoTask(WhyNoTask.ALL_YOURS_DONE)
    assert do_all(batch, second)[1] == NoTask(WhyNoTask.ALL_DONE)
    assert why(batch, first) == why(batch, third) == WhyNoTask.ALL_DONE


def test_leased_says_when_the_first_place_that_one_could_take_comes_free(study):
    load_many(study, 2)
    batch = open_work(study)
    judge, *others = (rater(study, f"r{n}") for n in range(5))
    own = do(batch, judge)
    tasks = [claim(batch, other) for other in others[:3]]
    # One of these is about a task that was done and readmitted: it does not help this rater.
    useless = own.item.assignments.create(
        batch=batch, judge=others[3], lease_until=timezone.now() + timedelta(minutes=1)
    )
    Batch.objects.update(raters_per_item=2)
    for task in tasks:
        task.item.assignments.create(
            batch=batch, judge=others[3], lease_until=timezone.now() + timedelta(minutes=20)
        )
    first = timezone.now() + timedelta(minutes=7)
    Assignment.objects.filter(pk=tasks[1].pk).update(lease_until=first)
    assert useless.lease_until < first
    found = assignments.next_task(batch, judge)
    assert found == NoTask(WhyNoTask.LEASED, until=first)
    assert assignments.why_no_task(batch, judge) == found


def test_a_quota_counts_what_is_done(many):
    batch = open_work(many, tasks_per_rater=2)
    judge = rater(many, "judge")
    assignments.give_back(claim(batch, judge), for_good=True)
    do(batch, judge)
    begun = claim(batch, judge)
    assert claim(batch, judge) == begun
    finish(begun)
    assert why(batch, judge) == WhyNoTask.QUOTA


def test_practice_comes_first(many):
    practice = batch_of(many, "Practice", purpose="practice", gold=gold_judge(many))
    batch = open_work(many, qualification=practice)
    judge, trainee = rater(many, "judge"), rater(many, "trainee")
    Judge.objects.filter(pk=trainee.pk).update(user=None, kind="trainee")
    assert why(batch, judge) == WhyNoTask.NOT_QUALIFIED
    rounds = PracticeRound.objects.create(batch=practice, judge=judge, trainee=trainee, number=1)
    assert why(batch, judge) == WhyNoTask.NOT_QUALIFIED
    rounds.passed = True
    rounds.save()
    assert claim(batch, judge)


# Looking without claiming ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_outlook_agrees_with_what_is_given(study, seed):
    """In every situation that chance leads to: a task where one is foreseen, else the same why."""
    chance = random.Random(seed)
    load_many(study, 3)
    every = study.responses.order_by("pk")
    gold = list(every[: chance.choice([0, 0, 2])])
    is_practice = seed % 6 == 5
    batch = batch_of(
        study,
        responses=every,
        gold_items=gold,
        gold=gold_judge(study) if gold or is_practice else None,
        gold_percent=50 if gold else 0,
        purpose="practice" if is_practice else "work",
        raters_per_item=chance.choice([1, 2]),
        tasks_per_rater=chance.choice([None, 3]),
        order=chance.choice(["shuffle", "together"]),
        seed=seed,
    )
    people = [rater(study, f"r{n}") for n in range(4)]
    seen = set()
    for _ in range(60):
        judge = Judge.objects.get(pk=chance.choice(people).pk)
        foreseen = assignments.why_no_task(batch, judge)
        before = Assignment.objects.count()
        assert assignments.why_no_task(batch, judge) == foreseen
        assert Assignment.objects.count() == before
        found = assignments.next_task(batch, judge)
        if isinstance(found, NoTask):
            assert foreseen == found
            seen.add(found.why)
        else:
            assert foreseen is None, (foreseen, found)
            happens(chance, found)
        if chance.random() < 0.05:
            standing = chance.choice(["active", "active", "paused", "excluded"])
            Judge.objects.filter(pk=judge.pk).update(standing=standing)
            if standing == "excluded":
                assignments.give_all_back(batch, judge)
        if chance.random() < 0.02:
            Response.objects.filter(pk=chance.choice(every).pk).update(live=None)
    assert seen


def happens(chance, task):
    what = chance.choice(["finish", "finish", "lapse", "later", "for good", "reopen", "nothing"])
    if what in {"finish", "reopen"}:
        try:
            done = finish(task)
        except Refused:
            return
        if what == "reopen":
            assignments.reopen(done)
    elif what == "lapse":
        lapse(task)
    elif what != "nothing":
        assignments.give_back(task, for_good=what == "for good")


# What it costs -----------------------------------------------------------------------------------


def queries(act):
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


def test_no_more_queries_in_a_larger_batch(study, signed_in, rita):
    """Saving an answer, beginning a task, and asking while nothing is left."""
    from annotate.content.judgments import judge_of

    load_many(study, 24)
    keys = [*study.responses.order_by("pk").values_list("pk", flat=True)]
    # After the first it is known whose session it is.
    first, small, large = (
        batch_of(study, name, responses=study.responses.filter(pk__in=some))
        for name, some in (("First", keys[20:]), ("Small", keys[:4]), ("Large", keys[:20]))
    )
    client, judge = signed_in(rita), judge_of(study, rita)
    others = [rater(study, f"r{n}") for n in range(3)]
    counts = {}
    for batch in (first, small, large):
        for other in others:
            claim(batch, other)
        address = reverse("desk-next", args=["peaks", batch.pk])
        begin = queries(lambda address=address: client.post(address))
        task = batch.assignments.get(judge=judge)
        again = queries(lambda address=address: client.post(address))
        send = reverse("task-answer", args=["peaks", task.pk])
        values = {"step": "s1:citation_recall", "edit": "a", "base": ""}
        say = queries(lambda send=send, values=values: client.post(send, values | {"value": "no"}))
        held = [
            Assignment(
                batch=batch,
                item=item,
                judge=others[0],
                lease_until=timezone.now() + timedelta(minutes=5),
            )
            for item in batch.items.exclude(pk=task.item_id).exclude(assignments__judge=others[0])
        ]
        Assignment.objects.bulk_create(held)
        finish(task)
        left = queries(lambda batch=batch: why(batch, judge))
        counts[batch.name] = (begin, again, say, left)
    assert counts["Small"] == counts["Large"]
    assert 5 < min(counts["Large"]) <= max(counts["Large"]) <= 40, counts


def test_tasks_that_others_took_cost_no_queries_each(many):
    batch, judge, other = open_work(many), rater(many, "judge"), rater(many, "other")
    items = list(batch.items.all())
    costs = []
    for item in items[:6]:
        now = timezone.now()
        item.assignments.create(batch=batch, judge=judge, lease_until=now)
        item.assignments.create(batch=batch, judge=other, lease_until=now + timedelta(minutes=5))
        costs.append(queries(lambda: claim(batch, judge)))
        batch.assignments.filter(judge=judge).exclude(item__in=items[:6]).delete()
    # The first reads the guidelines, which stay in the process.
    assert len(set(costs[1:])) == 1, costs
