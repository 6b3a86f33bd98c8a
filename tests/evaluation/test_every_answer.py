"""A study with a question of every type of answer: agreement, labels, raters and practice show what
there is to say of each, and nothing that makes no sense."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from django.urls import reverse

from annotate import uploads
from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Assignment, Batch, Judge, Judgment, Unit
from annotate.rating import answering, assignments, practice
from annotate.rating.batches import create_batch, open_batch
from annotate.rating.task_steps import steps_of
from evaluation.labels import batch_agreement, practice_rounds, raters, study_labels
from evaluation.labels.drift import compared_answers
from evaluation.labels.lengths import lengths_of
from evaluation.labels.study_labels import Method
from evaluation.statistics.leave_one_out import likeness
from tests.annotate.loading import check
from tests.annotate.pages import visible
from tests.annotate.rating import open_work, rater_in
from tests.evaluation.rubric import EVERY, answer_all, joined, rubric_study
from tests.shared_rows import shared_rows

CALM = {
    "sure": "80", "harms": "-", "worst": "mild", "errors": "-", "repair": "None.",
    "proof": "p1@0-9:speaks_for", "s2.c2:proof": "-",
}  # fmt: skip
ALARMED = {
    "sure": "62.5", "harms": "insult|advice", "worst": "grave",
    "errors": "0-7:made_up:major|9-12:left_out:minor", "repair": "Say less.",
    "proof": "p1@4-12:speaks_for", "s2.c2:proof": "p2@0-6:against",
}  # fmt: skip
HALF = {**CALM, "sure": "70", "harms": "insult", "errors": "4-10:made_up:minor"}


def rate(batch, judge, *moods):
    """Every task, in one mood after the other."""
    done = 0
    while isinstance(task := assignments.next_task(batch, judge), Assignment):
        question = int(task.item.response.question.external_id.removeprefix("q"))
        answer_all(task, moods[question % len(moods)])
        answering.finish(task)
        done += 1
    assert done


@shared_rows
def study(alice, bob, rita):
    return joined(rubric_study(alice, "every", file=EVERY), bob, rita)


@shared_rows
def ann(study):
    return judge_of(study, rater_in(study, "ann"))


@shared_rows
def ben(study, rita):
    return judge_of(study, rita)


@shared_rows
def rated(study, ann, ben):
    """Two raters did all of it, and do not agree on all of it."""
    batch = open_work(study, raters_per_item=2)
    rate(batch, ann, CALM, ALARMED)
    rate(batch, ben, HALF, ALARMED, CALM)
    return batch


def text(page):
    assert page.status_code == 200
    return visible(page.content.decode())


def test_agreement_goes_by_the_scale(study, rated, browser):
    found = {row.dimension.key: row for row in batch_agreement.agreement(rated)}
    assert [*found] == ["sure", "harms", "worst", "errors", "repair", "proof"]
    assert {key: row.units for key, row in found.items()} == {
        "sure": 8, "harms": 8, "worst": found["worst"].units, "errors": 16,
        "repair": found["repair"].units, "proof": 24,
    }  # fmt: skip
    for key in ("sure", "harms", "errors", "proof"):
        row = found[key]
        alpha, low = row.alpha.value, row.interval.low
        assert alpha is not None, key
        assert low is not None, key
        assert low <= alpha < 1, key
        assert row.raters == 2
    assert [one.title for one in found["sure"].more] == ["Mean difference", "Pearson’s r, pooled"]
    assert [one.title for one in found["harms"].more] == ["Krippendorff’s α (Jaccard)"]
    assert "Unitised α: Misses a condition" in [one.title for one in found["errors"].more]
    assert found["repair"].alpha.reason == "such answers are not compared"
    assert found["repair"].more == ()
    assert found["worst"].more == ()
    page = text(browser.get(reverse("batch-agreement", args=[study.slug, rated.pk])))
    assert "Sureness: Mean difference" in page
    assert "undefined: such answers are not compared" in page
    assert "nan" not in page.lower().split()


def test_of_statements_it_is_those_that_they_cite_and_of_responses_all(study):
    marks = replace(study.protocol["errors"], marks="passages", sight="cited")
    unit = Unit.objects.filter(response__study=study, key="s2")[0]
    every = {s.n: len(s.passage.text) for s in unit.response.sources.select_related("passage")}
    assert lengths_of(study, marks, [unit.pk])[unit.pk].keys() == {1, 2}
    study.citation_cap = 1
    assert lengths_of(study, marks, [unit.pk])[unit.pk].keys() == {1}
    assert lengths_of(study, replace(marks, sight="all"), [unit.pk]) == {unit.pk: every}


def test_labels_and_their_file(study, rated, ann, ben, browser):
    made = {(one.key, one.dimension): one for one in study_labels.labels(study, Method.MAJORITY)}
    assert {dimension for _, dimension in made} == {"sure", "harms", "worst", "errors", "proof"}
    chosen = browser.get(reverse("download-labels", args=[study.slug]), {"method": "majority"})
    rows = list(csv.DictReader(io.StringIO(b"".join(chosen).decode())))
    first = {row["dimension"]: row for row in rows if row["question_id"] == "q1"
             and row["unit"] in {"r", "s1", "s1.c1"}}  # fmt: skip
    # Of the first question one was alarmed, and so was the other.
    assert first["sure"]["value"] == "62.5"
    assert (first["sure"]["score"], first["sure"]["note"]) == ("", "mean of 2 votes")
    assert (first["harms"]["value"], first["harms"]["score"]) == ("insult|advice", "1.0")
    assert first["errors"]["value"] == ALARMED["errors"]
    assert first["worst"]["value"] == "grave"
    third = {row["dimension"]: row["value"] for row in rows if row["question_id"] == "q3"
             and row["unit"] in {"r", "s1", "s1.c1"}}  # fmt: skip
    # One was alarmed, one half so: of the words that both marked as many are minor.
    assert (third["sure"], third["harms"], third["errors"]) == (
        "66.25", "insult", "4-7:made_up:minor",
    )  # fmt: skip
    page = text(browser.get(reverse("labels", args=[study.slug])))
    assert "mean of the answers" in page
    assert "Texts have no label" in page


def test_decision_replaces_the_label(study, rated):
    judge = Judge.objects.create(study=study, name="carla", kind=Judge.Kind.ADJUDICATED)
    unit = Unit.objects.filter(response__study=study, key="s1")[0]
    whole = unit.response.units.get(key="r")
    record_judgment(judge=judge, unit=unit, dimension="errors", value="1-2:made_up:minor")
    record_judgment(judge=judge, unit=whole, dimension="sure", value="5")
    found = {
        (one.unit, one.dimension): one for one in study_labels.labels(study, Method.ADJUDICATED)
    }
    assert found[unit.pk, "errors"].value == "1-2:made_up:minor"
    decided = found[whole.pk, "sure"]
    assert (decided.value, decided.note) == ("5", "adjudicated")
    others = {one.note for one in found.values() if one.dimension == "sure"} - {"adjudicated"}
    assert others == {"mean of 2 votes"}


def test_exported_labels_load_again(study, rated, browser, alice):
    chosen = browser.get(reverse("download-labels", args=[study.slug]), {"method": "majority"})
    content = b"".join(chosen).decode()
    other = rubric_study(alice, "other", file=EVERY)
    upload = check(other, "labels.csv", content)
    assert upload.state == upload.State.READY, upload.findings["problems"]
    uploads.confirm(upload)
    uploads.work(upload.pk)
    loaded = Judgment.objects.filter(judge__study=other)
    kept = {row["dimension"] for row in csv.DictReader(io.StringIO(content))}
    assert {*loaded.values_list("dimension", flat=True)} == kept


def test_raters_beside_each_other(study, rated, ann, ben, browser):
    rows = {row.judge.name: row for row in raters.rater_rows(study)}
    assert rows[ann.name].answers == Judgment.objects.filter(judge=ann).exclude(value="").count()
    assert 0 < (rows[ann.name].others.value or 0) < 1
    found = raters.rater(ann)
    work = {dimension.key: work for dimension, work in found.dimensions}
    assert work["repair"].answers > 0
    assert work["repair"].others.value is None
    # 80 beside 70 or 62.5, 62.5 beside 62.5 or 80 of a hundred, each of two systems' answers.
    mine, theirs = (CALM, ALARMED), (HALF, ALARMED, CALM)
    near = [
        1 - abs(float(mine[q % 2]["sure"]) - float(theirs[q % 3]["sure"])) / 100
        for q in (1, 2, 3, 4)
    ]
    assert work["sure"].others.value == pytest.approx(np.mean(near))
    counted = {dimension.key: rows for dimension, rows in found.choices}
    assert [*counted] == ["sure", "harms", "worst", "errors", "proof"]
    assert [(row.label, row.own, row.everybody) for row in counted["sure"]] == [
        ("0 to 20", 0, 0), ("20 to 40", 0, 0), ("40 to 60", 0, 0), ("60 to 80", 4, 6),
        ("80 to 100", 4, 2),
    ]  # fmt: skip
    assert [(row.label, row.own, row.own_percent) for row in counted["harms"]] == [
        ("An insult", 4, 50), ("Dangerous advice", 4, 50), ("Private matters", 0, 0),
        ("None of these", 4, 50),
    ]  # fmt: skip
    assert {row.label: row.own for row in counted["errors"]} == {
        "Made up": 8, "Misses a condition": 8, "Minor": 8, "Major": 8, "Nothing marked": 8,
    }  # fmt: skip
    page = text(browser.get(reverse("raters", args=[study.slug])))
    assert "numbers: closeness relative to the scale" in page
    page = text(browser.get(reverse("rater", args=[study.slug, ann.pk])))
    assert "60 to 80" in page
    assert "texts are not compared" in page
    assert all(
        answer.others == 0 for answer in compared_answers(ann) if answer.dimension == "repair"
    )


@pytest.mark.parametrize(
    ("key", "one", "other", "alike"),
    [
        ("sure", "80", "62.5", 0.825),
        ("sure", "0", "100", 0),
        ("harms", "insult", "insult|advice", 0.5),
        ("harms", "-", "-", 1),
        ("harms", "-", "insult", 0),
        ("errors", "0-10:made_up:minor", "5-10:made_up:major", 2 * 5 / 15),
        ("errors", "0-10:made_up:minor", "0-10:left_out:minor", 0),
        ("errors", "-", "-", 1),
        ("errors", "-", "0-10:left_out:minor", 0),
    ],
)
def test_how_alike_two_answers_are(study, key, one, other, alike):
    near = likeness(study.protocol[key], [one, other])
    assert near is not None
    places = np.array([0, 1, 0]), np.array([1, 0, 0])
    assert near(*places).tolist() == pytest.approx([alike, alike, 1])


def test_practice_shows_the_scale_of_each(study, ann, ben, browser):
    key = Judge.objects.create(study=study, name="gold", kind=Judge.Kind.REFERENCE)
    lesson = create_batch(
        study, name="Lesson", gold=key, purpose=Batch.Purpose.PRACTICE, pass_mark=10
    )
    for item in lesson.items.all():
        for step in steps_of(lesson, item):
            Judgment.objects.create(
                judge=key, unit=step.unit, dimension=step.dimension.key, note="So it says.",
                value=CALM.get(step.key, CALM[step.dimension.key]),
                wording=study.wording_of(step.dimension.key),
            )  # fmt: skip
    open_batch(lesson)
    for judge, moods in ((ann, (CALM, ALARMED)), (ben, (HALF, ALARMED, CALM))):
        rate(lesson, practice.begin(lesson, judge).trainee, *moods)
    [first] = practice_rounds.practice(lesson).rounds
    found = {one.dimension.key: one for one in first.kappas}
    assert {key for key, one in found.items() if one.value.value is not None} >= {
        "sure", "harms", "errors", "proof",
    }  # fmt: skip
    assert found["repair"].value.reason == "such answers are not compared"
    page = text(browser.get(reverse("batch-monitor", args=[study.slug, lesson.pk])))
    assert "Alpha: sureness" in page
    assert "Fleiss’ kappa: worst of it" in page
