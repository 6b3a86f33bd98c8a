"""Attributed QA ratings, the large file."""

import pytest

from annotate.formats import PassageRecord
from tests.cases import each
from tests.formats.reading import outcome

HEADER = "system_name,question,answer,attribution,passage,human_rating,auto_ais,nli_score\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ratings.csv"


def test_a_row_with_both_verdicts(path):
    found = outcome(path, HEADER + "S,How?,High,p1,It is high.,Y,N,0.25\n", "aqa-ratings")
    (record,) = found.responses
    assert (record.system, record.question.text, record.output) == ("S", "How?", "High")
    assert record.passages == (PassageRecord(1, "", "It is high.", "p1"),)
    people, automatic = record.judgments
    assert (people.judge, people.judge_kind, people.value, people.score) == (
        "majority of 5 (published)",
        "majority",
        "yes",
        None,
    )
    assert (automatic.judge, automatic.judge_kind, automatic.value, automatic.score) == (
        "AutoAIS (published)",
        "automatic",
        "no",
        0.25,
    )
    assert {judged.unit for judged in record.judgments} == {"r"}
    assert {judged.dimension for judged in record.judgments} == {"attributable"}


def test_empty_ratings_give_no_judgments(path):
    found = outcome(path, HEADER + "S,How?,High,p1,Text,,,0.5\nS,Who?,Me,,,N,,\n", "aqa-ratings")
    first, second = found.responses
    assert first.judgments == ()
    assert first.metadata == {"nli_score": "0.5"}
    assert [judged.value for judged in second.judgments] == ["no"]
    assert second.passages == ()


def test_an_attribution_without_its_passage_is_kept(path):
    (record,) = outcome(path, HEADER + "S,How?,High,p1,,N,N,0\n", "aqa-ratings").responses
    assert record.passages == ()
    assert record.metadata == {"attribution": "p1"}


def test_columns_in_any_order_and_more_of_them(path):
    text = "nli_score,auto_ais,human_rating,extra,passage,attribution,answer,question,system_name\n"
    (record,) = outcome(path, text + "1e-2,Y,N,e,P,p1,A,Q,S\n", "aqa-ratings").responses
    assert (record.system, record.question.text, record.output) == ("S", "Q", "A")
    assert record.metadata == {"extra": "e"}
    assert record.judgments[1].score == 0.01


@each("score", ["abc", "nan", "inf", "-0.1", "1.5", "0_1", " 0.5", "٠"])
def test_scores_that_are_no_share(path, score):
    found = outcome(path, HEADER + f"S,Q,A,p,T,Y,Y,{score}\n", "aqa-ratings")
    assert not found.responses
    assert [problem.where.field for problem in found.problems] == ["nli_score"]


def test_one_row_can_have_several_problems(path):
    found = outcome(path, HEADER + " ,,A,p,T,maybe,y,2\n", "aqa-ratings")
    assert [problem.where.field for problem in found.problems] == [
        "system_name",
        "question",
        "human_rating",
        "auto_ais",
        "nli_score",
    ]
