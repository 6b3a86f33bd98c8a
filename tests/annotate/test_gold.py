"""Gold among the work: known answers, how raters compare with them, pausing under the mark."""

import pytest
from django.urls import reverse

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Judge, Judgment, StandingChange
from annotate.rating import answering, assignments, gold, standing
from annotate.rating.gold import GoldScore
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from tests.annotate.desk import (
    KNOWN,
    WRONG,
    answer,
    batch_of,
    claim,
    do_next,
    gold_judge,
    write_known,
)
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.usefixtures("counts_hold")


@shared_rows
def me(peaks, rita):
    return judge_of(peaks, rita)


def all_gold(study, **more):
    """A batch whose two tasks are gold, with known answers and a mark."""
    terms = {"gold": gold_judge(study), "gold_mark": 60, "gold_least": 1}
    batch = batch_of(study, gold_items=list(study.responses.all()), **terms | more)
    write_known(batch)
    return batch


def do(item, judge, values=KNOWN):
    """Rate one item; `values` may be a list, one per question."""
    task = assignments._assign(item.batch, item, judge)
    steps = steps_of(item.batch, item)
    if isinstance(values, dict):
        answer(task, values)
    else:
        for step, is_right in zip(steps, values, strict=True):
            given = KNOWN if is_right else WRONG
            answering.save_answer(task, step, value=given[step.dimension.key])
    return answering.finish(task)


def items(batch):
    return sorted(gold.items_with_gold(batch), key=lambda i: len(steps_of(batch, i)))


# One rule ----------------------------------------------------------------------------------------


def test_the_share_is_of_counted_answers_equal_to_the_known_ones(peaks, me):
    batch = all_gold(peaks, gold_mark=0)
    small, large = items(batch)
    # It cites four passages, of which three count; the fourth is known as well.
    fourth = small.response.units.get(key="s1.c4")
    record_judgment(judge=batch.gold, unit=fourth, dimension="citation_support", value="full")
    do(small, me, [True, False, False, True])
    do(large, me, [True] * 5)
    assert gold.score(me, batch, [small]) == GoldScore(asked=4, right=2)
    assert gold.score(me, batch, [small, large]) == GoldScore(asked=9, right=7)


def test_skipped_and_missing_answers_are_not_right(peaks, me):
    batch = all_gold(peaks)
    small, _ = items(batch)
    task = assignments._assign(batch, small, me)
    first, *_ = steps_of(batch, small)
    answering.save_answer(task, first, skipped_reason="I cannot say")
    assert gold.score(me, batch, [small]) == GoldScore(asked=4, right=0)


def test_what_the_gold_judge_did_not_answer_is_not_asked(peaks, me):
    batch = all_gold(peaks, gold_mark=0)
    small, _ = items(batch)
    step, skipped, *_ = steps_of(batch, small)
    Judgment.objects.filter(judge=batch.gold, unit=step.unit, dimension=step.dimension.key).delete()
    record_judgment(
        judge=batch.gold,
        unit=skipped.unit,
        dimension=skipped.dimension.key,
        skipped_reason="unclear",
    )
    do(small, me)
    assert gold.score(me, batch, [small]) == GoldScore(asked=2, right=2)


def test_a_mark_is_reached_by_the_share_itself(subtests):
    for right, asked, mark, reached in [
        (2, 3, 66, True),
        (2, 3, 67, False),
        (0, 0, 0, False),
        (0, 3, 0, True),
        (3, 3, 100, True),
    ]:
        with subtests.test(right=right):
            assert GoldScore(asked, right).reaches(mark) is reached


# Pausing -----------------------------------------------------------------------------------------


def test_under_the_mark_a_rater_is_paused_with_the_figures(peaks, me):
    batch = all_gold(peaks)
    small, _ = items(batch)
    do(small, me, [True, True, False, False])
    me.refresh_from_db()
    assert me.standing == Judge.Standing.PAUSED
    kept = StandingChange.objects.get()
    assert kept.by is None
    assert "2 of 4 answers were as known (50 %); the mark is 60 %" in kept.reason
    assert claim(batch, me).why is assignments.WhyNoTask.PAUSED


@pytest.mark.parametrize("terms", [{"gold_mark": 50}, {"gold_mark": 0}, {"gold_least": 5}])
def test_at_the_mark_without_one_or_too_early_nobody_is_paused(peaks, me, terms):
    batch = all_gold(peaks, **terms)
    small, _ = items(batch)
    do(small, me, [True, True, False, False])
    work = batch_of(peaks, "Not gold", gold=batch.gold, gold_mark=100, gold_least=1)
    do_next(work, me, WRONG)
    me.refresh_from_db()
    assert me.standing == Judge.Standing.ACTIVE


def test_who_was_let_on_begins_anew(peaks, me, bob):
    batch = all_gold(peaks)
    small, large = items(batch)
    done = do(small, me, WRONG)
    answering.finish(done)
    assert StandingChange.objects.count() == 1
    standing.change_standing(me, Judge.Standing.ACTIVE, reason="talked", by=bob)
    answering.finish(done)
    do(large, me)
    me.refresh_from_db()
    assert me.standing == Judge.Standing.ACTIVE  # 5 of 9 in all, 5 of 5 since


def test_an_excluded_rater_is_not_let_on_by_the_rule(peaks, me):
    batch = all_gold(peaks)
    done = do(items(batch)[0], me, [True, True, True, True])
    standing.change_standing(me, Judge.Standing.EXCLUDED, reason="so")
    write_known(batch, WRONG)
    gold.after_task(done)
    me.refresh_from_db()
    assert me.standing == Judge.Standing.EXCLUDED


# Writing known answers ---------------------------------------------------------------------------


def test_known_answers_hold_no_place(peaks, me):
    batch = all_gold(peaks, gold_mark=0)
    small, _ = items(batch)
    gold.writing_task(batch, small)
    assert gold.writing_task(batch, small).pk == gold.writing_task(batch, small).pk
    assert do(small, me).is_done
    assert gold.scores(batch)[0][0] == me
    assert len(gold.scores(batch)) == 1


def test_batches_share_the_judge_that_was_made_under_its_name(peaks):
    first, second = batch_of(peaks, "One"), batch_of(peaks, "Two")
    made = gold.make_judge(first)
    assert made == gold.make_judge(first) == gold.make_judge(second)
    Judge.objects.filter(pk=made.pk).update(kind=Judge.Kind.AUTOMATIC)
    with pytest.raises(Refused, match="another kind"):
        gold.make_judge(batch_of(peaks, "Three"))


def test_known_answers_are_for_gold_and_by_hand_only(peaks, bob, signed_in):
    batch = batch_of(peaks, gold=gold_judge(peaks))
    item = batch.items.first()
    with pytest.raises(Refused, match="practice and for gold only"):
        gold.writing_task(batch, item)
    batch.items.update(is_gold=True)
    item.refresh_from_db()
    batch.gold = Judge.objects.create(study=peaks, kind=Judge.Kind.ADJUDICATED, name="adjudicated")
    batch.save()
    with pytest.raises(Refused, match="not written by hand"):
        gold.writing_task(batch, item)
    write = reverse("gold-write", args=["peaks", batch.pk, item.pk])
    told = signed_in(bob).post(write, follow=True).content.decode()
    assert "not written by hand" in told
    batch.gold = None
    batch.save()
    with pytest.raises(Refused, match="source of known answers"):
        gold.writing_task(batch, item)


def test_gold_of_another_batch_is_not_found(peaks, bob, signed_in):
    batch, other = all_gold(peaks), batch_of(peaks, "Other")
    client = signed_in(bob)
    path = reverse("gold-write", args=["peaks", batch.pk, other.items.first().pk])
    assert client.post(path).status_code == 404
    html = client.get(reverse("batch-gold", args=["peaks", other.pk])).content.decode()
    assert "No gold in this batch" in html


# The page ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", ["response", "unit"])
def test_many_gold_tasks_need_few_queries(peaks, me, granularity, django_assert_max_num_queries):
    batch = all_gold(peaks, gold_mark=0, granularity=granularity)
    with django_assert_max_num_queries(6):
        gold.known_answers(batch)
