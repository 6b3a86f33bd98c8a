"""What judges said about a response, for its page."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.content.judgments import judge_of, record_judgment
from annotate.content.response_judgments import flags, tallies
from annotate.models import Assignment, Evidence, Flag, Judge, Unit
from annotate.rating import practice
from annotate.rating.assignments import give_back
from annotate.studies.lifecycle import create_study
from tests.annotate.batched import rows
from tests.annotate.desk import practice_of
from tests.annotate.loading import judgment, load, load_judgments
from tests.annotate.pages import visible
from tests.annotate.rating import open_work, take
from tests.shared_rows import shared_rows


@shared_rows
def first(peaks):
    return peaks.responses.order_by("pk").first()


def named(tally):
    """What others said, with the names of the judges."""
    return tuple((one.judge.name, one.label, one.score) for one in tally.others)


def units(response):
    return {unit.key: unit for unit in Unit.objects.filter(response=response)}


def by_place(response, *, hide_automatic=False):
    found = tallies(response, response.study.protocol, hide_automatic=hide_automatic)
    return {(tally.unit, tally.title): tally for tally in found}


def test_people_are_counted_and_others_are_named(first, peaks, rita):
    record_judgment(
        judge=judge_of(peaks, rita),
        unit=units(first)["s1"],
        dimension="citation_recall",
        value="yes",
    )
    found = by_place(first)
    recall = found["s1", "Citation recall"]
    assert recall.people == (("Yes", 2),)
    assert named(recall) == (("autoais|scorer:tiny", "No", 0.25),)
    assert recall.notes == (("Simulated rater 7", "Plainly so."),)
    assert [one.why for one in recall.others] == ["entailment 0.25"]
    assert found["s2.c1", "Citation support"].people == (("Partial support", 1),)
    assert len(found) == 2


def test_who_counts_as_people(subtests, first, peaks):
    for kind in Judge.Kind.values:
        with subtests.test(kind=kind):
            by = {"judge": kind, "judge_kind": kind}
            load_judgments(peaks, [judgment("s2", "citation_recall", "no", **by)])
            tally = by_place(first)["s2", "Citation recall"]
            is_person = kind in {"human", "simulated"}
            assert ((kind, "No", None) in named(tally)) is not is_person
    assert tally.people == (("No", 2),)


def test_automatic_judgments_are_hidden_with_their_notes(first, peaks):
    load_judgments(
        peaks,
        [
            judgment("s2", "citation_recall", "no", judge="auto", judge_kind="automatic"),
            judgment("s2.c2", "citation_support", "full", judge="gold", judge_kind="reference"),
        ],
    )
    found = by_place(first, hide_automatic=True)
    assert named(found["s1", "Citation recall"]) == ()
    assert found["s1", "Citation recall"].notes == (("Simulated rater 7", "Plainly so."),)
    assert ("s2", "Citation recall") not in found
    assert named(found["s2.c2", "Citation support"]) == (("gold", "Full support", None),)


def test_two_queries_however_many_judged(first, peaks, django_assert_num_queries):
    rows = [judgment("s1", "citation_recall", "yes", judge=f"j{n}") for n in range(20)]
    load_judgments(peaks, rows)
    with django_assert_num_queries(2):  # of what a judge gave reasons for, the words, too
        assert by_place(first)["s1", "Citation recall"].people == (("Yes", 21),)


def test_excluded_raters_are_left_out_and_counted(first, peaks, signed_in, alice):
    rows = [judgment("s1", "citation_recall", "no", judge=f"j{n}", note="Nay.") for n in range(3)]
    load_judgments(peaks, rows)
    Judge.objects.filter(name__in=["j0", "j1"]).update(standing="excluded")
    Judge.objects.filter(name="autoais|scorer:tiny").update(standing="excluded")
    recall = by_place(first)["s1", "Citation recall"]
    assert recall.people == (("Yes", 1), ("No", 1))
    assert recall.left_out == 2
    assert ("j0", "Nay.") not in recall.notes
    assert ("j2", "Nay.") in recall.notes
    assert len(recall.others) == 1
    page = signed_in(alice).get(reverse("response", args=["peaks", first.pk]))
    text = page.content.decode()
    assert "2 judgments of excluded raters or in unfinished tasks are left out" in text


def test_flags_are_counted_by_reason_until_they_are_taken_back(first, peaks, signed_in, alice):
    judges = [
        Judge.objects.create(study=peaks, name=f"rater-{n}", kind="human", standing=standing)
        for n, standing in enumerate(["active", "excluded", "active", "active"])
    ]
    s1, s2 = units(first)["s1"], units(first)["s2"]
    for judge, unit, reason, note in (
        (judges[0], s2, "other", "Odd."),
        (judges[1], s1, "broken", ""),
        (judges[2], s1, "broken", "Cut off."),
        (judges[3], s1, "offensive", ""),
    ):
        Flag.objects.create(judge=judge, unit=unit, reason=reason, note=note)
    Flag.objects.create(judge=judges[0], unit=s1, reason="other", withdrawn_at=timezone.now())
    assert [(f.unit, f.reason, f.count, f.notes) for f in flags(first)] == [
        ("s1", "Broken text", 2, (("rater-2", "Cut off."),)),
        ("s1", "Offensive", 1, ()),
        ("s2", "Something else", 1, (("rater-0", "Odd."),)),
    ]
    page = signed_in(alice).get(reverse("response", args=["peaks", first.pk]))
    assert "2 × Broken text" in page.content.decode()


REASON = "entailment 0.25"


@pytest.fixture
def seen(first, peaks, signed_in, alice):
    """What the page of the first response says to a person who may rate it."""

    def page(who=alice, **query):
        answered = signed_in(who).get(reverse("response", args=["peaks", first.pk]), query)
        return visible(answered.content.decode())

    return page


def begun(first, batch, judge):
    return Assignment.objects.create(
        batch=batch,
        item=batch.items.get(response=first),
        judge=judge,
        lease_until=timezone.now(),
    )


def test_words_that_a_judge_points_at_without_a_reason_stand_there_and_are_held_back(
    first, peaks, alice, seen
):
    machine = Judge.objects.create(study=peaks, kind=Judge.Kind.AUTOMATIC, name="model|v:2")
    about = {"judge": machine, "unit": units(first)["s1"], "dimension": "citation_recall"}
    record_judgment(**about, value="yes")
    source = first.sources.earliest("n")
    Evidence.objects.filter(source__response=first).delete()
    Evidence.objects.create(**about, source=source, start=0, end=8)
    batch = open_work(peaks)
    shown = f"{source.passage.text[:8]} [{source.n}]"
    assert shown in seen()
    begun(first, batch, judge_of(peaks, alice))
    assert shown not in seen()


def test_reasons_of_judges_are_held_back_while_one_rates(first, peaks, alice, bob, seen):
    batch = open_work(peaks)
    assert REASON in seen()
    task = begun(first, batch, judge_of(peaks, alice))
    held = seen()
    assert REASON not in held
    assert "No (0.25)" in held
    assert "“Plainly so.”" in held
    assert "The reasons of automatic judges appear when you have finished." in held
    assert REASON in seen(bob)
    other = peaks.responses.filter(question=first.question).exclude(pk=first.pk).first()
    assert REASON not in seen(beside=other.pk)
    done = {"state": Assignment.State.DONE, "done_at": timezone.now()}
    Assignment.objects.filter(pk=task.pk).update(**done)
    assert REASON in seen()
    trial = practice_of(peaks)
    begun(first, trial, practice.begin(trial, judge_of(peaks, alice)).trainee)
    assert REASON not in seen()


def test_reasons_about_a_pair_are_held_back_on_the_pages_of_both(alice, signed_in):
    study = create_study(name="Pairs", slug="pairs", preset="pairwise", owner=alice)
    load(study, rows(questions=1))
    batch = open_work(study)
    task = take(signed_in(alice), batch)
    pair = task.item.unit
    machine = Judge.objects.create(study=study, kind=Judge.Kind.AUTOMATIC, name="model|v:2")
    record_judgment(
        judge=machine, unit=pair, dimension="better_answer", value="better", note="Plainly better."
    )
    for response_id in (pair.response_id, pair.other_id):
        page = signed_in(alice).get(reverse("response", args=["pairs", response_id]))
        assert "Language model" in visible(page.content.decode())
        assert "Plainly better." not in page.content.decode()
    give_back(task, for_good=True)
    for response_id in (pair.response_id, pair.other_id):
        page = signed_in(alice).get(reverse("response", args=["pairs", response_id]))
        assert "Plainly better." in page.content.decode()
