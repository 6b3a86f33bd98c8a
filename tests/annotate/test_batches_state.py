"""Opening, closing, changing and deleting batches; ratings taken over from files."""

from typing import Any, cast

import pytest

from annotate.content.judgments import judge_of
from annotate.exchange.deletion import delete_batch
from annotate.models import Assignment, Batch, BatchItem, Judge, Judgment
from annotate.rating import gold
from annotate.rating.assignments import NoTask, WhyNoTask, finish, next_task
from annotate.rating.batches import (
    BatchTerms,
    Selection,
    adopt_ratings,
    change_batch,
    close_batch,
    create_batch,
    open_batch,
    without_known_answers,
)
from annotate.web.errors import Refused
from tests.annotate.deleting import gone
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.shared_rows import shared_rows

KEY = "Answer key"


@shared_rows
def peaks(study):
    load(
        study,
        [
            response(f"It is {n} metres high [1].", question_id=f"q{n}", question=f"Peak {n}?")
            for n in range(1, 4)
        ],
    )
    return study


@shared_rows
def key(peaks):
    rows = [judgment("s1", "citation_recall", "yes", judge=KEY, judge_kind="reference")]
    load_judgments(peaks, rows)
    return Judge.objects.get(study=peaks, name=KEY)


@shared_rows
def batch(peaks):
    return create_batch(peaks, name="Pilot", raters_per_item=2)


def changed(batch, **terms):
    return change_batch(batch, cast("BatchTerms", {**terms_of(batch), **terms}))


def terms_of(batch):
    return {name: getattr(batch, name) for name in BatchTerms.__annotations__}


def rate(batch, judge):
    task = next_task(batch, judge)
    assert isinstance(task, Assignment)
    return finish(task)


def practice_on(study, key, *ids, **more):
    chosen = Selection(questions="list", listed=ids)
    return create_batch(
        study, name="Practice", purpose="practice", selection=chosen, gold=key, **more
    )


def test_a_batch_opens_closes_and_opens_again(batch, rita):
    judge = judge_of(batch.study, rita)
    assert next_task(batch, judge) == NoTask(WhyNoTask.CLOSED)
    opened = open_batch(batch)
    assert (opened.state, opened.closed_at) == ("open", None)
    first = opened.opened_at
    assert isinstance(next_task(batch, judge), Assignment)
    closed = close_batch(batch)
    assert closed.state == "closed"
    assert first is not None
    assert closed.closed_at is not None
    assert closed.closed_at >= first
    assert next_task(batch, judge) == NoTask(WhyNoTask.CLOSED)
    again = open_batch(batch)
    assert (again.state, again.opened_at, again.closed_at) == ("open", first, None)
    assert isinstance(next_task(batch, judge), Assignment)


def test_opening_and_closing_have_conditions_and_are_idempotent(batch):
    with pytest.raises(Refused, match="never open"):
        close_batch(batch)
    first = open_batch(batch)
    assert open_batch(batch).opened_at == first.opened_at
    closed = close_batch(batch)
    assert close_batch(batch).closed_at == closed.closed_at
    batch.study.responses.update(live=None)
    with pytest.raises(Refused, match="Nothing is in this batch"):
        open_batch(batch)


def test_practice_opens_when_something_is_known_of_each_task(peaks, key):
    chosen = Selection(gold_listed=("q3",))
    work = create_batch(peaks, name="Work", selection=chosen, gold=key, gold_percent=10)
    with pytest.raises(Refused, match=r"q3 \(Vermilion\)"):
        open_batch(work)
    practice = practice_on(peaks, key, "q1", "q2")
    assert [item.response.question.external_id for item in without_known_answers(practice)] == [
        "q2"
    ]
    with pytest.raises(Refused, match=r"No answer is known yet for “q2 \(Vermilion\)”"):
        open_batch(practice)
    rows = [judgment("s1", "citation_recall", "no", judge=KEY, judge_kind="reference",
                     question_id="q2")]  # fmt: skip
    load_judgments(peaks, rows)
    assert open_batch(practice).is_open


def test_the_practice_opens_before_the_work_that_asks_for_it(peaks, key):
    practice = practice_on(peaks, key, "q1")
    work = create_batch(peaks, name="Work", qualification=practice)
    with pytest.raises(Refused, match="Open the practice “Practice” first"):
        open_batch(work)
    open_batch(practice)
    assert open_batch(work).is_open


# Changing ----------------------------------------------------------------------------------------


def test_terms_change_until_the_batch_is_closed(batch):
    for name in ("One", "Two"):
        new = {"name": name, "raters_per_item": 5, "lease_minutes": 7, "tasks_per_rater": 9}
        terms = terms_of(batch) | new
        batch = changed(batch, **new)
        batch.refresh_from_db()
        assert terms_of(batch) == terms
        open_batch(batch)
    close_batch(batch)
    with pytest.raises(Refused, match="Open it again to change it"):
        changed(batch, name="Other")


def test_terms_that_do_not_fit_are_refused(subtests, batch):
    Batch.objects.create(
        study=batch.study, name="Taken", dimensions=[], raters_per_item=1, lease_minutes=1
    )
    unfit: list[tuple[dict[str, Any], str]] = [
        ({"name": "  "}, "Give the batch a name"),
        ({"name": "Taken"}, "“Taken” already"),
        ({"gold_percent": 5}, "needs gold questions"),
        ({"gold_mark": 5}, "needs gold questions"),
        ({"raters_per_item": 0}, "number of raters"),
        ({"pass_mark": 101}, "at most 100"),
    ]
    for changes, said in unfit:
        with subtests.test(changes=changes):
            before = terms_of(batch)
            with pytest.raises(Refused, match=said):
                changed(batch, **changes)
            batch.refresh_from_db()
            assert terms_of(batch) == before


def test_fewer_ratings_than_there_are_cannot_be_asked_for(batch, rita, bob):
    open_batch(batch)
    for user in (rita, bob):
        judge = judge_of(batch.study, user)
        for _ in range(3):
            rate(batch, judge)
    with pytest.raises(Refused, match="has 2 finished ratings already"):
        changed(batch, raters_per_item=1)
    assert changed(batch, raters_per_item=3).raters_per_item == 3
    Judge.objects.filter(user=bob).update(standing="excluded")
    assert changed(batch, raters_per_item=1).raters_per_item == 1


def test_practice_and_gold_keep_their_terms(peaks, key):
    practice = practice_on(peaks, key, "q1")
    with pytest.raises(Refused, match="Practice neither asks for other practice"):
        changed(practice, qualification=practice)
    chosen = Selection(gold_listed=("q2",))
    work = create_batch(peaks, name="Work", selection=chosen, gold=key, gold_percent=10)
    with pytest.raises(Refused, match="at least 1 percent"):
        changed(work, gold_percent=0)
    assert changed(work, gold_percent=20).gold_percent == 20


# Deleting ----------------------------------------------------------------------------------------


def test_batch_is_deleted_only_while_nobody_took_part(batch, rita):
    open_batch(batch)
    next_task(batch, judge_of(batch.study, rita))
    close_batch(batch)
    with pytest.raises(Refused, match="Raters took part"):
        delete_batch(batch)
    Assignment.objects.all().delete()
    removal = delete_batch(batch)
    assert not Batch.objects.exists()
    assert BatchItem.objects.count() == 3, "it can be put back"
    gone(removal)
    assert not Batch.every.exists()
    assert not BatchItem.objects.exists()


def test_practice_is_deleted_when_no_batch_asks_for_it_and_known_answers_stay(peaks, key):
    practice = practice_on(peaks, key, "q1")
    gold.writing_task(practice, practice.items.get())
    work = create_batch(peaks, name="Work", qualification=practice)
    with pytest.raises(Refused, match="“Work” asks for this practice"):
        delete_batch(practice)
    delete_batch(work)
    gone(delete_batch(practice))
    assert not Assignment.objects.exists()
    assert Judgment.objects.filter(judge=key).count() == 1


# Ratings from files ------------------------------------------------------------------------------


def rate_wholly(study, judge, question, day):
    load_judgments(
        study,
        [
            judgment(unit, dimension, value, judge=judge, question_id=question,
                     created=f"2025-03-{day:02}T1{n}:00:00+00:00")
            for n, (unit, dimension, value) in enumerate((
                ("r", "utility", "4"),
                ("s1", "citation_recall", "yes"),
                ("s1.c1", "citation_support", "full"),
            ))
        ],
    )  # fmt: skip


def test_what_was_judged_wholly_is_taken_over(peaks):
    rate_wholly(peaks, "A", "q1", 3)
    rate_wholly(peaks, "B", "q1", 5)
    load_judgments(peaks, [judgment("s1", "citation_recall", "yes", judge="B", question_id="q2")])
    batch = create_batch(peaks, name="Simulated", raters_per_item=2)
    judges = list(peaks.judges.filter(kind="simulated"))
    assert adopt_ratings(batch, judges) == 2
    rows = batch.assignments.order_by("done_at")
    assert [
        (row.judge.name, row.state, row.item.response.question.external_id) for row in rows
    ] == [
        ("A", "done", "q1"),
        ("B", "done", "q1"),
    ]
    assert [f"{row.created_at:%d %H} {row.done_at:%d %H}" for row in rows] == [
        "03 10 03 12",
        "05 10 05 12",
    ]
    assert (batch.state, batch.opened_at, batch.closed_at) == (
        "closed", rows[0].created_at, rows[1].done_at
    )  # fmt: skip


def test_no_more_are_taken_over_than_the_batch_wants(peaks):
    for judge, day in (("A", 9), ("B", 3), ("C", 5)):
        rate_wholly(peaks, judge, "q1", day)
    batch = create_batch(peaks, name="Simulated", raters_per_item=2)
    assert adopt_ratings(batch, list(peaks.judges.filter(kind="simulated"))) == 2
    assert set(batch.assignments.values_list("judge__name", flat=True)) == {"B", "C"}


def test_single_units_are_taken_over_one_by_one(peaks):
    load_judgments(peaks, [judgment("s1", "citation_recall", "yes", judge="A")])
    batch = create_batch(peaks, name="Units", granularity="unit")
    assert adopt_ratings(batch, list(peaks.judges.filter(kind="simulated"))) == 1
    assert batch.assignments.get().item.unit.key == "s1"
