"""All of a file or nothing of it, and every fault with its place."""

import json

import pytest

from annotate import uploads
from annotate.models import Response
from annotate.web.errors import Refused
from tests.cases import each
from tests.uploads.files import alce, item, judged, judgments, lines, response, responses
from tests.uploads.steps import State, check, everything, load, loaded, problems, receive, work

WHOLE = alce(item(1), item(2))


def test_an_unknown_format_is_refused(study):
    with pytest.raises(Refused, match=r"Unknown format “xml”. Known: alce"):
        receive(study, WHOLE, format="xml")


@each(("option", "length"), [("system", 201), ("run", 101)])
def test_overlong_name_is_refused(study, option, length):
    with pytest.raises(Refused, match=f"name of the {option} has {length} characters"):
        receive(study, WHOLE, **{option: "n" * length})


@pytest.mark.usefixtures("small_chunks")
def test_references_of_a_file_that_fails_are_not_kept(study):
    """A question that was here learns its references only from a file that was loaded."""
    loaded(study, alce(*(item(n) for n in range(1, 6))), "a.json", system="A")
    richer = [item(n, claims=[f"Claim {n}."]) for n in range(1, 6)]
    upload = check(study, alce(*richer), "b.json", system="B")
    uploads.accept(upload)
    loaded(study, alce(item(5, output="Other [1].")), "c.json", system="B")
    before = everything()
    assert work(upload).state == State.FAILED
    assert "Ask to replace it" in upload.error
    assert everything() == before
    assert not study.questions.exclude(references={}).exists()


@each("known_before", [True, False])
def test_references_of_every_record_of_a_question_are_kept(study, known_before):
    """One file may say more about a question with each of its systems."""
    if known_before:
        loaded(study, alce(item(1)), "before.json", system="Earlier")
    first, second = response(1, system="A"), response(1, system="B")
    first["question"] = {**first["question"], "references": {"answer": "Round."}}
    more = {"claims": ["It is round."], "answer": "Flat."}
    second["question"] = {**second["question"], "references": more}
    loaded(study, lines(first, second), "own.jsonl")
    question = study.questions.get()
    assert question.references == {"answer": "Round.", "claims": ["It is round."]}


@pytest.mark.usefixtures("small_chunks")
def test_only_good_records_are_loaded(study):
    bad = [{"question": "", "output": 7, "docs": []}, item(4, output=7)]
    content = alce(item(1), bad[0], item(2), item(3), bad[1], item(5))
    upload = load(study, content, keep_good=True)
    assert upload.state == State.DONE
    assert upload.result["left_out"] == 2, "records, however much is wrong with each"
    assert uploads.outcome(upload) == "4 responses loaded, 2 records left out."
    ids = study.questions.order_by("pk").values_list("external_id", flat=True)
    assert list(ids) == ["q1", "q2", "q3", "q5"]


LIMITS = [
    ("ATTEST_MAX_RECORDS", 2, alce(item(1), item(2), item(3)), "at most 2 records"),
    ("ATTEST_MAX_FIELD_CHARS", 50, alce(item(1, output="x" * 51)), "at most 50 characters"),
    ("ATTEST_MAX_PASSAGES", 1, alce(item(1)), "at most 1 passage"),
    ("ATTEST_MAX_UPLOAD_BYTES", 100, WHOLE, "at most 100 bytes"),
]


@each(("setting", "limit", "content", "expected"), LIMITS)
def test_a_limit_names_its_setting(study, settings, setting, limit, content, expected):
    upload = receive(study, content)
    setattr(settings, setting, limit)
    work(upload)
    assert upload.state == State.INVALID
    text = " ".join(problems(upload))
    assert setting in text
    assert expected in text
    assert not Response.objects.exists()


def test_too_large_a_file_is_not_received(study, settings):
    settings.ATTEST_MAX_UPLOAD_BYTES = 100
    with pytest.raises(Refused, match=r"at most 100 are accepted \(setting ATTEST_MAX_UPLOAD"):
        receive(study, WHOLE)


def test_a_flood_of_citations_is_refused(study):
    output = f"Round {'[1-50]' * 170_000}."
    content = alce(item(1), item(2, output=output[:999_999]))
    assert len(content) > 1_000_000
    upload = check(study, content)
    assert upload.state == State.INVALID
    (problem,) = upload.findings["problems"]
    assert problem["where"] == "item [1], field output"
    assert "at most 5,000 citations" in problem["expected"]
    assert len(json.dumps(upload.findings)) < 20_000
    uploads.accept(upload, keep_good=True)
    assert work(upload).result["left_out"] == 1


def test_two_questions_of_the_same_id_in_two_files(study):
    loaded(study, alce(item(1)), "a.json", system="A")
    before = everything()
    upload = check(study, alce(item(1, question="Something else?")), "b.json", system="B")
    assert upload.state == State.INVALID
    assert "the text that question “q1” has in this study" in problems(upload)[0]
    assert "Two questions need two ids." in problems(upload)[0]
    assert everything() == before


def test_same_answer_under_another_study_name_is_refused(study):
    loaded(study, responses(1), "own.jsonl")
    before = everything()
    row = judged(1, "s1", "citation_recall", "yes")
    upload = check(study, judgments(row, {**row, "study": "another"}), "j.csv")
    assert upload.state == State.INVALID
    assert len(problems(upload)) == 1
    assert "one answer of a judge about a unit and dimension" in problems(upload)[0]
    assert everything() == before


def test_same_question_by_id_and_by_text_is_refused(study):
    named = response(1)
    unnamed = {**response(1), "question": {"text": named["question"]["text"]}}
    upload = check(study, lines(named, unnamed), "own.jsonl")
    assert upload.state == State.INVALID
    assert "one answer of a system to a question in a run" in problems(upload)[0]
