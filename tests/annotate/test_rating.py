"""Answering, flagging, marking and finishing, as services."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from annotate.content.judgments import Conflict
from annotate.models import Assignment, Evidence, Judge, Judgment, PastJudgment
from annotate.protocol.steps import NOT_ASKED, WITHDRAWN, unanswered
from annotate.rating import answering, assignments, places
from annotate.rating.answering import Unfinished
from annotate.rating.batches import close_batch
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.desk import batch_of, rater
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@shared_rows
def task(study):
    """A task of three questions: utility, recall, support."""
    load(study, [response("The Zugspitze is high [1].")])
    return assignments.next_task(open_work(study), rater(study, "judge"))


@shared_rows
def ais_task(alice):
    """A task of two questions, of which the second hangs on the first."""
    made = create_study(name="Short", slug="short", preset="ais", owner=alice)
    load(made, [response("2,962 metres")])
    return assignments.next_task(open_work(made), rater(made, "judge"))


def steps(task):
    return steps_of(task.batch, task.item)


def answer_all(task):
    for step in steps(task):
        answering.save_answer(task, step, value=step.dimension.choices[0].value)


def stored(task, step):
    return Judgment.objects.get(judge=task.judge, unit=step.unit, dimension=step.dimension.key)


def history(judgment):
    return [(past.edit, past.value, past.skipped_reason) for past in judgment.history.all()]


# Answers -----------------------------------------------------------------------------------------


def test_saving_renews_the_lease_and_works_without_one(task):
    soon = timezone.now() + timedelta(minutes=1)
    Assignment.objects.update(lease_until=soon)
    answering.save_answer(task, steps(task)[0], value="4")
    assert Assignment.objects.get().lease_until > soon + timedelta(minutes=20)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    other = rater(task.batch.study, "other")
    assert isinstance(assignments.next_task(task.batch, other), Assignment)
    answering.save_answer(task, steps(task)[0], value="5")
    assert stored(task, steps(task)[0]).value == "5"
    assert not places.keep_lease(task)


def test_repeated_or_late_edit_changes_nothing(task):
    step = steps(task)[0]
    for edit in ("a", "a", "b"):
        assert answering.save_answer(task, step, value="4", edit=edit, base="").edit == "a"
    assert Judgment.objects.count() == 1
    assert history(stored(task, step)) == []
    answering.save_answer(task, step, value="2", edit="b", base="a")
    present = answering.save_answer(task, step, value="4", edit="a", base="")
    assert (present.value, present.edit) == ("2", "b")
    assert history(stored(task, step)) == [("a", "4", "")]


def test_an_answer_based_on_one_that_does_not_stand_is_a_conflict(task):
    step = steps(task)[0]
    answering.save_answer(task, step, value="4", edit="a", base="")
    with pytest.raises(Conflict) as found:
        answering.save_answer(task, step, value="1", edit="c", base="")
    assert found.value.present.value == "4"
    assert stored(task, step).edit == "a"
    answering.save_answer(task, step, value="1", edit="c", base="a")
    assert stored(task, step).value == "1"


def test_after_taking_an_answer_back_any_window_may_answer(task):
    step = steps(task)[0]
    answering.save_answer(task, step, value="4", edit="a", base="")
    answering.save_answer(task, step, skipped_reason=WITHDRAWN, edit="b", base="a")
    assert step in unanswered(steps(task), answering.answers_of(task))
    answering.save_answer(task, step, value="3", edit="c", base="a")
    assert history(stored(task, step)) == [("a", "4", ""), ("b", "", WITHDRAWN)]


@pytest.mark.django_db(transaction=True)
def test_the_same_edit_twice_at_once_is_one_answer(task):
    step = steps(task)[0]
    send = partial(answering.save_answer, task, step, value="4", edit="a", base="")
    outcomes = at_once([send] * 4)
    assert len({row.pk for row in outcomes}) == 1, outcomes
    assert Judgment.objects.count() == 1
    assert PastJudgment.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_two_windows_at_once_are_one_answer_and_one_conflict(task):
    step = steps(task)[0]
    save = partial(answering.save_answer, task, step, base="")
    outcomes = at_once([partial(save, value=v, edit=f"e{v}") for v in ("1", "2", "3")])
    assert sorted(type(outcome).__name__ for outcome in outcomes) == [
        "Conflict",
        "Conflict",
        "Judgment",
    ]
    (saved,) = (outcome for outcome in outcomes if isinstance(outcome, Judgment))
    assert stored(task, step).value == saved.value


def test_only_a_time_that_can_be_is_kept(task):
    Assignment.objects.update(created_at=timezone.now() - timedelta(seconds=60))
    task.refresh_from_db()
    for value, measured, kept in (
        ("1", None, None),
        ("2", -3.0, 0.0),
        ("3", 1e6, pytest.approx(60, abs=5)),
        ("4", 7.25, 7.2),
    ):
        saved = answering.save_answer(task, steps(task)[0], value=value, seconds=measured)
        assert saved.seconds == kept


# Questions that hang on others -------------------------------------------------------------------


def test_what_is_not_asked_cannot_be_answered(ais_task):
    first, second = steps(ais_task)
    for value in (None, "no"):
        if value:
            answering.save_answer(ais_task, first, value=value)
        with pytest.raises(Refused, match="is not asked after your earlier answer"):
            answering.save_answer(ais_task, second, value="yes")
        with pytest.raises(Refused, match="is not asked after your earlier answer"):
            answering.save_answer(ais_task, second, skipped_reason="unclear")
    assert not Judgment.objects.filter(dimension="attributable").exists()


def test_changing_the_first_takes_back_what_hangs_on_it(ais_task):
    first, second = steps(ais_task)
    answering.save_answer(ais_task, first, value="yes", edit="a", base="")
    answering.save_answer(ais_task, second, value="no", edit="b", base="")
    answering.save_answer(ais_task, first, value="no", edit="c", base="a")
    assert stored(ais_task, second).skipped_reason == NOT_ASKED
    assert history(stored(ais_task, second)) == [("b", "no", "")]
    assert answering.finish(ais_task).is_done
    # The network repeats the answer of before: nothing comes back, nothing is refused.
    late = answering.save_answer(ais_task, second, value="no", edit="b", base="")
    assert late.skipped_reason == NOT_ASKED
    answering.save_answer(ais_task, first, value="yes", edit="d", base="c")
    assert not ais_task.is_done
    with pytest.raises(Unfinished, match="1 dimension is still to be answered"):
        answering.finish(ais_task)
    answering.save_answer(ais_task, second, value="yes", edit="e", base="b")
    assert answering.finish(ais_task).is_done
    answering.save_answer(ais_task, first, skipped_reason=WITHDRAWN)
    assert stored(ais_task, second).skipped_reason == NOT_ASKED
    assert unanswered(steps(ais_task), answering.answers_of(ais_task)) == [first]


# Finishing ---------------------------------------------------------------------------------------


def test_finishing_names_the_open_questions_and_counts_once(task):
    answering.save_answer(task, steps(task)[1], value="yes")
    with pytest.raises(Unfinished, match="2 dimensions are still") as found:
        answering.finish(task)
    assert found.value.steps == [steps(task)[0], steps(task)[2]]
    assert Assignment.objects.get().state == "active"
    answer_all(task)
    first = answering.finish(task)
    assert answering.finish(task).done_at == first.done_at


def test_taking_an_answer_back_reopens_a_task_that_is_done(task):
    answer_all(task)
    stale = Assignment.objects.select_related("batch", "item", "judge").get()
    answering.finish(task)
    step = steps(task)[0]
    answering.save_answer(task, step, value="5")
    assert Assignment.objects.get().is_done
    answering.save_answer(task, step, skipped_reason=WITHDRAWN)
    assert Assignment.objects.get().state == "active"
    answering.save_answer(task, step, value="5")
    assert answering.finish(task).is_done
    assert not stale.is_done, "another window does not know"
    answering.save_answer(stale, step, skipped_reason=WITHDRAWN)
    assert Assignment.objects.get().state == "active"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(5))
def test_a_task_is_never_done_with_a_question_open(task, turn):
    """One window finishes while another takes an answer back."""
    answer_all(task)
    other = Assignment.objects.select_related("batch__study", "item", "judge").get()
    back = partial(answering.save_answer, other, steps(task)[turn % 3], skipped_reason=WITHDRAWN)
    outcomes = at_once([partial(answering.finish, task), back])
    kinds = {type(outcome) for outcome in outcomes}
    assert kinds in ({Assignment, Judgment}, {Unfinished, Judgment}), outcomes
    now = Assignment.objects.get()
    assert now.state == "active"
    assert len(unanswered(steps(now), answering.answers_of(now))) == 1


def test_nothing_changes_in_a_closed_batch(task):
    answer_all(task)
    close_batch(task.batch)
    task = Assignment.objects.select_related("batch", "item", "judge").get()
    step = steps(task)[0]
    for act in (
        partial(answering.save_answer, task, step, value="1"),
        partial(answering.finish, task),
        partial(answering.set_flag, task, step, reason="broken"),
        partial(answering.withdraw_flag, task, step),
    ):
        with pytest.raises(Refused, match="The batch is closed"):
            act()
    assert stored(task, step).value == step.dimension.choices[0].value


def test_who_was_excluded_meanwhile_changes_nothing(task):
    step = steps(task)[0]
    Judge.objects.filter(pk=task.judge_id).update(standing="excluded")
    with pytest.raises(Refused, match="have ended your part"):
        answering.save_answer(task, step, value="1")
    with pytest.raises(Refused, match="have ended your part"):
        answering.finish(task)
    assert not Judgment.objects.exists()


# Flags and evidence ------------------------------------------------------------------------------


def test_evidence_lies_within_the_text_of_the_question(task):
    utility, recall, _ = steps(task)
    (source,) = recall.sources
    text = source.passage.text
    mark = answering.mark(task, recall, source, (3, 10))
    assert answering.mark(task, recall, source, (3, 10)) == mark
    answering.mark(task, recall, source, (0, len(text)))
    assert {(m.start, m.end) for m in Evidence.objects.all()} == {(3, 10), (0, len(text))}
    for span in ((0, len(text) + 1), (5, 5), (7, 3), (-1, 4)):
        with pytest.raises(Refused, match="outside the text"):
            answering.mark(task, recall, source, span)
    with pytest.raises(Refused, match="no passage is in sight"):
        answering.mark(task, utility, source, (0, 4))
    answering.unmark(task, recall, source, (3, 10))
    answering.unmark(task, recall, source, (3, 10))
    assert Evidence.objects.get().end == len(text)


def test_what_nothing_supports_lies_in_the_text_that_is_judged(task):
    _, recall, support = steps(task)
    for step in (recall, support):  # of a citation, the statement that it stands in
        mark = answering.mark(task, step, None, (4, 13))
        assert answering.mark(task, step, None, (4, 13)) == mark
        assert (mark.kind, mark.text) == ("unsupported", "Zugspitze")
    length = len(recall.unit.text)
    with pytest.raises(Refused, match="outside the text"):
        answering.mark(task, support, None, (0, length + 1))
    answering.unmark(task, recall, None, (4, 13))
    assert Evidence.objects.get().dimension == "citation_support"


def test_marks_for_one_question_are_limited(task, monkeypatch):
    monkeypatch.setattr(answering, "MOST_MARKS", 2)
    _, recall, _ = steps(task)
    for span in ((0, 1), (0, 2), (0, 1)):
        answering.mark(task, recall, None, span)
    with pytest.raises(Refused, match="More than 2 stretches"):
        answering.mark(task, recall, recall.sources[0], (0, 1))


# Two batches -------------------------------------------------------------------------------------


def test_what_counts_in_a_closed_batch_does_not_change_by_way_of_another(task):
    """Batches cannot be made so; ratings from before, or a closed one of nobody's, may be."""
    answer_all(task)
    answering.finish(task)
    close_batch(task.batch)
    response = task.item.response
    work = batch_of(
        task.batch.study, "Another", responses=type(response).objects.filter(pk=response.pk),
        dimensions=["utility", "citation_recall"],
    )  # fmt: skip
    again = assignments.next_task(work, task.judge)
    assert isinstance(again, Assignment)
    assert unanswered(steps(again), answering.answers_of(again)) == []
    for step in steps(again):
        before = stored(task, step)
        with pytest.raises(Refused, match="in “Round 1”, which is closed"):
            answering.save_answer(again, step, value=step.dimension.choices[1].value)
        assert stored(task, step).value == before.value
    assert answering.finish(again).is_done


def test_other_questions_in_another_batch_are_answered(study):
    load(study, [response("The Zugspitze is high [1].")])
    first = open_work(study, dimensions=["utility"])
    judge = rater(study, "judge")
    done = assignments.next_task(first, judge)
    assert isinstance(done, Assignment)
    answer_all(done)
    answering.finish(done)
    close_batch(first)
    second = open_work(study, name="Round 2", dimensions=["citation_recall", "citation_support"])
    task = assignments.next_task(second, judge)
    assert isinstance(task, Assignment)
    answer_all(task)
    assert answering.finish(task).is_done
