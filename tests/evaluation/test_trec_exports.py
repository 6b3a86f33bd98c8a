"""A study as a run of TREC with people's support labels, written and read again."""

import json
from typing import Any

import pytest

from annotate.models import Judgment, Response, Unit
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from tests.evaluation.published import read, text_of
from tests.uploads.files import judged, judgments, lines
from tests.uploads.steps import loaded

pytestmark = pytest.mark.django_db

RUN = {
    "run_id": "ours",
    "topic_id": "t1",
    "topic": "How high?",
    "references": ["d1", "d2"],
    "answer": [
        {"text": "It is high.", "citations": [1, 0]},
        {"text": "It is far."},
        {"text": "It is cold.", "citations": [1]},
    ],
}
PASSAGES = lines({"id": "d1", "text": "High."}, {"id": "d2", "title": "T", "text": "Very high."})


@pytest.fixture
def study(new):
    made = new("first")
    loaded(made, json.dumps(RUN).encode(), "run.jsonl", passages=PASSAGES)
    about = {"system": "ours", "question_id": "t1"}
    rows = [
        judged(1, "s1.c1", "citation_support", "full", **about),
        judged(1, "s1.c2", "citation_support", "none", **about),
        judged(1, "s3", "trec_support", "partial", **about),
    ]
    loaded(made, judgments(*rows), "j.csv")
    return made


def test_export_has_citations_scores_and_segments(study):
    (line,) = map(json.loads, text_of(study, "trec-support").splitlines())
    assert {key: line[key] for key in RUN if key != "answer"} == {
        key: RUN[key] for key in RUN if key != "answer"
    }
    assert [entry["citations"] for entry in line["answer"]] == [[1, 0], [], [1]]
    assert [entry["eval_scores"] for entry in line["support_eval"]] == [["FS", "NS"], [], ["PS"]]
    assert line["segments"] == {"d1": "High.", "d2": "Very high."}


def held(study):
    """The statements with what they cite, and what was said of it."""
    units = Unit.objects.filter(response__study=study).exclude(key="r").order_by("pk")
    values = Judgment.objects.filter(unit__response__study=study, dimension="citation_support")
    return (
        list(units.values_list("key", "text", "source__n", "source__passage__text")),
        dict(values.values_list("unit__key", "value")),
    )


def test_read_again_it_is_the_same(study, new):
    written = text_of(study, "trec-support")
    second = new("second")
    read(second, "trec-rag", written)
    read(second, "trec-support", written)
    units, values = held(study)
    again, told = held(second)
    statements = [unit for unit in units if ".c" not in unit[0]]
    assert [unit for unit in again if ".c" not in unit[0]] == statements
    assert [unit[2:] for unit in again] == [unit[2:] for unit in units]
    assert told == {**values, "s3.c1": "partial"}
    assert Response.objects.get(study=second).system.name == "ours"


def test_sources_with_one_name_are_told_apart(new):
    made = new("first")
    texts = ((1, "One."), (2, "Two."))
    line = {
        "question": {"id": "q1", "text": "Q?"},
        "system": "S",
        "output": "It is high [1]. It is cold [2][9].",
        "passages": [{"n": n, "title": "", "text": text, "id": "same"} for n, text in texts],
    }
    loaded(made, lines(line), "own.jsonl")
    row = judged(1, "s2.c1", "citation_support", "full", system="S")
    loaded(made, judgments(row), "j.csv")
    written = json.loads(text_of(made, "trec-support"))
    assert written["references"] == ["same", "same (2)"]
    assert [entry["citations"] for entry in written["answer"]] == [[0], [1]]


# Qrels -------------------------------------------------------------------------------------------


def test_a_line_of_qrels_is_the_most_support_of_a_source_for_a_question(study):
    assert text_of(study, "trec-qrels").splitlines() == ["t1 0 d2 2", "t1 0 d1 0"]
    other = dict(RUN, run_id="theirs", answer=[{"text": "It is old.", "citations": [0]}])
    loaded(study, json.dumps(other).encode(), "theirs.jsonl", passages=PASSAGES)
    assert text_of(study, "trec-qrels").splitlines() == ["t1 0 d2 2", "t1 0 d1 0"]
    row = judged(1, "s1.c1", "citation_support", "partial", system="theirs", question_id="t1")
    loaded(study, judgments(row), "more.csv")
    assert text_of(study, "trec-qrels").splitlines() == ["t1 0 d2 2", "t1 0 d1 1"]


def test_names_in_qrels_have_no_blanks(new):
    made = new("first")
    line = {
        "question": {"id": "topic one", "text": "Q?"},
        "system": "S",
        "output": "It is high [1]. It is cold [2].",
        "passages": [
            {"n": 1, "title": "", "text": "One.", "id": "the first\tdoc"},
            {"n": 2, "title": "", "text": "Two."},
        ],
    }
    loaded(made, lines(line), "own.jsonl")
    rows = [judged(1, f"s{n}.c1", "citation_support", "full", system="S", question_id="topic one")
            for n in (1, 2)]  # fmt: skip
    loaded(made, judgments(*rows), "j.csv")
    assert text_of(made, "trec-qrels") == "topic%20one 0 the%20first%09doc 2\n"


def test_without_names_of_sources_there_are_no_qrels(new):
    made = new("first")
    line = {
        "question": {"id": "q1", "text": "Q?"},
        "system": "S",
        "output": "It is high [1].",
        "passages": [{"n": 1, "title": "", "text": "One."}],
    }
    loaded(made, lines(line), "own.jsonl")
    row = judged(1, "s1.c1", "citation_support", "full", system="S")
    loaded(made, judgments(row), "j.csv")
    with pytest.raises(Refused, match="has an id or an address"):
        text_of(made, "trec-qrels")


# Nuggets -----------------------------------------------------------------------------------------

NUGGETS: dict[str, Any] = {
    "query": "how high",
    "qid": "t1",
    "nuggets": [
        {"text": "It is high", "importance": "vital"},
        {"text": "It is cold", "importance": "okay"},
        {"text": "It is far", "importance": "okay"},
    ],
}
ASSIGNED = ["support", "failed", "not_support"]
ASSIGNMENTS = {
    "query": "How high?",
    "qid": "t1",
    "run_id": "ours",
    "answer_text": "It is high. [2][1] It is far. It is cold. [2]",
    "nuggets": [
        {**nugget, "assignment": label}
        for nugget, label in zip(NUGGETS["nuggets"], ASSIGNED, strict=True)
    ],
}


@pytest.fixture
def claims(new):
    def made(slug):
        found = create_study(name=slug, slug=slug, preset="reference_claims", owner=None)
        loaded(found, json.dumps(RUN).encode(), "run.jsonl", passages=PASSAGES)
        return found

    return made


def test_nuggets_come_out_as_they_went_in(claims):
    made, second = claims("first"), claims("second")
    with pytest.raises(Refused, match="claims of a reference"):
        text_of(made, "trec-nuggets")
    read(made, "trec-nuggets", json.dumps(NUGGETS))
    written = text_of(made, "trec-nuggets")
    assert json.loads(written) == {**NUGGETS, "query": "How high?"}
    read(second, "trec-nuggets", written)
    assert text_of(second, "trec-nuggets") == written


def test_which_nuggets_an_answer_has(claims):
    made, second = claims("first"), claims("second")
    read(made, "trec-nuggets", json.dumps(NUGGETS))
    read(made, "trec-assignments", json.dumps(ASSIGNMENTS))
    with pytest.raises(Refused, match="Nobody has answered"):
        text_of(second, "trec-assignments")
    about = {"system": "ours", "question_id": "t1"}
    rows = [
        judged(1, unit, "reference_said", value, **about)
        for unit, value in (("k1", "yes"), ("k3", "none"))
    ]
    read(second, "trec-nuggets", text_of(made, "trec-nuggets"))
    loaded(second, judgments(*rows), "j.csv")
    (line,) = map(json.loads, text_of(second, "trec-assignments").splitlines())
    assert line == {**ASSIGNMENTS, "answer_text": line["answer_text"]}
    assert line["answer_text"].startswith("It is high.")
    third = claims("third")
    read(third, "trec-nuggets", text_of(made, "trec-nuggets"))
    read(third, "trec-assignments", json.dumps(line))
    values = Judgment.objects.filter(judge__study=third).exclude(value="")
    assert dict(values.values_list("unit__key", "value")) == {"k1": "yes", "k3": "none"}
