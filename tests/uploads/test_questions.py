"""Questions by themselves: loaded wholly or not at all, kept, copied, given out and removed."""

import json

import pytest

from annotate import uploads
from annotate.exchange import streams
from annotate.models import Candidate, Passage, Question, Response, System, Upload
from annotate.uploads import question_files
from annotate.web.errors import Refused
from tests.annotate.pages import visible
from tests.uploads.files import alce, as_json, item, passage
from tests.uploads.steps import State, check, everything, loaded, problems, warnings

DOCS = [passage("first"), {**passage("second"), "id": "d2", "score": 2.5}]


def asked(number, **changes):
    """An item of ALCE's data."""
    return {
        "sample_id": f"q{number}",
        "question": f"What is thing {number}?",
        "answers": [["round"]],
        "docs": DOCS,
        **changes,
    }


def ranked(study):
    rows = Candidate.objects.current().filter(question__study=study).order_by("question", "n")
    return list(rows.values_list("question__external_id", "n", "passage__title"))


def read(client, address):
    return client.get(address).content.decode()


def owning(study, user):
    study.memberships.create(user=user, role="owner")
    return user


FIRST = [("q1", 1, "First"), ("q1", 2, "Second")]


def test_questions_without_answers_are_loaded(study):
    upload = loaded(study, as_json([asked(1), asked(2)]), "asqa_data.json")
    assert (upload.format, uploads.outcome(upload)) == (
        "alce-questions", "2 questions by themselves loaded.",
    )  # fmt: skip
    assert (upload.findings["questions"], upload.findings["passages"]) == (2, 4)
    assert upload.findings["new"] == 2
    assert ranked(study) == [*FIRST, ("q2", 1, "First"), ("q2", 2, "Second")]
    one = Question.objects.get(external_id="q1")
    assert (one.references, one.metadata) == ({"answers": [["round"]]}, {"dataset": "asqa"})
    assert Passage.objects.count() == 2
    assert not Response.objects.exists()
    assert not System.objects.exists()
    second = Candidate.objects.get(question=one, n=2)
    assert (second.external_id, second.metadata) == ("d2", {"score": 2.5})


def test_the_check_writes_nothing_and_warns(study):
    upload = check(study, as_json([asked(1, docs=[{"title": "", "text": " "}]), asked(2, docs=[])]))
    assert warnings(upload) == {"unread": 1, "unranked": 1}
    assert not Question.objects.exists()


def test_other_passages_replace_those_before_where_that_is_asked_for(study):
    loaded(study, as_json([asked(1)]))
    content = as_json([asked(1, docs=[passage("third")])])
    upload = check(study, content)
    assert upload.findings["changed"] == 1
    with pytest.raises(Refused, match="here already with another content"):
        uploads.accept(upload)
    assert ranked(study) == FIRST
    loaded(study, content, replace=True)
    assert ranked(study) == [("q1", 1, "Third")]
    assert Candidate.objects.count() == 1, "the earlier ones are gone"


def test_loading_good_records_only_keeps_existing_rows(study):
    loaded(study, as_json([asked(1)]))
    other = [asked(1, docs=[passage("third")]), asked(2)]
    upload = loaded(study, as_json(other), keep_good=True)
    assert upload.result["left_out"] == 1
    assert ranked(study) == [*FIRST, ("q2", 1, "First"), ("q2", 2, "Second")]


def test_another_text_under_the_same_id_is_a_problem(study):
    loaded(study, as_json([asked(1)]))
    upload = check(study, as_json([asked(1, question="Why?")]))
    assert "“q1” has in this study" in problems(upload)[0]


def test_exported_questions_can_be_imported(study, make_study):
    loaded(study, as_json([asked(1), asked(2, docs=[])]), "asqa_data.json")
    content = "".join(streams.question_lines(study))
    other = make_study("other")
    upload = loaded(other, content.encode(), "q.jsonl")
    assert upload.format == "questions"
    assert "".join(streams.question_lines(other)) == content
    assert [json.loads(line)["question"]["id"] for line in content.splitlines()] == ["q1", "q2"]


def test_a_file_of_them_is_taken_back(study, alice, signed_in):
    loaded(study, alce(item(1, sample_id="q1")), "a.json", system="S")
    kept = everything()
    upload = loaded(study, as_json([asked(1), asked(2), asked(3, docs=[])]))
    client = signed_in(owning(study, alice))
    page = read(client, f"/studies/{study.slug}/uploads/{upload.pk}/")
    assert "Remove the questions" in visible(page)
    client.post(f"/studies/{study.slug}/uploads/{upload.pk}/discard/")
    upload.refresh_from_db()
    assert upload.state == State.DISCARDED
    assert "".join(streams.question_lines(study)) == ""
    rows, before = everything(), kept
    assert [q["external_id"] for q in rows["Question"]] == ["q1"], "which is answered"
    for name in ("Candidate", "Passage", "Response", "Source", "Unit"):
        assert rows[name] == before[name]
    with pytest.raises(Refused, match="cannot be discarded"):
        uploads.discard(Upload.objects.get(format="alce"))


def test_interrupted_discard_continues(study, monkeypatch):
    upload = loaded(study, as_json([asked(1), asked(2)]))

    def broken(rows, **more):
        raise RuntimeError("no more")

    monkeypatch.setattr(question_files, "remove_rows", broken)
    with pytest.raises(RuntimeError):
        uploads.discard(upload)
    monkeypatch.undo()
    assert list(streams.question_lines(study)) == []
    uploads.discard(upload)
    assert not any(model.objects.exists() for model in (Candidate, Passage, Question))


def test_questions_of_a_later_file_stay_where_the_first_is_taken_back(study):
    first = loaded(study, as_json([asked(1), asked(2)]))
    loaded(study, as_json([asked(1, docs=[passage("third")])]), replace=True)
    uploads.discard(first)
    assert ranked(study) == [("q1", 1, "Third")]
    assert [one.external_id for one in Question.objects.all()] == ["q1"]
