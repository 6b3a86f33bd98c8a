"""A protocol that Attest has never seen goes through everything: desk, practice, gold, votes,
disputes, examples, exports, imports, reports, bundles, programs."""

import csv
import io
import json
import zipfile
from collections import Counter
from dataclasses import replace

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token
from annotate.models import (
    Batch,
    Example,
    Judge,
    Judgment,
    Membership,
    PastJudgment,
    Role,
    Unit,
    Upload,
    User,
)
from annotate.protocol.steps import NOT_ASKED
from annotate.services import uploads
from annotate.services.batches import create_batch, open_batch
from annotate.services.batches.selection import Selection
from annotate.services.errors import Refused
from annotate.services.judgments import judge_of
from annotate.services.rating import answering, assignments, gold, practice
from annotate.services.rating.questions import steps_of
from annotate.services.studies import create_study
from annotate.services.wordings import ask, keep_dimension
from evaluation.export import published
from evaluation.reading import batch_agreement, labels, one_rater, raters
from evaluation.reporting.bundle import write_bundle
from evaluation.reporting.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import tables_of
from tests.annotate.desk import claim
from tests.annotate.loading import check
from tests.annotate.pages import visible
from tests.annotate.rating import answer, at, finish, open_work, rater_in, saved, take
from tests.annotate.test_batches_pages import filled
from tests.beginnings import beginning
from tests.evaluation.rubric import KEYS, KIND, STRICT, answer_all, joined, rate, rubric_study

QUICK = Filters(resamples=20)


@beginning
def study(alice, bob, rita):
    return joined(rubric_study(alice), bob, rita)


@beginning
def ann(study):
    return judge_of(study, rater_in(study, "ann"))


@beginning
def rated(study, ann, rita):
    """Two raters did all of it: one kind, one strict."""
    batch = open_work(study, raters_per_item=2)
    rate(batch, ann, KIND)
    rate(batch, judge_of(study, rita), STRICT)
    return batch


@beginning
def client(bob, signed_in):
    return signed_in(bob)


def test_the_desk_asks_it_in_order(study, rita, signed_in):
    client = signed_in(rita)
    task = take(client, open_work(study))
    page = client.get(at(task, "task")).content.decode()
    assert [page.index(f'data-step="{key}"') for key in ("r:clarity", "s1:sort", "s1:backing")]
    steps = [step.key for step in steps_of(task.batch, task.item)]
    assert steps == [
        "r:clarity",
        "s1:sort", "s1:backing", "s1.c1:passage_helps", "s1.c1:origin@2",
        "s2:sort", "s2:backing",
        "s2.c1:passage_helps", "s2.c1:origin@2", "s2.c2:passage_helps", "s2.c2:origin@2",
        "r:verdict",
    ]  # fmt: skip
    assert answer(client, task, "s1.c1:passage_helps", "much").status_code == 422
    for step, value in (("r:clarity", "1"), ("s1:sort", "fact"), ("s1:backing", "badly")):
        assert answer(client, task, step, value).status_code == 200
    assert answer(client, task, "s1.c1:passage_helps", "much").status_code == 200
    assert answer(client, task, "s1.c1:origin@2", "retold").status_code == 422
    assert answer(client, task, "r:verdict", "drop").status_code == 422
    assert answer(client, task, "s2:sort", "filler").status_code == 200
    assert finish(client, task).status_code == 200
    task.refresh_from_db()
    assert task.is_done


def test_what_hangs_on_an_answer_is_taken_back_to_the_end(study, rita, signed_in):
    client = signed_in(rita)
    task = take(client, open_work(study))
    answer_all(task, KIND)
    answer(client, task, "s1:sort", "filler")
    for key in ("s1:backing", "s1.c1:passage_helps", "s1.c1:origin@2"):
        assert saved(task, key).skipped_reason == NOT_ASKED, key
    for key in ("s2:backing", "s2.c2:origin@2", "r:verdict"):
        assert saved(task, key).value, key
    answer(client, task, "r:clarity", "1")
    for key in ("s2.c1:origin@2", "s2.c2:origin@2", "r:verdict"):
        assert saved(task, key).skipped_reason == NOT_ASKED, key
    assert saved(task, "s2.c1:passage_helps").value == "much"
    assert finish(client, task).status_code == 200


def test_practice_and_gold(study, ann, rita):
    key = Judge.objects.create(study=study, name="gold", kind=Judge.Kind.REFERENCE)
    lesson = create_batch(
        study, name="Lesson", gold=key, purpose=Batch.Purpose.PRACTICE, pass_mark=80
    )
    for item in lesson.items.all():
        for step in steps_of(lesson, item):
            Judgment.objects.create(
                judge=key, unit=step.unit, dimension=step.dimension.key,
                value=KIND[step.dimension.key], note="So it says.",
                wording=study.wording_of(step.dimension.key),
            )  # fmt: skip
    open_batch(lesson)
    passed, failed = (practice.begin(lesson, judge) for judge in (ann, judge_of(study, rita)))
    task = claim(lesson, passed.trainee)
    answer_all(task, KIND)
    answering.finish(task)
    assert all(row.right for row in practice.feedback(task))
    known = {row.step.dimension.label(row.known.value) for row in practice.feedback(task)}
    assert known > {"Much", "First hand"}
    rate(lesson, passed.trainee, KIND)
    rate(lesson, failed.trainee, STRICT)
    for one in (passed, failed):
        one.refresh_from_db()
    assert (passed.passed, passed.right) == (True, passed.asked)
    # Of twelve questions of a task: clarity, sort twice are right; backing twice, the help of the
    # passages thrice and the verdict are not; where they come from is not asked.
    assert (failed.passed, failed.right, failed.asked) == (False, 3 * 8, 9 * 8)
    work = open_work(study, gold=key, selection=Selection(gold_count=1), gold_percent=50)
    rate(work, ann, KIND)
    assert gold.score(ann, work, gold.items_with_gold(work)).share == 1


def test_votes_labels_and_agreement(study, rated, ann, rita, client):
    data = gather(study)
    report = build(data, QUICK)
    counted = {row["item"]: row["units"] for row in report["people"]}
    assert counted == {
        "clarity": 8, "sort": 16, "backing": 16, "passage_helps": 24, "origin@2": 24,
        "well_founded": 24, "verdict": 8,
    }  # fmt: skip
    found = {(one.dimension, one.value) for one in labels.labels(study, labels.Method.MAJORITY)}
    assert {("backing", "badly"), ("passage_helps", "against"), ("verdict", "mend")} <= found
    assert {row.dimension.key for row in batch_agreement.agreement(rated)} == set(KEYS)
    assert len(raters.rater_rows(study)) == 2
    asked = [dimension.key for dimension, _ in one_rater.rater(ann).dimensions]
    assert asked == KEYS
    for name, args in (
        ("batch-monitor", [rated.pk]), ("batch-agreement", [rated.pk]), ("raters", []),
        ("rater", [ann.pk]), ("labels", []), ("report", []), ("disputes", []), ("examples", []),
        ("responses", []), ("batch", [rated.pk]), ("batch-new", []), ("study", []), ("data", []),
        ("exchange", []), ("study-settings", []), ("guidelines", []), ("runs", []), ("run-new", []),
        ("scorers", []), ("desk", [rated.pk]), ("batch-preview", [rated.pk]), ("systems", []),
    ):  # fmt: skip
        page = client.get(reverse(name, args=[study.slug, *args]), follow=True)
        assert page.status_code == 200, name
    chosen = client.get(reverse("download-labels", args=[study.slug]), {"method": "majority"})
    rows = list(csv.DictReader(io.StringIO(b"".join(chosen).decode())))
    assert {row["dimension"] for row in rows} >= set(KEYS)


def text(page):
    return page.content.decode()


def test_disputes_and_examples(study, rated, client):
    listed = visible(text(client.get(reverse("disputes", args=[study.slug]))))
    assert "Backing" in listed
    unit = Unit.objects.filter(response__study=study, key="s1.c1")[0]
    page = reverse("dispute", args=[study.slug, unit.pk, "passage_helps"])
    assert "It speaks against" in visible(text(client.get(page)))
    done = client.post(page, {"value": "little", "note": "In part.", "what": "decide"})
    assert done.status_code in {200, 302}
    decided = Judgment.objects.get(judge__kind=Judge.Kind.ADJUDICATED)
    assert (decided.value, decided.dimension) == ("little", "passage_helps")
    own = reverse("dispute", args=[study.slug, unit.pk, "origin@2"])
    assert "Where does the passage come from?" in visible(text(client.get(own)))
    new = f"{reverse('example-new', args=[study.slug])}?unit={unit.pk}&dimension=origin@2"
    assert client.get(new).status_code == 200
    client.post(new, {"value": "retold", "explanation": "It quotes another one."})
    assert Example.objects.get().value == "retold"
    assert "Retold" in visible(text(client.get(reverse("guidelines", args=[study.slug]))))


def test_responses_by_their_own_labels(study, rated, client):
    listed = reverse("responses", args=[study.slug])

    def found(label):
        page = client.get(listed, {"label": label})
        assert page.status_code == 200
        return len(page.context["page"].responses)

    assert [found("verdict:mend"), found("verdict:publish"), found("origin@2:first_hand")] == [
        8, 0, 8,
    ]  # fmt: skip
    assert [found("well_founded:no"), found("backing:badly"), found("utility")] == [8, 8, 0]


def rows_of(client, study, form="csv"):
    page = client.get(reverse("download-judgments", args=[study.slug, form]))
    return b"".join(page).decode()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_is_exported_is_loaded_where_the_file_was_taken(study, rated, client, alice, form):
    said = rows_of(client, study, form)
    other = rubric_study(alice, "other")
    Membership.objects.create(study=other, user=study.memberships.get(user__username="bob").user,
                              role=Role.RESEARCHER)  # fmt: skip
    upload = check(other, f"judgments.{form}", said)
    assert upload.state == Upload.State.READY, upload.findings
    uploads.confirm(upload)
    uploads.work(upload.pk)
    assert rows_of(client, other, form).replace("other", "rubric") == said


def test_a_study_that_does_not_know_the_question_refuses(study, rated, client, elsewhere):
    upload = check(elsewhere, "judgments.csv", rows_of(client, study))
    assert upload.state == Upload.State.INVALID
    told = json.dumps(upload.findings["problems"], ensure_ascii=False)
    assert "clarity" in told
    assert "citation_recall" in told


def test_the_report_its_files_and_its_bundle(study, rated, tmp_path):
    report = build(gather(study), QUICK)
    assert [item["key"] for item in report["items"]] == [
        "clarity", "sort", "backing", "passage_helps", "well_founded", "origin@2", "verdict",
    ]  # fmt: skip
    told = " ".join(one["text"] for one in report["headline"])
    assert "“Clarity”" in told or "“Backing”" in told
    for made in (report_html(report), report_latex(report), report_markdown(report)):
        for title in ("Clarity", "Backing", "Well founded", "Origin", "Verdict"):
            assert title in made
    assert tables_of(report)
    path = tmp_path / "rubric.zip"
    with path.open("wb") as out:
        write_bundle(study, QUICK, out)
    data, filters = read_bundle(path)
    assert dumps(build(data, filters)) == dumps(report)


def test_published_forms_say_what_they_cannot(study, rated, client):
    for form in published.FORMS:
        page = client.get(reverse("download-exchange", args=[study.slug, form]))
        assert page.status_code in {200, 302, 404}, form


def test_programs_bring_it_and_take_it(study, rated, bob, client, alice):
    program = Client(headers={"authorization": f"Bearer {new_token(bob, 'script')}"})
    told = program.get("/api/studies/rubric/").json()
    assert told["dimensions"] == KEYS
    said = b"".join(program.get("/api/studies/rubric/judgments.csv")).decode()
    assert "origin@2" in said
    other = rubric_study(alice, "other")
    Membership.objects.create(study=other, user=bob, role=Role.RESEARCHER)
    content = said.replace("ann", "carol")
    file = ContentFile(content.encode(), name="judgments.csv")
    made = program.post("/api/studies/other/uploads/", {"file": file}).json()
    assert made["state"] == "ready", made
    program.post(f"/api/studies/other/uploads/{made['id']}/confirm/")
    count = Judgment.objects.filter(judge__study=other).count()
    assert count == Judgment.objects.filter(judge__study=study).count() > 0
    report = program.get("/api/studies/other/report/?resamples=20")
    assert report.status_code in {200, 202}


def test_a_task_of_one_unit_does_not_ask_what_hangs_on_another(study, client):
    with pytest.raises(Refused, match="“Help of the passage” is only asked after “Backing”, which "
                       "is about the statement, so one task must be a whole response"):  # fmt: skip
        create_batch(study, name="Units", granularity=Batch.Granularity.UNIT)
    some = ["sort", "backing"]
    made = create_batch(study, name="Units", granularity=Batch.Granularity.UNIT, dimensions=some)
    assert made.dimensions == some
    page = client.get(reverse("batch-new", args=[study.slug]))
    form = filled(study, granularity="unit")
    counts = client.post(reverse("batch-preview-counts", args=[study.slug]), form)
    assert page.status_code == 200
    assert "one task must be a whole response" in visible(text(counts))


def test_what_a_task_of_one_unit_can_ask_was_answered_elsewhere(study, rita, signed_in):
    """Of batches that were made before it was refused."""
    batch = open_work(study, granularity=Batch.Granularity.UNIT, dimensions=["sort", "backing"])
    batch.dimensions = KEYS
    batch.save()
    item = batch.items.filter(unit__key="s1")[0]
    other = batch.items.create(
        response=item.response, unit=item.response.units.get(key="s1.c1"), shuffle=0,
        question_shuffle=0,
    )  # fmt: skip
    rater, client = judge_of(study, rita), signed_in(rita)
    task = assignments._assign(batch, other, rater)
    steps = {step.key: step for step in steps_of(batch, other)}

    def asked():
        page = client.get(at(task, "task")).content.decode()
        return [key for key in steps if f'data-step="{key}"' in page]

    assert asked() == []
    whole = Batch.objects.get(pk=batch.pk)
    first = assignments._assign(whole, item, rater)
    for step in steps_of(batch, item):
        answering.save_answer(first, step, value=KIND[step.dimension.key])
    assert asked() == ["s1.c1:passage_helps"]


def test_a_batch_goes_on_asking_what_it_asked(study, rita, signed_in):
    batch = open_work(study)
    before = [step.key for step in steps_of(batch, batch.items.all()[0])]
    ask(study, ["sort", "clarity"])
    batch = Batch.objects.get(pk=batch.pk)
    assert sorted(step.key for step in steps_of(batch, batch.items.all()[0])) == sorted(before)
    client = signed_in(rita)
    task = take(client, batch)
    assert set(answer_all(task, KIND)) == set(before)
    assert finish(client, task).status_code == 200


# Versions ----------------------------------------------------------------------------------------


@beginning
def reworded(study, rated, rita):
    """After eight answers to clarity of each of two raters its wording changes; then rita answers
    one of hers anew."""
    other = replace(study.protocol["clarity"], question="The answer is clear.")
    keep_dimension(study, other, replaces="clarity")
    batch = Batch.objects.get(pk=rated.pk)
    judge = Judge.objects.get(study=study, user=rita)
    task = batch.assignments.filter(judge=judge)[0]
    answering.save_answer(task, steps_of(batch, task.item)[0], value="4")
    return batch


def test_in_the_middle_of_a_batch_each_answer_names_the_wording_that_its_rater_saw(
    study, rita, signed_in, client
):
    """Also one that was given on a page from before, which may come hours later."""
    batch, rater = open_work(study), signed_in(rita)
    task = take(rater, batch)
    assert 'name="wording" value="1"' in rater.get(at(task, "task")).content.decode()
    answer(rater, task, "s1:sort", "fact", wording="1")
    other = replace(study.protocol["clarity"], question="The answer is clear.")
    keep_dimension(study, other, replaces="clarity")
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
    page = visible(text(client.get(reverse("dimensions", args=[study.slug]))))
    assert "2 versions: the same answers are possible, so they are counted together." in page
    changed = study.protocol["verdict"]
    changed = replace(changed, low_to_high=changed.low_to_high[::-1])
    assert keep_dimension(study, changed, replaces="verdict").key == "verdict@2"
    page = visible(text(client.get(reverse("dimensions", args=[study.slug]))))
    assert "Not counted with verdict : other answers were possible." in page


def test_what_is_exported_says_which_wording_was_answered(study, reworded, client, alice):
    rows = list(csv.DictReader(io.StringIO(rows_of(client, study))))
    said = Counter((row["dimension"], row["version"]) for row in rows)
    assert (said["clarity", "1"], said["clarity", "2"], said["verdict", "1"]) == (15, 1, 16)
    line = json.loads(rows_of(client, study, "jsonl").splitlines()[0])
    assert line["version"] in {"1", "2"}
    assert "version" not in rows_of(client, rubric_free(alice)).partition("\n")[0]


def rubric_free(owner):
    made = create_study(name="Plain", slug="plain", preset="alce", owner=owner)
    bob = User.objects.get(username="bob")
    Membership.objects.create(study=made, user=bob, role=Role.RESEARCHER)
    return made


def test_what_is_loaded_keeps_its_wording_where_the_file_says_it(study, reworded, client, alice):
    content = rows_of(client, study)
    other = rubric_study(alice, "other")
    assert check(other, "judgments.csv", content).state == Upload.State.INVALID
    changed = replace(other.protocol["clarity"], question="The answer is clear.")
    keep_dimension(other, changed, replaces="clarity")
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
