"""ALCE's human evaluation of citations."""

from typing import Any

import pytest

from annotate.formats import GivenStatement, PassageRecord, ResponseRecord
from tests.cases import each
from tests.formats.reading import Outcome, outcome

HUMAN, AUTOMATIC = "published human evaluation", "ALCE automatic (published)"


def citation(n: int, score: Any = 2, **more: Any) -> dict:
    return {
        "title": f"T{n}",
        "text": f"Passage {n}.",
        "citation_precision_score": score,
        **more,
    }


def sentence(text: str, citations: Any = (), recall: Any = 1, **more: Any) -> dict:
    return {
        "text": text,
        "citations": list(citations),
        "sentence_recall_score": recall,
        "sentence_precision_score": 1,
        **more,
    }


def item(*sentences: dict, **more: Any) -> dict:
    return {
        "id": "q1",
        "question": "How high?",
        "output": " ".join(each["text"] for each in sentences),
        "overall_recall_score": 1.0,
        "sentences": list(sentences),
        **more,
    }


@pytest.fixture
def found(tmp_path):
    def of(value: dict) -> Outcome:
        nested = {"asqa": {"model.json": {"q1": value, "overall_results": {"recall": 1}}}}
        return outcome(tmp_path / "human.json", nested, "alce-citations")

    return of


def votes(record: ResponseRecord, judge: str) -> dict:
    return {(j.unit, j.dimension): j.value for j in record.judgments if j.judge == judge}


def test_passages_get_the_numbers_of_the_marks(found):
    (record,) = found(
        item(sentence("A [3][1].", [citation(3), citation(1)]), sentence("B [1].", [citation(1)]))
    ).responses
    one, three = PassageRecord(1, "T1", "Passage 1."), PassageRecord(3, "T3", "Passage 3.")
    assert record.passages == (one, three)
    assert record.statements == (
        GivenStatement("A [3][1].", (three, one)),
        GivenStatement("B [1].", (one,)),
    )


def test_marks_beyond_the_citations_have_no_passage(found):
    text = "A [1][2][3][4]."
    (record,) = found(item(sentence(text, [citation(n) for n in (1, 2, 3)]))).responses
    assert [passage.n for passage in record.passages] == [1, 2, 3]


def test_second_passage_of_a_number_gets_a_free_number(found):
    (record,) = found(
        item(sentence("A [1].", [citation(1)]), sentence("B [1][5].", [citation(2), citation(5)]))
    ).responses
    assert [(passage.n, passage.title) for passage in record.passages] == [
        (1, "T1"),
        (5, "T5"),
        (6, "T2"),
    ]
    assert [passage.n for passage in record.statements[1].passages] == [6, 5]


def test_a_passage_without_a_mark_gets_a_free_number_once(found):
    (record,) = found(
        item(sentence("A.", [citation(1)]), sentence("B [2].", [citation(2), citation(1)]))
    ).responses
    assert [(passage.n, passage.title) for passage in record.passages] == [(2, "T2"), (3, "T1")]


def test_both_judges_answer_the_same_questions(found):
    (record,) = found(
        item(
            sentence("A [1][2].", [citation(1, 2), citation(2, 1.0)], recall=1.0),
            sentence("B [3].", [citation(3, 0)], recall=0),
            automatic_recall_scores=[0, 1.0],
            automatic_citation_precision_scores=[[0, 1], [2.0]],
            automatic_precision_scores=[1, 1],
        )
    ).responses
    assert votes(record, HUMAN) == {
        ("s1", "citation_recall"): "yes",
        ("s1.c1", "citation_support"): "full",
        ("s1.c2", "citation_support"): "partial",
        ("s2", "citation_recall"): "no",
        ("s2.c1", "citation_support"): "none",
    }
    assert votes(record, AUTOMATIC) == {
        ("s1", "citation_recall"): "no",
        ("s1.c1", "citation_support"): "none",
        ("s1.c2", "citation_support"): "partial",
        ("s2", "citation_recall"): "yes",
        ("s2.c1", "citation_support"): "full",
    }
    kinds = {(j.judge, j.judge_kind) for j in record.judgments}
    assert kinds == {(HUMAN, "human"), (AUTOMATIC, "automatic")}


def test_absent_scores_give_no_judgments(found):
    bare = {"title": "T", "text": "Passage."}
    (record,) = found(item({"text": "A [1].", "citations": [bare]})).responses
    assert record.judgments == ()
    (record,) = found(
        item(
            sentence("A [1].", [citation(1, None)], recall=None),
            automatic_recall_scores=[None],
            automatic_citation_precision_scores=[[]],
        )
    ).responses
    assert record.judgments == ()


def test_derived_scores_and_unknown_fields_are_kept(found):
    (record,) = found(
        item(
            sentence("A [1].", [citation(1, rank=4)], note="n"),
            automatic_precision_scores=[0],
            overall_precision_score=0.5,
        )
    ).responses
    assert record.metadata == {
        "overall_recall_score": 1.0,
        "overall_precision_score": 0.5,
        "automatic_precision_scores": [0],
        "sentences": [{"sentence_precision_score": 1, "note": "n", "citations": [{"rank": 4}]}],
    }


@each(
    ("value", "field"),
    [
        (item(sentence("A.", recall="yes")), "sentences[0].sentence_recall_score"),
        (
            item(sentence("A [1].", [citation(1)]), automatic_citation_precision_scores=[[1, 1]]),
            "automatic_citation_precision_scores[0]",
        ),
        (item(sentence("A.", [citation(n) for n in (1, 2, 3, 4)])), "sentences[0].citations"),
    ],
)
def test_problems_name_the_whole_path(found, value, field):
    result = found(value)
    assert not result.responses
    assert result.problems[0].where.index == "asqa/model.json/q1"
    assert result.problems[0].where.field.startswith(field)
