"""ALCE's human evaluation of utility."""

from typing import Any

import pytest

from annotate.formats import JudgmentRecord, Where
from tests.cases import each
from tests.formats.reading import Outcome, outcome


@pytest.fixture
def found(tmp_path):
    def of(**fields: Any) -> Outcome:
        value = {"id": "q1", "question": "How high?", "output": "Very.", **fields}
        nested = {"asqa": {"model.json": {"q1": value, "overall_results": [1]}}}
        return outcome(tmp_path / "utility.json", nested, "alce-utility")

    return of


@each("score", [1, 2, 3, 4, 5, 5.0])
def test_a_mark_becomes_one_judgment(found, score):
    (record,) = found(utility_score=score).responses
    where = Where(index="asqa/model.json/q1")
    assert record.judgments == (
        JudgmentRecord(
            "r", "utility", "published human evaluation", "human", str(int(score)), where=where
        ),
    )
    assert (record.system, record.question.external_id) == ("model", "asqa/q1")


def test_correctness_and_unknown_fields_are_kept(found):
    (record,) = found(
        utility_score=None, automatic_correctness_scores=[True, False], other="x"
    ).responses
    assert record.metadata == {"automatic_correctness_scores": [True, False], "other": "x"}


@each(
    ("fields", "field"),
    [
        ({"utility_score": 6}, "utility_score"),
        ({"utility_score": 0}, "utility_score"),
        ({"utility_score": 2.5}, "utility_score"),
        (
            {"utility_score": 1, "automatic_correctness_scores": ["yes"]},
            "automatic_correctness_scores[0]",
        ),
    ],
)
def test_wrong_scores(found, fields, field):
    result = found(**fields)
    assert not result.responses
    assert [problem.where.field for problem in result.problems] == [field]
