"""Who gets what: the order, places and leases, gold."""

from collections import defaultdict
from datetime import timedelta
from functools import partial

import pytest
from django.core.cache import caches
from django.utils import timezone

from annotate.exchange.deletion import delete_batch
from annotate.models import Assignment, Batch, Judge, Response
from annotate.rating import assignments, pace, places
from annotate.rating.assignments import WhyNoTask, rater_order
from annotate.rating.standing import change_standing
from annotate.web.errors import Refused
from tests.annotate.claiming import claim, do, do_all, finish, lapse, load_many, why
from tests.annotate.concurrency import at_once
from tests.annotate.desk import batch_of, gold_judge, rater
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@shared_rows
def many(study):
    """Twelve responses: two systems' answers to six questions."""
    load_many(study, 6)
    return study


def test_each_rater_has_an_order_of_their_own_from_the_seed(many):
    first, second = rater(many, "first"), rater(many, "second")
    batch = open_work(many, name="another seed", seed=1)
    another = [item.response_id for item in batch.items.order_by(*rater_order(batch, first))]
    delete_batch(batch)
    batch = open_work(many, raters_per_item=2, seed=7)
    theirs = [list(batch.items.order_by(*rater_order(batch, j))) for j in (first, second)]
    assert theirs[0] != theirs[1]
    own = [item.response_id for item in theirs[0]]
    assert sorted(own) == sorted(another)
    assert own != another
    given = [(do(batch, first).item, do(batch, second).item) for _ in theirs[0]]
    assert [list(each) for each in zip(*given, strict=True)] == theirs


def test_together_gives_all_answers_to_a_question_one_after_the_other(many):
    batch = open_work(many, order=Batch.Order.TOGETHER, raters_per_item=2)
    orders = []
    for name in ("first", "second"):
        questions = [i.response.question.external_id for i in do_all(batch, rater(many, name))[0]]
        assert questions[::2] == questions[1::2]
        assert len(set(questions)) == 6
        orders.append(questions)
    assert orders[0] != orders[1]


# Places ------------------------------------------------------------------------------------------


def test_never_more_than_wanted_and_never_the_same_rater_twice(many):
    batch = open_work(many, raters_per_item=2)
    counts = [len(do_all(batch, rater(many, f"r{n}"))[0]) for n in range(4)]
    assert counts == [12, 12, 0, 0]
    for item in batch.items.all():
        judges = list(item.assignments.values_list("judge", flat=True))
        assert len(judges) == len(set(judges)) == 2


def test_claiming_and_finishing_twice_is_once(many):
    batch, judge = open_work(many), rater(many, "judge")
    task = claim(batch, judge)
    assert claim(batch, judge) == task
    assert Assignment.objects.count() == 1
    first = finish(task)
    assert finish(task).done_at == first.done_at
    assignments.give_back(task, for_good=True)
    assert assignments.give_all_back(batch, judge) == 0
    task.refresh_from_db()
    assert task.is_done
    assert Assignment.objects.filter(state="done").count() == 1


@pytest.mark.django_db(transaction=True)
def test_asked_twice_at_once_the_same_task_is_given_twice(many):
    batch, judge = open_work(many), rater(many, "judge")
    outcomes = at_once([partial(assignments.next_task, batch, judge)] * 4)
    assert len({found.pk for found in outcomes}) == 1, outcomes
    assert Assignment.objects.count() == 1


def test_expired_lease_is_given_to_another_rater(study):
    load(study, [response("The Zugspitze is high [1].")])
    batch = open_work(study)
    late, other = rater(study, "late"), rater(study, "other")
    task = claim(batch, late)
    assert why(batch, other) == WhyNoTask.LEASED
    lapse(task)
    taken = claim(batch, other)
    assert taken.item == task.item
    assert why(batch, late) == WhyNoTask.LEASED
    lapse(taken)
    assert finish(task).is_done, "the place is free again"


def test_what_was_begun_is_offered_first(many):
    batch, judge = open_work(many), rater(many, "judge")
    begun = lapse(claim(batch, judge))
    assert claim(batch, judge) == begun
    begun.refresh_from_db()
    assert begun.lease_until > timezone.now() + timedelta(minutes=batch.lease_minutes - 1)


def test_what_others_took_is_offered_again_when_they_leave_it(study):
    load_many(study, 1)
    batch = open_work(study)
    judge, other = rater(study, "judge"), rater(study, "other")
    lost = lapse(claim(batch, judge))
    others = lost.item.assignments.create(
        batch=batch, judge=other, lease_until=timezone.now() + timedelta(minutes=5)
    )
    new = claim(batch, judge)
    assert new != lost
    finish(new)
    assert why(batch, judge) == WhyNoTask.LEASED
    lapse(others)
    assert claim(batch, judge) == lost


def test_activity_keeps_the_lease(many):
    batch, judge = open_work(many), rater(many, "judge")
    task = claim(batch, judge)
    soon = timezone.now() + timedelta(seconds=5)
    for until in (soon, soon + timedelta(minutes=2)):
        Assignment.objects.update(lease_until=until)
        assert places.keep_lease(task)
        stored = Assignment.objects.get()
        assert stored.lease_until == task.lease_until > until + timedelta(minutes=20)


def test_who_still_holds_a_place_keeps_it_even_where_others_are_done(study):
    """Nobody is sent away before finishing; then the one who was first counts."""
    load(study, [response("The Zugspitze is high [1].")])
    batch, judge, other = open_work(study), rater(study, "judge"), rater(study, "other")
    task = claim(batch, judge)
    task.item.assignments.create(
        batch=batch,
        judge=other,
        state="done",
        done_at=timezone.now(),
        lease_until=timezone.now(),
    )
    Assignment.objects.filter(pk=task.pk).update(lease_until=timezone.now() + timedelta(seconds=5))
    assert places.keep_lease(task)
    with pytest.raises(Refused, match="Others have rated this in the meantime"):
        finish(task)


def test_a_lost_place_is_not_kept(study):
    load(study, [response("The Zugspitze is high [1].")])
    batch, judge, other = open_work(study), rater(study, "judge"), rater(study, "other")
    task = lapse(claim(batch, judge))
    taken = claim(batch, other)
    assert not places.keep_lease(task)
    with pytest.raises(Refused, match="Others have rated this"):
        finish(task)
    finish(taken)
    with pytest.raises(Refused, match="Your answers are kept"):
        finish(task)
    assert task.item.assignments.filter(state="done").count() == 1


def test_a_reopened_task_keeps_its_place(study):
    load(study, [response("The Zugspitze is high [1].")])
    batch, judge, other = open_work(study), rater(study, "judge"), rater(study, "other")
    done = do(batch, judge)
    assignments.reopen(done)
    assert not done.is_done
    assert why(batch, other) == WhyNoTask.LEASED
    assert claim(batch, judge) == done
    assert finish(done).is_done
    assert why(batch, other) == WhyNoTask.ALL_DONE


def test_task_given_back_is_free_for_others(study):
    load_many(study, 1)
    batch, judge, other = open_work(study), rater(study, "judge"), rater(study, "other")
    task = claim(batch, judge)
    for _ in range(2):
        assignments.give_back(task, for_good=False)
        assert claim(batch, judge) == task
    assignments.give_back(task, for_good=True)
    assert claim(batch, judge).item != task.item
    with pytest.raises(Refused, match="You gave this task back"):
        finish(task)
    assert not places.keep_lease(task)
    assert claim(batch, other).item == task.item


def test_the_places_of_the_excluded_are_free_again(study, bob):
    load(study, [response("The Zugspitze is high [1].")])
    batch = open_work(study, raters_per_item=2)
    good, bad, idle, next_one = (rater(study, f"r{n}") for n in range(4))
    do(batch, good)
    do(batch, bad)
    assert why(batch, idle) == WhyNoTask.ALL_DONE
    change_standing(bad, Judge.Standing.EXCLUDED, reason="Clicks at random.", by=bob)
    held = claim(batch, idle)
    change_standing(idle, Judge.Standing.EXCLUDED, reason="So does this one.", by=bob)
    held.refresh_from_db()
    assert (held.state, held.lease_until <= timezone.now()) == ("active", True)
    assert do(batch, next_one).is_done
    assert held.item.assignments.filter(state="done").count() == 3


def test_a_replaced_response_is_not_served(many):
    batch, judge = open_work(many), rater(many, "judge")
    begun = claim(batch, judge)
    Response.objects.filter(pk=begun.item.response_id).update(live=None)
    order, end = do_all(batch, judge)
    assert begun.item not in order
    assert len(order) == 11
    assert end.why == WhyNoTask.ALL_DONE


# Gold --------------------------------------------------------------------------------------------


@shared_rows
def mixed(study):
    """Sixty responses of work and thirty of gold."""
    load_many(study, 45)
    every = study.responses.order_by("pk")
    return batch_of(
        study,
        responses=every,
        gold_items=list(every[:30]),
        gold=gold_judge(study),
        gold_percent=25,
        seed=3,
    )


def test_gold_is_mixed_in_at_about_its_rate(mixed):
    Batch.objects.update(raters_per_item=4)
    shares = []
    for n in range(4):
        order, end = do_all(mixed, rater(mixed.study, f"r{n}"))
        assert end.why in {WhyNoTask.ALL_DONE, WhyNoTask.ALL_YOURS_DONE}
        assert sum(not item.is_gold for item in order) == 60
        shares.append(sum(item.is_gold for item in order) / len(order))
    # Of 80 draws at a quarter, four times; three standard deviations of their mean.
    assert 0.18 < sum(shares) / 4 < 0.32
    assert len(set(shares)) > 1


def test_gold_has_room_for_everybody_and_is_never_counted(mixed):
    raters = [rater(mixed.study, f"r{n}") for n in range(5)]
    gold = mixed.items.filter(is_gold=True).first()
    for judge in raters:
        task = gold.assignments.create(batch=mixed, judge=judge, lease_until=timezone.now())
        assert places.keep_lease(task)
        assert finish(task).is_done
    assert places.items_to_rate(mixed).count() == 60
    Assignment.objects.all().delete()
    done = sum(not item.is_gold for judge in raters for item in do_all(mixed, judge)[0])
    assert done == 60
    assert why(mixed, rater(mixed.study, "more")) == WhyNoTask.ALL_DONE


def test_no_gold_where_no_work_is_left_to_hide_it_in(mixed):
    Batch.objects.update(gold_percent=50)
    holder, judge = rater(mixed.study, "holder"), rater(mixed.study, "judge")
    until = timezone.now() + timedelta(minutes=5)
    Assignment.objects.bulk_create(
        Assignment(batch=mixed, item=item, judge=holder, lease_until=until)
        for item in mixed.items.filter(is_gold=False)
    )
    why_no_task = assignments.why_no_task(mixed, judge)
    assert why_no_task is not None
    assert why_no_task.why == WhyNoTask.LEASED
    assert why(mixed, judge) == WhyNoTask.LEASED


def test_in_a_large_batch_all_items_are_given_too(many, monkeypatch):
    monkeypatch.setattr(
        assignments, "choose_item", partial(order_as_if_large, assignments.choose_item)
    )
    batch = open_work(many, raters_per_item=2)
    judges = [rater(many, name) for name in ("one", "two", "three")]
    given = defaultdict(list)
    for judge in judges:
        while isinstance(task := assignments.next_task(batch, judge), Assignment):
            given[task.item_id].append(judge.pk)
            finish(task)
    assert set(given) == set(batch.items.values_list("pk", flat=True))
    assert all(len(set(judges)) == len(judges) == 2 for judges in given.values())


def order_as_if_large(chosen, batch, judge, position):
    return chosen(batch, judge, batch.assignments.filter(judge=judge).count())


def test_of_a_large_batch_it_is_told_what_is_left_at_most(many, monkeypatch):
    batch, judge, other = open_work(many), rater(many, "judge"), rater(many, "other")
    exactly = pace.pace_of(batch, judge).left
    monkeypatch.setattr(pace, "LARGE", 2)
    caches["process"].clear()
    assert pace.pace_of(batch, judge).left == exactly == batch.items.count()
    do(batch, judge)
    caches["process"].clear()
    assert pace.pace_of(batch, judge).left == exactly - 1 == pace.pace_of(batch, other).left
