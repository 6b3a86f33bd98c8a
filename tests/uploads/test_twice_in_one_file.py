"""What a file says twice in other words is a fault, found before anything is written."""

from tests.uploads.files import judged, judgments, lines, response, responses
from tests.uploads.steps import State, check, everything, loaded, problems


def test_the_same_answer_under_another_study_name(study):
    loaded(study, responses(1), "own.jsonl")
    before = everything()
    row = judged(1, "s1", "citation_recall", "yes")
    upload = check(study, judgments(row, {**row, "study": "another"}), "j.csv")
    assert upload.state == State.INVALID
    assert len(problems(upload)) == 1
    assert "one answer of a judge about a unit and dimension" in problems(upload)[0]
    assert everything() == before


def test_a_question_once_by_id_and_once_by_text(study):
    named = response(1)
    unnamed = {**response(1), "question": {"text": named["question"]["text"]}}
    upload = check(study, lines(named, unnamed), "own.jsonl")
    assert upload.state == State.INVALID
    assert "one answer of a system to a question in a run" in problems(upload)[0]
