"""References that change later: correctness is dropped and computed anew; all else stays."""

import json

import pytest
from django.db import OperationalError, connection, transaction
from django.urls import reverse

from annotate import uploads
from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Judgment, Question, Response
from annotate.web.errors import Refused
from annotate.work.jobs.leases import claim
from evaluation.models import Measure, Shard
from evaluation.report_pages.data_state import data_state
from evaluation.runs import lifecycle as runs
from evaluation.runs.judging import drop_measures
from evaluation.runs.queue import PART
from tests.annotate.concurrency import at_once
from tests.annotate.loading import check, load, response
from tests.annotate.pages import visible
from tests.evaluation.runs.doing import finished, planned, started
from tests.shared_rows import shared_rows


def lines(answers, system="Vermilion"):
    return [
        response(output, system=system, question_id=key, question=f"{key}?")
        | {"question": {"id": key, "text": f"{key}?", "references": {"answer": answers[key]}}}
        for key, output in (("q1", "Alps [1]."), ("q2", "Ural [1]."))
    ]


FIRST = {"q1": "Alps", "q2": "Ural"}
OTHER = {"q1": "Andes", "q2": "Ural"}


@shared_rows
def judged(study):
    """Two answers that are right, by a run and by a rater."""
    load(study, lines(FIRST))
    finished(study, "correctness")
    return study


def exact(study):
    rows = Measure.objects.filter(name="exact_match", response__study=study)
    return dict(rows.values_list("response__question__external_id", "value"))


def test_worked_numbers_before_and_after(judged, rita):
    unit = Response.objects.get(question__external_id="q1").units.get(key="r")
    record_judgment(judge=judge_of(judged, rita), unit=unit, dimension="utility", value="4")
    assert exact(judged) == {"q1": 1.0, "q2": 1.0}
    kept = list(Response.objects.values_list("pk", "live")), Judgment.objects.count()
    upload = load(judged, lines(OTHER), replace=True)
    assert uploads.outcome(upload) == "1 question with other references, 2 unchanged."
    (name,) = judged.judges.filter(kind="automatic").values_list("name", flat=True)
    assert upload.result["dropped"] == {name: 1}
    assert exact(judged) == {"q2": 1.0}
    assert (list(Response.objects.values_list("pk", "live")), Judgment.objects.count()) == kept
    run = finished(judged, "correctness")
    assert run.plan["responses"] == 1
    assert run.plan["judged_already"] == 1
    assert exact(judged) == {"q1": 0.0, "q2": 1.0}


def test_references_that_are_added_are_new_too(judged):
    more = lines(FIRST)
    more[1]["question"]["references"] = {"claims": ["The Ural is long."]}
    upload = load(judged, more)
    assert upload.result["references"] == 1
    assert list(exact(judged)) == ["q1"]
    assert Question.objects.get(external_id="q2").references == {
        "answer": "Ural",
        "claims": ["The Ural is long."],
    }


def test_references_name_their_file_and_make_reports_old(judged):
    question = Question.objects.get(external_id="q1")
    states = [data_state(judged)]
    assert question.references_upload is None
    for answers in (OTHER, FIRST):
        upload = load(judged, lines(answers), replace=True)
        question.refresh_from_db()
        assert question.references_upload == upload
        states.append(data_state(judged))
    assert [state.get("references") for state in states] == [
        None,
        *([pk] for pk in judged.uploads.order_by("pk").values_list("pk", flat=True)[1:]),
    ]


def test_a_judge_of_whole_systems_loses_them_whole(judged):
    load(judged, lines(FIRST, "Quokka-9B"))
    judge = judged.judges.create(name="fluency|v:1", kind="automatic")
    other = judged.judges.create(name="aliice|v:1", kind="automatic")
    for row in Response.objects.all():
        for one in (judge, other):
            Measure.objects.create(judge=one, response=row, name="mauve", value=0.5)
    upload = load(judged, lines(OTHER), replace=True)
    assert upload.result["dropped"]["fluency|v:1"] == 4  # both systems answered q1
    assert "aliice|v:1" not in upload.result["dropped"]
    assert other.measures.count() == 4


def test_a_part_at_work_begins_again(judged):
    run = planned(judged, "correctness", missing_only=False)
    runs.start(run, queued=False)
    shard = run.shards.get()
    now = shard.run.created_at
    Shard.objects.filter(pk=shard.pk).update(state="working", lease_token="x", lease_until=now)
    load(judged, lines(OTHER), replace=True)
    shard.refresh_from_db()
    assert (shard.state, shard.lease_token, shard.lease_until) == ("waiting", "", None)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
@pytest.mark.parametrize("begin", ["a part", "a run"])
def test_nothing_is_begun_before_the_new_ones_can_be_read(study, begin):
    load(study, lines(FIRST))
    run = (started if begin == "a part" else planned)(study, "correctness")
    question = Question.objects.get(external_id="q1")

    def try_to():
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'")
        return claim(PART, run.shards.get().pk) if begin == "a part" else runs.start(run)

    with transaction.atomic():
        drop_measures(study, [question.pk])
        (found,) = at_once([try_to])
    assert isinstance(found, OperationalError)
    assert "lock timeout" in str(found)


def test_the_page_asks_and_says_what_is_computed_anew(judged, alice, signed_in):
    content = "".join(json.dumps(line) + "\n" for line in lines(OTHER))
    upload = check(judged, "again.jsonl", content)
    client = signed_in(alice)
    page = client.get(reverse("upload", args=["peaks", upload.pk]))
    text = visible(page.content.decode())
    assert "1 answer comes with other references than its question has" in text
    assert "Replace existing data" in text
    assert "changes nothing" not in text
    address = reverse("upload-confirm", args=["peaks", upload.pk])
    text = visible(client.post(address, {"replace": "on"}, follow=True).content.decode())
    assert "1 question with other references" in text
    assert "Correctness, " in text
    assert "computes them again" in text
    row = Response.objects.get(question__external_id="q1")
    text = visible(client.get(reverse("response", args=["peaks", row.pk])).content.decode())
    assert "These references are from again.jsonl" in text


def references(study, name, content, **options):
    upload = check(study, name, content)
    assert upload.state == "ready", upload.findings["problems"]
    uploads.confirm(upload, **options)
    upload.refresh_from_db()
    assert upload.state == "done", upload.error
    return upload


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.jsonl", '{"question_id": "q1", "references": {"answer": "Andes"}}'),
        ("r.csv", "question_id,answer\nq1,Andes\n"),
    ],
)
def test_a_file_of_references_replaces_them_where_asked_to(judged, name, content):
    upload = check(judged, name, content)
    assert (upload.findings["changed"], upload.findings["questions"]) == (1, 1)
    with pytest.raises(Refused, match="Ask to replace it"):
        uploads.confirm(upload)
    assert exact(judged) == {"q1": 1.0, "q2": 1.0}
    upload = references(judged, name, content, replace=True)
    assert uploads.outcome(upload) == "1 question with other references."
    assert exact(judged) == {"q2": 1.0}
    finished(judged, "correctness")
    assert exact(judged) == {"q1": 0.0, "q2": 1.0}
    again = references(judged, name, content)
    assert again.findings["unchanged"] == 1
    assert uploads.outcome(again).startswith("Nothing changed")
    assert exact(judged) == {"q1": 0.0, "q2": 1.0}
