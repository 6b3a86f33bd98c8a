"""The raters of a study, as its researchers see them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Flag, Judge, PracticeRound, StandingChange, Unit
from evaluation.labels import raters
from tests.annotate.pages import policy_faults, visible
from tests.evaluation.desk import batch, exclude, rater, says, task, unit
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@shared_rows
def rated(peaks, three, quiet):
    """Two statements by all three, a third by one: rater-3 alone says no to the first."""
    quiet()
    for key, question, values in (
        ("s1", "q1", ("yes", "yes", "no")),
        ("s2", "q1", ("no", "no", "no")),
        ("s1", "q2", ("yes",)),
    ):
        for number, (judge, value) in enumerate(zip(three, values, strict=False)):
            where = unit(peaks, key, question=question)
            says(judge, where, "citation_recall", value, seconds=10.0 * (number + 1))
    return peaks


def listed(study):
    return {row.judge.name: row for row in raters.rater_rows(study)}


# The list ----------------------------------------------------------------------------------------


def test_volume_pace_and_agreement(rated, three):
    found = listed(rated)
    one, three_ = found["rater-1"], found["rater-3"]
    assert (one.answers, one.seconds, one.skips) == (3, 10.0, 0)
    # s1: of the others one says yes too, one says no. s2: all say no. (1/2 + 2/2) / 2.
    assert (one.others.value, one.others.comparisons, one.others.units) == (0.75, 4, 2)
    # s1: none of the others says no. s2: as all.
    assert (three_.others.value, three_.others.comparisons, three_.others.units) == (0.5, 4, 2)
    assert three_.seconds == 30.0


def test_excluded_raters_are_listed_and_compare_with_nobody(rated, three):
    exclude(three[2])
    found = listed(rated)
    assert found["rater-3"].answers == 2
    # Without rater-3 there is one other on each unit.
    one, three_ = found["rater-1"].others, found["rater-3"].others
    assert (one.value, one.comparisons, one.units) == (1.0, 2, 2)
    assert (three_.value, three_.comparisons, three_.units) == (0.5, 4, 2)


def known(study, three):
    """Gold in a batch: s1 is known to be yes, s2 to be yes too."""
    judge = rater(study, "known answers", kind=Judge.Kind.REFERENCE)
    for key in ("s1", "s2"):
        says(judge, unit(study, key), "citation_recall", "yes")
    made = batch(study, "citation_recall", gold=judge, gold_percent=20)
    item = made.items.get(response=unit(study, "r").response)
    item.is_gold = True
    item.save()
    for one in three:
        task(item, one)
    return made


def test_agreement_with_what_is_known(rated, three):
    known(rated, three)
    found = listed(rated)
    assert (found["rater-1"].gold.right, found["rater-1"].gold.asked) == (1, 2)
    assert (found["rater-3"].gold.right, found["rater-3"].gold.asked) == (0, 2)
    page = raters.rater(three[0])
    [(dimension, work)] = [(d.key, w) for d, w in page.dimensions if w.gold.of]
    assert (dimension, work.gold.hits, work.gold.of) == ("citation_recall", 1, 2)
    assert (page.total.gold.hits, page.total.gold.of) == (1, 2)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("name", ["rater-1", "rater-2", "rater-3", "rater-4"]),
        ("-name", ["rater-4", "rater-3", "rater-2", "rater-1"]),
        ("answers", ["rater-4", "rater-2", "rater-3", "rater-1"]),
        ("-seconds", ["rater-3", "rater-2", "rater-1", "rater-4"]),
        ("seconds", ["rater-1", "rater-2", "rater-3", "rater-4"]),
        ("-others", ["rater-1", "rater-2", "rater-3", "rater-4"]),
        ("gold", ["rater-1", "rater-2", "rater-3", "rater-4"]),
        ("-seen", ["rater-3", "rater-2", "rater-1", "rater-4"]),
    ],
)
def test_sorting_puts_what_is_not_known_last(rated, three, by, expected):
    rater(rated, "rater-4")
    for days, judge in enumerate(three):
        judge.judgments.update(created_at=NOON + timedelta(days=days))
    rows = [row for row in raters.rater_rows(rated) if row.judge.name != "Simulated rater 7"]
    assert [row.judge.name for row in raters.sort(rows, by)] == expected


def test_the_list_takes_as_many_queries_for_more_raters(rated, three):
    raters.rater_rows(rated)
    with CaptureQueriesContext(connection) as few:
        raters.rater_rows(rated)
    for number in range(4, 30):
        judge = rater(rated, f"rater-{number}")
        says(judge, unit(rated, "s1"), "citation_recall", "yes")
    raters.rater_rows(rated)
    with CaptureQueriesContext(connection) as many:
        raters.rater_rows(rated)
    assert len(many) == len(few)


# One rater ---------------------------------------------------------------------------------------


def drifting(study, judge, others, answers):
    """Answers one after the other, each compared with what the others say: always yes."""
    root = unit(study, "r")
    for number, value in enumerate(answers):
        where = Unit.objects.create(
            response=root.response, parent=root, kind="statement", key=f"s{100 + number}",
            ordinal=100 + number, text="So.", start=0, end=1,
        )  # fmt: skip
        for other in others:
            says(other, where, "citation_recall", "yes")
        at = NOON + timedelta(minutes=number)
        says(judge, where, "citation_recall", value, created_at=at, seconds=float(number))


def test_drift_over_ten_parts(peaks, three, quiet):
    quiet()
    drifting(peaks, three[0], three[1:], ["yes"] * 20 + ["no"] * 5)
    parts = raters.rater(three[0]).drift.periods
    # 25 answers: the parts end at 2, 5, 7, 10, 12, 15, 17, 20, 22, 25.
    assert [part.others.units for part in parts] == [2, 3, 2, 3, 2, 3, 2, 3, 2, 3]
    assert [part.others.value for part in parts] == [1.0] * 8 + [0.0] * 2
    assert (parts[0].first, parts[-1].last) == (NOON, NOON + timedelta(minutes=24))
    assert [part.seconds for part in parts[:2]] == [0.5, 3.0]


# Pages -------------------------------------------------------------------------------------------


def test_the_list_as_a_page(rated, three, bob, signed_in):
    says(three[2], unit(rated, "r"), "utility", "4")
    exclude(three[2])
    html = signed_in(bob).get(reverse("raters", args=["peaks"])).content.decode()
    text = visible(html)
    assert "3 answers of excluded raters or in unfinished tasks are kept, but not used" in text
    assert "the number is the mean of these shares" in text
    assert "100 % over 2 comparisons on 2 units" in text
    assert "rater-3 excluded" in text
    assert reverse("rater", args=["peaks", three[0].pk]) in html
    assert policy_faults(html) == []


def test_a_click_on_a_heads_sorts_and_then_turns_round(rated, three, bob, signed_in):
    client, path = signed_in(bob), reverse("raters", args=["peaks"])
    first = client.get(path).content.decode()
    assert 'href="?sort=answers"' in first
    assert 'href="?sort=-name"' in first
    assert 'aria-sort="ascending"' in first
    turned = client.get(path, {"sort": "answers"}).content.decode()
    assert 'href="?sort=-answers"' in turned
    assert turned.index(">rater-2<") < turned.index(">rater-1<")
    assert client.get(path, {"sort": "nonsense"}).status_code == 200


def test_one_rater_as_a_page(rated, three, alice, bob, signed_in):
    made = known(rated, three)
    says(three[0], unit(rated, "r"), "utility", reason="I do not know the subject")
    Flag.objects.create(judge=three[0], unit=unit(rated, "s1"), reason="broken", note="cut off")
    trainee = rater(rated, "t", kind=Judge.Kind.TRAINEE)
    practice = batch(rated, "citation_recall", name="Warming up", purpose="practice")
    PracticeRound.objects.create(
        batch=practice, judge=three[0], trainee=trainee, number=1,
        finished_at=NOON, asked=5, right=4, passed=True,
    )  # fmt: skip
    StandingChange.objects.create(judge=three[0], standing="paused", reason="Too quick", by=alice)
    StandingChange.objects.create(judge=three[0], standing="active", reason="Talked to them")
    html = signed_in(bob).get(reverse("rater", args=["peaks", three[0].pk])).content.decode()
    text = visible(html)
    for words in (
        "Agreement with others 75 %",
        "Gold accuracy 50 %",
        "1 × utility I do not know the subject",
        "Broken text, s1 cut off",
        "Warming up, round 1: 4 of 5 right, passed",
        f"{made.name} 1 task done",
        "paused Too quick",
        "Alice",
        "by rule",
    ):
        assert words in text
    assert policy_faults(html) == []


@pytest.mark.parametrize("kind", ["automatic", "reference", "trainee", "adjudicated", "majority"])
def test_other_judges_have_no_page(rated, bob, signed_in, kind):
    other = rater(rated, "other", kind=kind)
    assert signed_in(bob).get(reverse("rater", args=["peaks", other.pk])).status_code == 404


def test_the_tab_is_for_researchers(rated, bob, rita, signed_in):
    tab = reverse("raters", args=["peaks"])
    assert tab in signed_in(bob).get(reverse("disputes", args=["peaks"])).content.decode()
    assert tab not in signed_in(rita).get(reverse("guidelines", args=["peaks"])).content.decode()
