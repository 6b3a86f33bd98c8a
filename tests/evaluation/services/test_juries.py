"""Juries of a study's judges: what they say, what is left out, and who may make them."""

from io import BytesIO

import pytest

from annotate.models import Judge, Judgment, Study
from annotate.web.errors import Refused
from evaluation.labels.trained_on import units_left_out
from evaluation.models import Jury, TrainedOn, TrainedScorer
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.runs.improving import judge_called
from evaluation.runs.juries import form_jury, juries_of, try_jury, update_jury
from evaluation.runs.thresholds import use_threshold
from tests.annotate.concurrency import at_once
from tests.annotate.loading import load, response
from tests.evaluation.services.combining import NAMES, judged, judges, made_of
from tests.evaluation.services.test_thresholds import answers, give, own_units

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_hold")]


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
    jury = form_jury(peaks, made, ["citation_support"], "majority")
    assert [(value, score) for value, score, *_ in said(jury.judge)] == [
        ("needed", 0.6667),
        ("needed", 0.6667),
    ]
    [tried] = try_jury(peaks, made, ["citation_support"])
    assert "People answer “Citation support” otherwise" in tried.why_not
    with pytest.raises(Refused, match="People answer"):
        form_jury(peaks, made, ["citation_support"], "weighted")
    model = Judge.objects.create(study=peaks, kind="automatic", name=NAMES[0])
    Judgment.objects.create(judge=model, unit=units[0], dimension="citation_support", value="full")
    with pytest.raises(Refused, match="Combine judges with the same answers"):
        form_jury(peaks, [*made, model], ["citation_support"], "majority")


# What is left out --------------------------------------------------------------------------------


def test_training_units_of_any_judge_are_excluded_from_the_jury(heard):
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
    jury = form_jury(heard, members, ["attributable"], "majority")
    assert units_left_out(jury.judge) == {unit.pk for unit in units[:8]}
    _, rows = report_of(heard)
    assert [row["units"] for row in rows[jury.judge.name]] == [32]
    weighted = form_jury(heard, members, ["attributable"], "weighted", part="all")
    assert "|labels:32|" in weighted.judge.name
    assert len(units_left_out(weighted.judge)) == 40
    [tried] = try_jury(heard, members, ["attributable"])
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
    jury = form_jury(heard, [judge, other], ["attributable"], "majority")
    assert "Simulated: no model was asked" in jury.judge.caution
    report, _ = report_of(heard)
    [said_of_it] = [one["caution"] for one in report["judges"] if one["name"] == jury.judge.name]
    assert "Simulated: no model was asked" in said_of_it
    assert "Word coverage counts the words" in said_of_it


# Again -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["majority", "weighted", "dawid-skene"])
def test_jury_is_updated_with_new_answers_of_its_judges(heard, method):
    jury = made_of(heard, method)
    assert [one.is_behind for one in juries_of(heard)] == [False]
    before = set(jury.judge.judgments.values_list("pk", "value", "score"))
    update_jury(jury.judge)
    assert set(jury.judge.judgments.values_list("pk", "value", "score")) == before
    load(heard, [response("Later [1].", question="Later?", question_id="x999")])
    later = own_units("r").get(response__question__external_id="x999")
    for judge in judges(heard):
        give(judge, later, "yes")
    assert [one.is_behind for one in juries_of(heard)] == [True]
    name = jury.judge.name
    update_jury(jury.judge)
    assert [one.is_behind for one in juries_of(heard)] == [False]
    assert Jury.objects.get().judge.name == name
    assert jury.judge.judgments.get(unit=later).value == "yes"


def test_where_its_judges_verdicts_are_taken_back_so_is_its_own(heard):
    jury = made_of(heard)
    unit = own_units("r")[1]
    Judgment.objects.filter(judge__in=judges(heard), unit=unit).delete()
    assert [one.is_behind for one in juries_of(heard)] == [True]
    update_jury(jury.judge)
    now = jury.judge.judgments.get(unit=unit)
    assert (now.value, now.skipped_reason) == ("", "fewer than two judges of the jury answered")


# Refused -----------------------------------------------------------------------------------------


def test_invalid_juries_are_refused(heard):
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
            form_jury(heard, members, keys, "majority")
    assert Jury.objects.count() == 1


def test_too_few_labels_make_no_weights(heard):
    Judgment.objects.filter(judge__name="rita").delete()
    with pytest.raises(Refused, match="about 0 questions in common; at least 4 are needed"):
        made_of(heard, "weighted")
    [tried] = try_jury(heard, judges(heard), ["attributable"])
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
def test_concurrent_requests_create_one_jury(peaks):
    judged(peaks, 20)
    outcomes = at_once([lambda: made_of(Study.objects.get(slug="peaks"))] * 2)
    assert [type(one) for one in outcomes] == [Jury, Jury], outcomes
    jury = Jury.objects.get()
    assert jury.members.count() == 3
    assert jury.judge.judgments.count() == 20
