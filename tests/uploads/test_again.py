"""The same file again changes nothing; a changed one is refused, or replaces without loss."""

import json
from pathlib import Path

import pytest

from annotate import uploads
from annotate.models import Judgment, PastJudgment, Response
from annotate.web.errors import Refused
from tests.cases import each
from tests.uploads.files import (
    alce,
    as_json,
    evaluated,
    evaluation,
    item,
    judged,
    judgments,
    passage,
    rating,
    ratings,
    response,
    responses,
)
from tests.uploads.files import lines as as_lines
from tests.uploads.steps import State, check, everything, load, loaded, outputs, work

pytestmark = pytest.mark.postgresql

FILES = [
    (alce(item(1), args={"model": "m", "seed": 1}, args_last=True), "a.json"),
    (evaluation(evaluated(1), evaluated(2)), "h.json"),
    (ratings(rating(1), rating(2), rating(1, "Writer")), "ratings.csv"),
    (responses(3), "r.jsonl"),
    (as_json([{"sample_id": "q1", "question": "What is thing 1?", "docs": [passage("first")]}]),
     "asqa_data.json"),
]  # fmt: skip


@pytest.mark.usefixtures("small_chunks")
@each(("content", "name"), FILES)
def test_the_same_file_again_changes_nothing(study, content, name):
    loaded(study, content, name)
    before = everything()
    upload = check(study, content, name)
    found = upload.findings
    assert found["new"] == found["changed"] == found["new_judgments"] == 0
    assert found["unchanged"] == found["records"] > 0
    assert found["unchanged_judgments"] == found["judgments"]
    uploads.accept(upload)
    work(upload)
    assert upload.state == State.DONE
    assert uploads.outcome(upload) == "Nothing changed: everything in this file was here already."
    assert everything() == before, "also units' keys and every primary key"


CHANGES = [
    {"output": "Thing 1 is flat [1]."},
    {"citations": [{"start": 0, "end": 5, "passages": [1]}]},
    {"citations": [{"start": 0, "end": 5, "passages": [1], "quote": "round"}]},
    {"passages": [{"n": 1, "title": "New", "text": "A passage.", "page": "7"}]},
    {"passages": [{"n": 1, "title": "New", "text": "Another passage."}]},
    {"metadata": {"temperature": 0.7}},
]


@each("change", CHANGES)
def test_a_changed_response_is_refused(study, change):
    loaded(study, responses(2), "r.jsonl")
    before = everything()
    upload = check(study, as_lines(response(1, **change), response(2)), "r.jsonl")
    assert upload.state == State.READY
    assert (upload.findings["changed"], upload.findings["unchanged"]) == (1, 1)
    with pytest.raises(Refused, match="1 record is here already with another content"):
        uploads.accept(upload)
    assert everything() == before


def replaced(study):
    """A study with a judged response, and the upload that replaces it."""
    loaded(study, responses(2), "r.jsonl")
    rows = [
        judged(1, "s1", "citation_recall", "yes"),
        judged(1, "s1.c1", "citation_support", "full"),
        judged(2, "s1", "citation_recall", "no"),
    ]
    loaded(study, judgments(*rows), "j.csv")
    upload = check(study, as_lines(response(1, output="Flat [2]."), response(2)), "new.jsonl")
    assert upload.findings["detached_judgments"] == 2
    uploads.accept(upload, replace=True)
    return work(upload)


def test_a_replaced_response_keeps_its_judgments_and_no_longer_counts(study):
    upload = replaced(study)
    assert uploads.outcome(upload) == "1 response loaded, 1 response replaced, 1 unchanged."
    old = Response.objects.get(text__startswith="Thing 1")
    assert old.live is None
    assert old.replaced_at is not None
    new = Response.objects.get(text="Flat [2].")
    assert new.live is True
    assert (old.system, old.question, old.run) == (new.system, new.question, new.run)
    assert Judgment.objects.filter(unit__response=old).count() == 2
    assert Judgment.objects.current().count() == 1
    assert set(Response.objects.current()) == {
        new,
        Response.objects.get(text__startswith="Thing 2"),
    }
    assert [json.loads(line)["output"] for line in outputs(study).splitlines()] == [
        "Thing 2 is round [1]. It is also blue [2].",
        "Flat [2].",
    ]


def test_changed_response_is_not_replaced_with_good_records_only(study):
    loaded(study, responses(2), "r.jsonl")
    content = as_lines(response(1, output="Flat."), response(3), {"bad": 1})
    upload = load(study, content, "new.jsonl", keep_good=True)
    assert upload.result["left_out"] == 2
    assert upload.result["responses"] == 1
    assert not Response.objects.filter(text="Flat.").exists()


def test_changed_judgments_are_refused(study):
    loaded(study, responses(1), "r.jsonl")
    loaded(study, judgments(judged(1, "s1", "citation_recall", "yes")), "j.csv")
    upload = check(study, judgments(judged(1, "s1", "citation_recall", "no")), "j.csv")
    assert upload.findings["changed_judgments"] == 1
    with pytest.raises(Refused, match="Ask to replace"):
        uploads.accept(upload)
    assert Judgment.objects.get().value == "yes"


def test_replaced_judgments_stay_in_the_history(study):
    loaded(study, responses(1), "r.jsonl")
    first = judged(1, "s1", "citation_recall", "yes", seconds=3, note="sure")
    loaded(study, judgments(first), "j.csv")
    pk = Judgment.objects.get().pk
    second = judged(1, "s1", "citation_recall", "", skipped_reason="broken text")
    upload = load(study, judgments(second), "j.csv", replace=True)
    assert uploads.outcome(upload) == "1 judgment replaced."
    judgment = Judgment.objects.get()
    assert (judgment.pk, judgment.value, judgment.skipped_reason) == (pk, "", "broken text")
    (past,) = judgment.history.all()
    assert (past.value, past.seconds, past.note) == ("yes", 3, "sure")
    assert past.created_at.isoformat() == "2024-05-01T12:30:00+00:00"


def test_judgments_that_change_between_check_and_load_stop_the_load(study):
    loaded(study, responses(1), "r.jsonl")
    upload = check(study, judgments(judged(1, "s1", "citation_recall", "no")), "j.csv")
    uploads.accept(upload)
    loaded(study, judgments(judged(1, "s1", "citation_recall", "yes")), "other.csv")
    work(upload)
    assert upload.state == State.FAILED
    assert "the answers that Ada gave before" in upload.error
    assert Judgment.objects.get().value == "yes"


def test_a_changed_verdict_in_a_file_of_outputs_is_seen_by_the_check(make_study):
    """The response is the same, only the judgment that comes with it differs."""
    ais = make_study("short", preset="ais")
    loaded(ais, ratings(rating(1), rating(2)), "ratings.csv")
    content = ratings(rating(1), rating(2, human_rating="N"))
    upload = check(ais, content, "ratings.csv")
    found = upload.findings
    assert (found["unchanged"], found["changed"]) == (2, 0)
    assert (found["unchanged_judgments"], found["changed_judgments"]) == (3, 1)
    with pytest.raises(Refused, match="Ask to replace"):
        uploads.accept(upload)
    upload = load(ais, content, "ratings.csv", replace=True)
    assert uploads.outcome(upload) == "1 judgment replaced, 5 unchanged."
    assert PastJudgment.objects.get().value == "yes"


def test_a_discarded_file_is_gone(study):
    upload = check(study, responses(1), "r.jsonl")
    path = Path(upload.file.path)
    assert path.exists()
    uploads.discard(upload)
    assert upload.state == State.DISCARDED
    assert not path.exists()
    with pytest.raises(Refused, match="discarded"):
        uploads.accept(upload)
