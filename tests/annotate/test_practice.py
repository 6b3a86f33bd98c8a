"""Practice: rounds, feedback with the known answers, passing."""

from functools import partial

import pytest
from django.urls import reverse

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Assignment, Batch, Inquiry, Judge, Judgment, PracticeRound
from annotate.rating import answering, assignments, gold, inquiries, practice
from annotate.rating.assignments import WhyNoTask
from annotate.rating.standing import change_standing
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.desk import (
    KNOWN,
    WRONG,
    answer,
    batch_of,
    claim,
    do_next,
    practice_of,
    write_known,
)
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.usefixtures("counts_hold")


@shared_rows
def me(peaks, rita):
    return judge_of(peaks, rita)


def latest(batch, judge):
    return practice.current_round(batch, judge)


def whole_round(batch, judge, values=KNOWN):
    """Go through a round, answering always the same."""
    begun = practice.begin(batch, judge)
    done = None
    for _ in range(batch.items.count()):
        done = do_next(batch, begun.trainee, values)
    begun.refresh_from_db()
    return begun, done


def test_round_with_known_answers_passes_and_stays_passed(peaks, me):
    batch = practice_of(peaks)
    work = batch_of(peaks, qualification=batch)
    assert not assignments.is_qualified(work, me)
    begun = practice.begin(batch, me)
    assert begun.trainee.kind == Judge.Kind.TRAINEE
    assert begun.trainee.user is None
    assert begun.trainee.name == f"{me.name} · practice {batch.pk} · round 1"
    assert practice.begin(batch, me) == latest(batch, me) == begun
    done = []
    for _ in range(batch.items.count()):
        begun.refresh_from_db()
        assert begun.finished_at is None
        done.append(do_next(batch, begun.trainee))
    begun.refresh_from_db()
    assert begun.finished_at is not None
    assert begun.asked == begun.right == 9
    assert begun.passed
    assert assignments.is_qualified(work, me)
    with pytest.raises(Refused, match="You have passed"):
        practice.begin(batch, me)
    when = begun.finished_at
    answering.finish(done[-1])
    write_known(batch, WRONG)
    begun.refresh_from_db()
    assert (begun.finished_at, begun.passed, begun.right) == (when, True, 9)


def test_under_the_mark_another_round_follows_until_none_is_left(peaks, me):
    batch = practice_of(peaks, max_rounds=2)
    first, _ = whole_round(batch, me, WRONG)
    assert (first.right, first.asked, first.passed) == (0, 9, False)
    assert practice.rounds_left(batch, first) == 1
    second, _ = whole_round(batch, me, WRONG)
    assert second.number == 2
    assert second.trainee != first.trainee
    with pytest.raises(Refused, match="all the rounds"):
        practice.begin(batch, me)
    assert PracticeRound.objects.count() == 2


def test_what_falls_away_by_an_earlier_answer_counts_once(peaks, me):
    """Known: interpretable and attributable. Who says not interpretable is not asked the second."""
    batch = batch_of(
        peaks,
        "AIS",
        dimensions=["interpretable", "attributable"],
        purpose=Batch.Purpose.PRACTICE,
        gold=Judge.objects.create(study=peaks, kind=Judge.Kind.REFERENCE, name="gold"),
    )
    for item in batch.items.all():
        for key in batch.dimensions:
            record_judgment(judge=batch.gold, unit=item.unit, dimension=key, value="yes")
    begun = practice.begin(batch, me)
    found = claim(batch, begun.trainee)
    first, _ = steps_of(batch, found.item)
    answering.save_answer(found, first, value="no")
    answering.finish(found)
    rows = practice.feedback(found)
    assert [row.right for row in rows] == [False, None]
    assert rows[1].own is None
    assert gold.score(begun.trainee, batch, [found.item]) == gold.GoldScore(asked=1, right=0)


@pytest.mark.parametrize("is_last", [False, True])
def test_tasks_given_back_count_as_not_answered(peaks, me, is_last):
    batch = practice_of(peaks)
    begun = practice.begin(batch, me)
    others = batch.items.count() - 1
    for _ in range(others if is_last else 0):
        do_next(batch, begun.trainee)
    given = claim(batch, begun.trainee)
    assignments.give_back(given, for_good=True)
    for _ in range(0 if is_last else others):
        do_next(batch, begun.trainee)
    begun = latest(batch, me)
    assert begun.finished_at is not None
    assert begun.asked == 9
    assert begun.right == 9 - len(steps_of(batch, given.item))


def test_practice_is_for_raters_who_are_not_excluded_and_while_it_is_open(peaks, me):
    batch = practice_of(peaks)
    work = batch_of(peaks)
    with pytest.raises(Refused, match="not a practice"):
        practice.begin(work, me)
    batch.state = Batch.State.CLOSED
    batch.save()
    with pytest.raises(Refused, match="not open"):
        practice.begin(batch, me)
    batch.state = Batch.State.OPEN
    batch.save()
    me.standing = Judge.Standing.EXCLUDED
    me.save()
    with pytest.raises(Refused, match="ended your part"):
        practice.begin(batch, me)


def test_exclusion_ends_a_round_that_was_begun(peaks, me, rita, signed_in):
    batch = practice_of(peaks)
    begun = practice.begin(batch, me)
    task = claim(batch, begun.trainee)
    step = steps_of(batch, task.item)[0]
    inquiry = inquiries.ask(task, step, text="Why?", author=rita).inquiry
    inquiries.follow_up(inquiry, text="Still open?", author=rita)
    change_standing(me, Judge.Standing.EXCLUDED, reason="Two accounts.")
    task, inquiry = Assignment.objects.get(pk=task.pk), Inquiry.objects.get()
    for act in (
        partial(answering.save_answer, task, step, value="yes"),
        partial(inquiries.ask, task, step, text="And now?", author=rita),
        partial(inquiries.follow_up, inquiry, text="And now?", author=rita),
    ):
        with pytest.raises(Refused, match="ended your part"):
            act()
    assert claim(batch, task.judge).why == WhyNoTask.EXCLUDED
    page = signed_in(rita).get(reverse("desk", args=["peaks", batch.pk])).content.decode()
    assert "ended your part" in page


@pytest.mark.django_db(transaction=True)
def test_two_tabs_begin_one_round(peaks, rita):
    batch, me = practice_of(peaks), judge_of(peaks, rita)
    outcomes = at_once([partial(practice.begin, batch, me)] * 4)
    assert {type(outcome) for outcome in outcomes} == {PracticeRound}, outcomes
    assert len({outcome.pk for outcome in outcomes}) == 1
    assert PracticeRound.objects.count() == 1
    assert Judge.objects.filter(kind=Judge.Kind.TRAINEE).count() == 1


# The pages ---------------------------------------------------------------------------------------


def page_of(client, assignment):
    return client.get(reverse("task-feedback", args=["peaks", assignment.pk]))


def test_feedback_shows_the_known_answers_of_done_tasks_to_the_trainee_alone(
    peaks, me, rita, bob, signed_in
):
    batch = practice_of(peaks)
    begun = practice.begin(batch, me)
    client, task = signed_in(rita), claim(batch, begun.trainee)
    assert page_of(client, task).url == reverse("task", args=["peaks", task.pk])
    done = do_next(batch, begun.trainee, WRONG)
    html = page_of(client, done).content.decode()
    assert "Not right" in html
    assert "the passage says so" in html
    assert "No support" in html
    assert "Full support" in html
    assert f"1 of {batch.items.count()} tasks done" in html
    assert reverse("desk-next", args=["peaks", batch.pk]) in html
    assert "autofocus" in html
    for system in ("Vermilion", "Quokka"):
        assert system not in html
    with pytest.raises(Refused, match="The known answers were shown"):
        answer(done, KNOWN)
    assert not Judgment.objects.filter(judge=begun.trainee, value="yes").exists()
    assert page_of(signed_in(bob), done).status_code == 404
    work = do_next(batch_of(peaks), me)
    assert page_of(client, work).status_code == 404
