"""Juries of a study's judges: what they say, what is left out, and who may make them."""

from io import BytesIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Judge, Judgment, Study, Unit
from annotate.services import deletion
from annotate.services.errors import Refused
from evaluation.models import Jury, JuryMember, TrainedOn, TrainedScorer
from evaluation.reading.labels import Method, labels
from evaluation.reading.trained_on import units_left_out
from evaluation.reporting.bundle import write_bundle
from evaluation.reporting.data_state import data_state
from evaluation.reporting.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.running.improving import judge_called
from evaluation.running.juries import form, juries_of, renew, tried_on
from evaluation.running.thresholds import use_threshold
from tests.annotate.concurrency import at_once
from tests.annotate.deleting import gone
from tests.annotate.loading import load, response
from tests.evaluation.services.combining import NAMES, answers, judged, judges, made_of
from tests.evaluation.services.test_thresholds import give, own_units

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db, pytest.mark.usefixtures("counts_hold")]


def said(judge):
    rows = judge.judgments.order_by("unit__response__question__external_id")
    return list(rows.values_list("value", "score", "skipped_reason", "note"))


def report_of(study):
    found = build(gather(study), Filters(resamples=20))
    ids = {one["name"]: one["id"] for one in found["judges"]}
    return found, {name: [r for r in found["agreement"] if r["judge"] == ids[name]] for name in ids}


# What it says ------------------------------------------------------------------------------------


def test_the_majority_of_three_is_a_judge_as_any_other(heard):
    jury = made_of(heard)
    assert jury.judge.name.startswith("jury|by:majority|judges:")
    assert jury.judge.title == "Jury of 3 judges, by majority"
    truth = ["yes" if n % 3 > 0 else "no" for n in range(40)]
    found = said(jury.judge)
    assert [value for value, *_ in found] == truth
    assert found[0] == ("no", 0.0, "", "No 3")
    assert found[5] == ("yes", 0.6667, "", "No 1, Yes 2")
    report, rows = report_of(heard)
    [row] = rows[jury.judge.name]
    assert (row["units"], row["kappa"]["value"]) == (40, 1.0)
    assert rows[NAMES[0]][0]["kappa"]["value"] < 1
    [described] = [one for one in report["judges"] if one["name"] == jury.judge.name]
    assert described["members"] == list(NAMES)
    assert described["items"] == ["attributable"]
    [note] = [one for one in report["method"] if one["key"] == "juries"]
    ids = {one["name"]: one["id"] for one in report["judges"]}
    assert ", ".join(ids[name] for name in NAMES) in note["text"]


def test_dawid_skene_says_what_it_says_of_people_with_the_same_votes(heard):
    jury = made_of(heard, "dawid-skene")
    found = dict(jury.judge.judgments.values_list("unit_id", "value"))
    Judgment.objects.filter(judge__name="rita").delete()
    for judge in judges(heard):
        person = Judge.objects.create(study=heard, kind="simulated", name=f"person {judge.pk}")
        for unit, value in judge.judgments.values_list("unit_id", "value"):
            Judgment.objects.create(
                judge=person, unit_id=unit, dimension="attributable", value=value
            )
    heard.judges.filter(name__startswith="Simulated").delete()
    of_people = {
        label.unit: label.value
        for label in labels(heard, Method.DAWID_SKENE)
        if label.dimension == "attributable" and label.unit in found
    }
    assert of_people == found


def test_what_has_no_verdict_says_why_and_is_no_guess(heard):
    _, second, third = judges(heard)
    units = list(own_units("r"))
    second.judgments.filter(unit=units[0]).delete()
    third.judgments.filter(unit=units[0]).update(value="", skipped_reason="the model cannot tell")
    third.judgments.filter(unit=units[1]).update(value="", skipped_reason="the model cannot tell")
    jury = made_of(heard)
    found = said(jury.judge)
    assert found[0] == ("", None, "fewer than two judges of the jury answered", "No 1")
    assert found[1] == ("yes", 1.0, "", "Yes 2")
    assert not Judgment.objects.filter(judge=jury.judge, unit=units[0]).exclude(value="").exists()


def test_a_tie_is_what_it_is_of_people_with_the_same_votes(heard):
    jury = form(heard, judges(heard)[:2], ["attributable"], "majority")
    assert said(jury.judge)[5] == ("no", 0.5, "", "No 1, Yes 1")
    for name, judge in zip(("p1", "p2"), judges(heard)[:2], strict=True):
        person = Judge.objects.create(study=heard, kind="simulated", name=name)
        Judgment.objects.filter(judge=judge).update(judge=person)
    Judgment.objects.filter(judge__name="rita").delete()
    of_people = {
        label.unit: label.value for label in labels(heard, Method.MAJORITY)
        if label.dimension == "attributable"
    }  # fmt: skip
    assert all(
        of_people[unit] == value
        for unit, value in jury.judge.judgments.values_list("unit_id", "value")
    )


def test_who_was_not_asked_votes_as_people_do(heard):
    """Who found an answer not interpretable was not asked whether it is attributable."""
    heard.dimensions = ["interpretable", "attributable"]
    heard.save()
    unit = own_units("r")[1]
    for judge in judges(heard)[:2]:
        judge.judgments.filter(unit=unit).delete()
        Judgment.objects.create(judge=judge, unit=unit, dimension="interpretable", value="no")
    jury = made_of(heard)
    assert said(jury.judge)[1] == ("no", 0.3333, "", "No 2, Yes 1")


def test_metrics_that_say_needed_or_not_are_a_jury_and_not_with_models(peaks):
    load(peaks, answers(3))
    units = list(own_units("s1.c1"))
    names = [f"alce|made:{n}|thr:0.5|v:1" for n in range(3)]
    made = [Judge.objects.create(study=peaks, kind="automatic", name=name) for name in names]
    for judge, values in zip(made, ("needed needed", "needed not_needed", "not_needed needed"),
                             strict=True):  # fmt: skip
        for unit, value in zip(units, values.split(), strict=False):
            Judgment.objects.create(
                judge=judge, unit=unit, dimension="citation_support", value=value
            )
    jury = form(peaks, made, ["citation_support"], "majority")
    assert [(value, score) for value, score, *_ in said(jury.judge)] == [
        ("needed", 0.6667),
        ("needed", 0.6667),
    ]
    [tried] = tried_on(peaks, made, ["citation_support"])
    assert "People answer “Citation support” otherwise" in tried.why_not
    with pytest.raises(Refused, match="People answer"):
        form(peaks, made, ["citation_support"], "weighted")
    model = Judge.objects.create(study=peaks, kind="automatic", name=NAMES[0])
    Judgment.objects.create(judge=model, unit=units[0], dimension="citation_support", value="full")
    with pytest.raises(Refused, match="Combine those that answer alike"):
        form(peaks, [*made, model], ["citation_support"], "majority")


def test_several_questions_are_answered_by_one_jury(heard):
    units = list(own_units("s1"))
    for judge in judges(heard):
        for unit in units:
            Judgment.objects.create(
                judge=judge, unit=unit, dimension="citation_recall", value="yes"
            )
    jury = made_of(heard)
    both = form(heard, judges(heard), ["attributable", "citation_recall"], "majority")
    assert both.judge == jury.judge
    assert both.judge.judgments.count() == 80
    [standing] = juries_of(heard)
    assert [one.key for one in standing.dimensions] == ["attributable", "citation_recall"]
    assert not standing.is_behind


# What is left out --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["half", "all"])
def test_weights_are_learned_on_labels_that_its_numbers_leave_out(heard, part):
    jury = made_of(heard, "weighted", part=part)
    learned = 20 if part == "half" else 40
    assert f"|labels:{learned}|part:{part}|" in jury.judge.name
    assert len(units_left_out(jury.judge)) == learned
    _, rows = report_of(heard)
    assert [row["units"] for row in rows[jury.judge.name]] == [20] * (part == "half")
    assert {*jury.weights["attributable"]} == {*NAMES}
    assert all(weight > 0 for weight in jury.weights["attributable"].values())
    again = made_of(heard, "weighted", part=part)
    assert again.judge == jury.judge
    assert (TrainedScorer.objects.count(), TrainedOn.objects.count()) == (1, learned)


def test_what_any_of_its_judges_learned_from_is_left_out_and_not_learned_from(heard):
    first, second, third = judges(heard)
    units = list(own_units("r"))
    for place, (judge, about) in enumerate(((second, units[:4]), (third, units[2:8]))):
        digest = f"{place}123456789abcdef"
        Judge.objects.filter(pk=judge.pk).update(
            name=judge.name.replace("model|", f"model|shown:{digest}|examples:4|", 1)
        )
        kept = TrainedScorer.objects.create(
            study=heard, fingerprint=digest, folder="", seed=1, agreement={}
        )
        TrainedOn.objects.bulk_create([TrainedOn(scorer=kept, unit=unit) for unit in about])
    members = list(Judge.objects.filter(pk__in=[first.pk, second.pk, third.pk]))
    jury = form(heard, members, ["attributable"], "majority")
    assert units_left_out(jury.judge) == {unit.pk for unit in units[:8]}
    _, rows = report_of(heard)
    assert [row["units"] for row in rows[jury.judge.name]] == [32]
    weighted = form(heard, members, ["attributable"], "weighted", part="all")
    assert "|labels:32|" in weighted.judge.name
    assert len(units_left_out(weighted.judge)) == 40
    [tried] = tried_on(heard, members, ["attributable"])
    assert tried.trial
    assert {way.units for way in tried.trial.ways} == {32}


def test_a_jury_has_no_threshold_of_its_own(heard):
    name = made_of(heard).judge.name
    for improved in (
        lambda: judge_called(heard, name),
        lambda: use_threshold(heard, name, "attributable", part="half"),
    ):
        with pytest.raises(Refused, match="A jury learns by its judges' weights"):
            improved()


def test_that_a_judge_is_simulated_is_said_of_its_jury(heard):
    judge = judges(heard)[0]
    judge.name = "model|simulated:1|model:x|style:direct:1.ab|v:1"
    judge.save()
    cautioned = "autoais|coverage:2|thr:0.5|variant:released|v:2"
    other = Judge.objects.create(study=heard, kind="automatic", name=cautioned)
    give(other, own_units("r")[0], "no")
    jury = form(heard, [judge, other], ["attributable"], "majority")
    assert "Simulated: no model was asked" in jury.judge.caution
    report, _ = report_of(heard)
    [said_of_it] = [one["caution"] for one in report["judges"] if one["name"] == jury.judge.name]
    assert "Simulated: no model was asked" in said_of_it
    assert "Word coverage counts the words" in said_of_it


# Again -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["majority", "weighted", "dawid-skene"])
def test_what_its_judges_said_since_is_seen_and_brought_in(heard, method):
    jury = made_of(heard, method)
    assert [one.is_behind for one in juries_of(heard)] == [False]
    before = set(jury.judge.judgments.values_list("pk", "value", "score"))
    renew(jury.judge)
    assert set(jury.judge.judgments.values_list("pk", "value", "score")) == before
    load(heard, [response("Later [1].", question="Later?", question_id="x999")])
    later = own_units("r").get(response__question__external_id="x999")
    for judge in judges(heard):
        give(judge, later, "yes")
    assert [one.is_behind for one in juries_of(heard)] == [True]
    name = jury.judge.name
    renew(jury.judge)
    assert [one.is_behind for one in juries_of(heard)] == [False]
    assert Jury.objects.get().judge.name == name
    assert jury.judge.judgments.get(unit=later).value == "yes"


def test_a_verdict_that_changes_is_written_anew_and_reports_are_behind(heard):
    jury = made_of(heard)
    state = data_state(heard)
    unit = own_units("r")[1]
    for judge in judges(heard):
        judge.judgments.filter(unit=unit).update(value="no")
    renew(jury.judge)
    now = jury.judge.judgments.get(unit=unit)
    assert (now.value, now.score, now.note) == ("no", 0.0, "No 3")
    assert jury.judge.judgments.count() == 40
    assert data_state(heard) != state


def test_where_its_judges_verdicts_are_taken_back_so_is_its_own(heard):
    jury = made_of(heard)
    unit = own_units("r")[1]
    Judgment.objects.filter(judge__in=judges(heard), unit=unit).delete()
    assert [one.is_behind for one in juries_of(heard)] == [True]
    renew(jury.judge)
    now = jury.judge.judgments.get(unit=unit)
    assert (now.value, now.skipped_reason) == ("", "fewer than two judges of the jury answered")


def test_it_is_removed_with_its_study(heard):
    made_of(heard, "weighted")
    gone(deletion.delete_study(heard))
    assert not Jury.objects.exists()
    assert not JuryMember.objects.exists()
    connection.check_constraints()


# Refused -----------------------------------------------------------------------------------------


def test_what_is_no_jury_is_refused(heard):
    three = judges(heard)
    jury = made_of(heard)
    silent = Judge.objects.create(study=heard, kind="automatic", name="quotes|v:1")
    give(silent, own_units("r")[0], "", skipped_reason="no quote")
    for members, keys, words in (
        (three[:1], ["attributable"], "2 to 25 judges"),
        ([three[0], three[0]], ["attributable"], "2 to 25 judges"),
        ([*three, jury.judge], ["attributable"], "is a jury itself"),
        ([*three, silent], ["attributable"], "has answered nothing about “Attributable”"),
        (three, ["citation_recall"], "has answered nothing about “Citation recall”"),
        (three, [], "at least one dimension"),
        (three, ["made_up"], "knows no dimension “made_up”"),
    ):
        with pytest.raises(Refused, match=words):
            form(heard, members, keys, "majority")
    assert Jury.objects.count() == 1


def test_too_few_labels_make_no_weights(heard):
    Judgment.objects.filter(judge__name="rita").delete()
    with pytest.raises(Refused, match="about 0 questions in common; at least 4 are needed"):
        made_of(heard, "weighted")
    [tried] = tried_on(heard, judges(heard), ["attributable"])
    assert "all of these judges have answered about 0 questions" in tried.why_not
    assert not Jury.objects.exists()


def test_a_bundle_knows_its_judges(heard):
    jury = made_of(heard, "dawid-skene")
    out = BytesIO()
    write_bundle(heard, Filters(resamples=20), out)
    out.seek(0)
    data, _ = read_bundle(out)
    [record] = [one for one in data.judges if one.name == jury.judge.name]
    assert record.members == NAMES
    assert build(data, Filters(resamples=20))["agreement"] == report_of(heard)[0]["agreement"]


# At the same moment, and many --------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_who_make_the_same_at_once_make_one(peaks):
    judged(peaks, 20)
    outcomes = at_once([lambda: made_of(Study.objects.get(slug="peaks"))] * 2)
    assert [type(one) for one in outcomes] == [Jury, Jury], outcomes
    jury = Jury.objects.get()
    assert jury.members.count() == 3
    assert jury.judge.judgments.count() == 20


def test_however_many_verdicts_there_are_the_statements_are_as_many(heard):
    made_of(heard)
    counted = []
    for first, count in ((100, 1), (200, 120)):
        more = range(first, first + count)
        load(heard, [response(f"{n} [1].", question=f"{n}!", question_id=f"y{n}") for n in more])
        new = Unit.objects.filter(key="r", response__question__external_id__startswith="y")
        for unit in new.filter(judgments__isnull=True):
            for judge in judges(heard):
                give(judge, unit, "yes")
        with CaptureQueriesContext(connection) as statements:
            made_of(heard)
        counted.append(len(statements))
    assert counted[0] == counted[1]
