"""A protocol that Attest has never seen goes through everything: desk, practice, gold, votes,
disputes, examples, exports, imports, reports, bundles, programs."""

import csv
import io
import zipfile
from collections import Counter
from dataclasses import replace

import pytest
from django.urls import reverse

from annotate import uploads
from annotate.content.judgments import judge_of
from annotate.models import Batch, Judge, Judgment, Membership, PastJudgment, Role, Upload
from annotate.rating import answering
from annotate.rating.batches import create_batch
from annotate.rating.task_steps import steps_of
from annotate.studies.wordings import save_dimension
from annotate.web.errors import Refused
from evaluation.labels import batch_agreement, raters, study_labels
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from tests.annotate.loading import check
from tests.annotate.pages import visible
from tests.annotate.rating import answer, at, finish, open_work, rater_in, saved, take
from tests.annotate.test_batches_pages import filled
from tests.evaluation.rubric import KEYS, KIND, STRICT, answer_all, joined, rate, rubric_study
from tests.shared_rows import shared_rows

QUICK = Filters(resamples=20)


@shared_rows
def study(alice, bob, rita):
    return joined(rubric_study(alice), bob, rita)


@shared_rows
def ann(study):
    return judge_of(study, rater_in(study, "ann"))


@shared_rows
def rated(study, ann, rita):
    """Two raters did all of it: one kind, one strict."""
    batch = open_work(study, raters_per_item=2)
    rate(batch, ann, KIND)
    rate(batch, judge_of(study, rita), STRICT)
    return batch


def test_the_desk_asks_it_in_order(study, rita, signed_in):
    browser = signed_in(rita)
    task = take(browser, open_work(study))
    page = browser.get(at(task, "task")).content.decode()
    assert [page.index(f'data-step="{key}"') for key in ("r:clarity", "s1:sort", "s1:backing")]
    steps = [step.key for step in steps_of(task.batch, task.item)]
    assert steps == [
        "r:clarity",
        "s1:sort", "s1:backing", "s1.c1:passage_helps", "s1.c1:origin@2",
        "s2:sort", "s2:backing",
        "s2.c1:passage_helps", "s2.c1:origin@2", "s2.c2:passage_helps", "s2.c2:origin@2",
        "r:verdict",
    ]  # fmt: skip
    assert answer(browser, task, "s1.c1:passage_helps", "much").status_code == 422
    for step, value in (("r:clarity", "1"), ("s1:sort", "fact"), ("s1:backing", "badly")):
        assert answer(browser, task, step, value).status_code == 200
    assert answer(browser, task, "s1.c1:passage_helps", "much").status_code == 200
    assert answer(browser, task, "s1.c1:origin@2", "retold").status_code == 422
    assert answer(browser, task, "r:verdict", "drop").status_code == 422
    assert answer(browser, task, "s2:sort", "filler").status_code == 200
    assert finish(browser, task).status_code == 200
    task.refresh_from_db()
    assert task.is_done


def test_votes_labels_and_agreement(study, rated, ann, rita, browser):
    data = gather(study)
    report = build(data, QUICK)
    counted = {row["item"]: row["units"] for row in report["people"]}
    assert counted == {
        "clarity": 8, "sort": 16, "backing": 16, "passage_helps": 24, "origin@2": 24,
        "well_founded": 24, "verdict": 8,
    }  # fmt: skip
    found = {
        (one.dimension, one.value)
        for one in study_labels.labels(study, study_labels.Method.MAJORITY)
    }
    assert {("backing", "badly"), ("passage_helps", "against"), ("verdict", "mend")} <= found
    assert {row.dimension.key for row in batch_agreement.agreement(rated)} == set(KEYS)
    assert len(raters.rater_rows(study)) == 2
    asked = [dimension.key for dimension, _ in raters.rater(ann).dimensions]
    assert asked == KEYS
    for name, args in (
        ("batch-monitor", [rated.pk]), ("batch-agreement", [rated.pk]), ("raters", []),
        ("rater", [ann.pk]), ("labels", []), ("report", []), ("disputes", []), ("examples", []),
        ("responses", []), ("batch", [rated.pk]), ("batch-new", []), ("study", []), ("data", []),
        ("exchange", []), ("study-settings", []), ("guidelines", []), ("runs", []), ("run-new", []),
        ("scorers", []), ("desk", [rated.pk]), ("batch-preview", [rated.pk]), ("systems", []),
    ):  # fmt: skip
        page = browser.get(reverse(name, args=[study.slug, *args]), follow=True)
        assert page.status_code == 200, name
    chosen = browser.get(reverse("download-labels", args=[study.slug]), {"method": "majority"})
    rows = list(csv.DictReader(io.StringIO(b"".join(chosen).decode())))
    assert {row["dimension"] for row in rows} >= set(KEYS)


def text(page):
    return page.content.decode()


def rows_of(browser, study, form="csv"):
    page = browser.get(reverse("download-judgments", args=[study.slug, form]))
    return b"".join(page).decode()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_exported_answers_load_into_a_study_with_the_same_protocol(
    study, rated, browser, alice, form
):
    said = rows_of(browser, study, form)
    other = rubric_study(alice, "other")
    Membership.objects.create(study=other, user=study.memberships.get(user__username="bob").user,
                              role=Role.RESEARCHER)  # fmt: skip
    upload = check(other, f"judgments.{form}", said)
    assert upload.state == Upload.State.READY, upload.findings
    uploads.confirm(upload)
    uploads.work(upload.pk)
    assert rows_of(browser, other, form).replace("other", "rubric") == said


def test_a_task_of_one_unit_does_not_ask_what_hangs_on_another(study, browser):
    with pytest.raises(Refused, match="“Help of the passage” is only asked after “Backing”, which "
                       "is about the statement, so one task must be a whole response"):  # fmt: skip
        create_batch(study, name="Units", granularity=Batch.Granularity.UNIT)
    some = ["sort", "backing"]
    made = create_batch(study, name="Units", granularity=Batch.Granularity.UNIT, dimensions=some)
    assert made.dimensions == some
    page = browser.get(reverse("batch-new", args=[study.slug]))
    form = filled(study, granularity="unit")
    counts = browser.post(reverse("batch-preview-counts", args=[study.slug]), form)
    assert page.status_code == 200
    assert "one task must be a whole response" in visible(text(counts))


# Versions ----------------------------------------------------------------------------------------


@shared_rows
def reworded(study, rated, rita):
    """After eight answers to clarity of each of two raters its wording changes; then rita answers
    one of hers anew."""
    other = replace(study.protocol["clarity"], question="The answer is clear.")
    save_dimension(study, other, replaces="clarity")
    batch = Batch.objects.get(pk=rated.pk)
    judge = Judge.objects.get(study=study, user=rita)
    task = batch.assignments.filter(judge=judge)[0]
    answering.save_answer(task, steps_of(batch, task.item)[0], value="4")
    return batch


def test_in_the_middle_of_a_batch_each_answer_names_the_wording_that_its_rater_saw(
    study, rita, signed_in, browser
):
    """Also one that was given on a page from before, which may come hours later."""
    batch, rater = open_work(study), signed_in(rita)
    task = take(rater, batch)
    assert 'name="wording" value="1"' in rater.get(at(task, "task")).content.decode()
    answer(rater, task, "s1:sort", "fact", wording="1")
    other = replace(study.protocol["clarity"], question="The answer is clear.")
    save_dimension(study, other, replaces="clarity")
    page = rater.get(at(task, "task")).content.decode()
    assert 'name="wording" value="2"' in page
    assert "The answer is clear." in page
    said = [("1", 1), ("2", 2), ("3", 2), ("1", 1), ("x", 2), ("", 2)]
    for value, (sent, seen) in zip("123412", said, strict=True):
        assert answer(rater, task, "r:clarity", value, wording=sent).status_code == 200
        assert saved(task, "r:clarity").wording == f"{study.pk}/clarity:{seen}"
    assert saved(task, "s1:sort").wording == f"{study.pk}/sort:1"
    answer_all(task, KIND)
    assert finish(rater, task).status_code == 200
    past = PastJudgment.objects.filter(judgment__dimension="clarity").order_by("pk")
    assert [one.wording.rpartition(":")[2] for one in past[:5]] == ["1", "2", "2", "1", "2"]
    page = visible(text(browser.get(reverse("dimensions", args=[study.slug]))))
    assert "2 versions: the same answers are possible, so they are counted together." in page
    changed = study.protocol["verdict"]
    changed = replace(changed, low_to_high=changed.low_to_high[::-1])
    assert save_dimension(study, changed, replaces="verdict").key == "verdict@2"
    page = visible(text(browser.get(reverse("dimensions", args=[study.slug]))))
    assert "Not counted with verdict : other answers were possible." in page


def test_loaded_answers_keep_the_wording_named_in_the_file(study, reworded, browser, alice):
    content = rows_of(browser, study)
    other = rubric_study(alice, "other")
    assert check(other, "judgments.csv", content).state == Upload.State.INVALID
    changed = replace(other.protocol["clarity"], question="The answer is clear.")
    save_dimension(other, changed, replaces="clarity")
    upload = check(other, "judgments.csv", content)
    assert upload.state == Upload.State.READY, upload.findings
    uploads.confirm(upload)
    uploads.work(upload.pk)
    loaded = Judgment.objects.filter(judge__study=other, dimension="clarity")
    assert Counter(loaded.values_list("wording", flat=True)) == {
        f"{other.pk}/clarity:1": 15, f"{other.pk}/clarity:2": 1,
    }  # fmt: skip


def test_the_report_says_that_answers_to_several_wordings_count_together(study, reworded, tmp_path):
    report = build(gather(study), QUICK)
    [note] = [note["text"] for note in report["method"] if note["key"] == "labels"]
    assert "“Clarity”" in note
    assert "15 answers to version 1, 1 answer to version 2" in note
    path = tmp_path / "rubric.zip"
    with path.open("wb") as out:
        write_bundle(study, QUICK, out)
    data, filters = read_bundle(path)
    assert dumps(build(data, filters)) == dumps(report)
    with zipfile.ZipFile(path) as bundle:
        [row] = csv.DictReader(io.StringIO(bundle.read("wordings.csv").decode()))
    assert (row["dimension"], row["version"], row["replaced"]) == ("clarity", "2", "")
