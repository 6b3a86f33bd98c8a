"""A batch at work: progress, agreement, practice; exact counts, in few queries at any size."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.models import Flag, Judge, Judgment, PracticeRound, Unit
from annotate.web.bulk import insert
from evaluation.labels import batch_agreement, monitor, practice_rounds
from tests.annotate.pages import visible
from tests.evaluation.desk import batch, exclude, gives, rater, says, task, unit
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@shared_rows
def made(peaks, three, quiet):
    quiet()
    return batch(peaks, "utility", "citation_recall", "citation_support")


def items(batch):
    return list(batch.items.order_by("pk"))


def bars(progress):
    return {bar.ratings: bar.tasks for bar in progress.bars}


# Progress ----------------------------------------------------------------------------------------


def test_tasks_by_number_of_complete_ratings(made, three):
    first, second, third, _ = items(made)
    gives_to = [(first, three), (second, three[:1])]
    for item, judges in gives_to:
        for judge in judges:
            task(item, judge)
    task(third, three[0], state="active")
    found = monitor.progress(made)
    assert bars(found) == {0: 2, 1: 1, 2: 0, 3: 1}
    assert (found.done, found.wanted, found.percent) == (4, 12, 33)
    assert [(bar.ratings, round(bar.percent)) for bar in found.bars] == [
        (0, 50),
        (1, 25),
        (2, 0),
        (3, 25),
    ]


def test_progress_lists_active_raters_and_leases(made, three):
    now = timezone.now()
    first, second, third, fourth = items(made)
    task(first, three[0], state="active")
    task(second, three[1], state="active", at=now - timedelta(minutes=20))
    task(third, three[2], state="active", lease_until=now - timedelta(minutes=1))
    task(fourth, three[1], at=now - timedelta(minutes=45))
    found = monitor.progress(made)
    assert found.at_work == ("rater-1", "rater-3")
    assert [lease.judge.name for lease in found.leases] == ["rater-2", "rater-1"]
    assert found.lease_count == 2
    assert found.raters == 3


def test_pace_and_projected_end(made, three):
    now = timezone.now()
    first, second, third, fourth = items(made)
    task(first, three[0], at=now - timedelta(hours=4) + timedelta(minutes=5))
    task(second, three[0], at=now - timedelta(minutes=30))
    task(third, three[0], at=now - timedelta(minutes=20))
    found = monitor.progress(made)
    assert found.last_hour == 2
    assert found.per_hour == pytest.approx(3 / 4, abs=0.01)
    # Nine ratings are left, two an hour.
    assert found.forecast.end is not None
    assert found.forecast.end - found.at == timedelta(hours=4.5)
    assert fourth.assignments.count() == 0


# Agreement ---------------------------------------------------------------------------------------


def by_dimension(rows):
    return {row.dimension.key: row for row in rows}


def test_agreement_by_hand(made, three, peaks):
    for judge in three:
        gives(made, judge)
    for key, question, values in (
        ("s1", "q1", ("yes", "yes", "no")),
        ("s2", "q1", ("no", "no")),
        ("s1", "q2", ("yes",)),
    ):
        for judge, value in zip(three, values, strict=False):
            says(judge, unit(peaks, key, question=question), "citation_recall", value)
    row = by_dimension(batch_agreement.agreement(made))["citation_recall"]
    assert (row.units, row.raters) == (2, 3)
    # Pairs: 1 of 3 and 1 of 1. Alpha: see test_alpha, the first example.
    assert row.observed.value == pytest.approx(2 / 4)
    assert row.alpha.value == pytest.approx(1 / 3)
    # Both units are about one of two questions, which is not in a quarter of the draws.
    reason = "too few different answers to tell"
    assert (row.interval.low, row.interval.reason) == (None, reason)


def many(study, made, judges, count):
    """`count` statements in one more response of the batch, all rated by all: done in bulk."""
    item = items(made)[0]
    root = item.unit
    units = [
        Unit(
            response=item.response, parent=root, kind="statement", key=f"s{n}", ordinal=n,
            text=f"Statement {n}.", start=0, end=1,
        )
        for n in range(100, 100 + count)
    ]  # fmt: skip
    Unit.objects.bulk_create(units)
    insert(
        [
            Judgment(judge=judge, unit=one, dimension="citation_recall", value=value)
            for one in Unit.objects.filter(response=item.response, key__gte="s100")
            for judge, value in zip(judges, ("yes", "no", "yes"), strict=False)
            if one.ordinal >= 100
        ]
    )


def queries(work):
    with CaptureQueriesContext(connection) as seen:
        work()
    return len(seen)


def test_ten_thousand_answers_take_no_more_queries(made, three, peaks):
    for judge in three:
        gives(made, judge)
    batch_agreement.agreement(made)
    few = [queries(lambda f=f: f(made)) for f in (monitor.progress, batch_agreement.agreement)]
    many(peaks, made, three, 3_400)
    assert Judgment.objects.count() > 10_000
    batch_agreement.refresh(made)
    assert [
        queries(lambda f=f: f(made)) for f in (monitor.progress, batch_agreement.agreement)
    ] == few
    assert few[0] <= 8
    assert few[1] <= 5
    assert by_dimension(batch_agreement.agreement(made))["citation_recall"].units == 3_400


def test_agreement_is_kept_until_somebody_answers_or_is_excluded(made, three, peaks):
    for judge in three:
        gives(made, judge)
        says(judge, unit(peaks, "s1"), "citation_recall", "yes")
    first = queries(lambda: batch_agreement.agreement(made))
    assert queries(lambda: batch_agreement.agreement(made)) < first

    def units():
        return {
            row.dimension.key: (row.units, row.raters) for row in batch_agreement.agreement(made)
        }

    assert units()["citation_recall"] == (1, 3)
    says(three[0], unit(peaks, "s2"), "citation_recall", "no")
    says(three[1], unit(peaks, "s2"), "citation_recall", "no")
    assert units()["citation_recall"] == (2, 3)
    exclude(three[2])
    assert units()["citation_recall"] == (2, 2)


# Practice ----------------------------------------------------------------------------------------


@shared_rows
def practice(peaks, three, quiet):
    quiet()
    return batch(peaks, "citation_recall", name="Practice", purpose="practice", pass_mark=80)


def trains(practice, judge, number, values, *, right, finished=True):
    """A round of a rater, who gives these answers to the statements of the first response."""
    study = practice.study
    trainee = rater(study, f"{judge.name}, {number}", kind=Judge.Kind.TRAINEE)
    PracticeRound.objects.create(
        batch=practice, judge=judge, trainee=trainee, number=number,
        finished_at=timezone.now() if finished else None,
        asked=len(values) if finished else 0, right=right, passed=right == len(values),
    )  # fmt: skip
    task(practice.items.get(response=unit(study, "r").response), trainee)
    for key, value in zip(("s1", "s2"), values, strict=False):
        reason = "" if value else "cannot tell"
        says(trainee, unit(study, key), "citation_recall", value, reason=reason)


def test_rounds_by_hand(practice, three):
    trains(practice, three[0], 1, ("yes", "yes"), right=1)
    trains(practice, three[1], 1, ("no", "yes"), right=0)
    trains(practice, three[2], 1, ("yes", "no"), right=0, finished=False)
    trains(practice, three[0], 2, ("yes", "no"), right=2)
    trains(practice, three[1], 2, ("yes", "no"), right=2)
    first, second = practice_rounds.practice(practice).rounds
    assert (first.number, first.begun, first.finished, first.passed) == (1, 3, 2, 0)
    assert first.share_right == 1 / 4
    # Of those who finished: yes no / yes yes. P = 1/2; P_e = 9/16 + 1/16; κ = -1/8 / 3/8.
    [kappa] = first.kappas
    assert kappa.value.value == pytest.approx(-1 / 3)
    assert kappa.units == 2
    assert (second.finished, second.passed, second.share_right) == (2, 2, 1.0)
    assert second.kappas[0].value.value == pytest.approx(1.0)


# Pages -------------------------------------------------------------------------------------------


def get(client, name, batch, **headers):
    page = client.get(reverse(name, args=[batch.study.slug, batch.pk]), headers=headers)
    return page.content.decode()


def test_the_page_of_progress(made, three, peaks, bob, signed_in):
    gives(made, three[0])
    says(three[0], unit(peaks, "r"), "utility", reason="no idea")
    Flag.objects.create(judge=three[0], unit=unit(peaks, "s1"), reason="broken")
    task(items(made)[0], three[1], state="active")
    text = visible(get(signed_in(bob), "batch-monitor", made))
    assert "Complete ratings 4 of 12" in text
    assert "Raters at work 2 of 2" in text
    assert "1 of 3 4" in text
    assert "1 task held rater-2" in text
    assert "At the pace of the last hour, the batch is finished" in text
    assert "Skipped dimensions 1 Flagged: broken text 1" in text
