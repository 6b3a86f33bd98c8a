"""Statements and citations of the strict reading, against figures of ALCE's released evaluation.

The entailment model is replaced by token containment on both sides.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from annotate.text import segment
from tests.cases import each

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "parity" / "alce.json"

pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="the parity cases (shared/parity/alce.json) are not here"
)


def contains(premise: str, hypothesis: str) -> bool:
    def tokens(text: str) -> set[str]:
        return set(re.findall(r"[a-z0-9]+", text.lower()))

    return tokens(hypothesis) <= tokens(premise)


def premise(docs: list[dict[str, str]], numbers: list[int]) -> str:
    return "\n".join(f"Title: {docs[n - 1]['title']}\n{docs[n - 1]['text']}" for n in numbers)


def citation_scores(item: dict[str, Any], cap: int | None) -> tuple[float, float]:
    """Citation recall and precision of one response, in percent."""
    docs = item["docs"]
    made = segment(
        item["output"], passages=len(docs), cap=cap, reading="strict", splitter="full-stop"
    )
    supported = precise = cited = 0
    for statement in made.statements:
        if not all(citation.in_range for citation in statement.citations):
            continue
        numbers = [citation.number for citation in statement.citations if citation.counted]
        cited += len(numbers)
        if not numbers or not contains(premise(docs, numbers), statement.text):
            continue
        supported += 1
        for place, number in enumerate(numbers):
            others = numbers[:place] + numbers[place + 1 :]
            alone = contains(premise(docs, [number]), statement.text)
            without = bool(others) and contains(premise(docs, others), statement.text)
            precise += alone or not without
    recall = 100 * supported / len(made.statements)
    return recall, 100 * precise / cited if cited else 0.0


@pytest.fixture(scope="module")
def cases():
    return json.loads(CASES.read_text(encoding="utf-8"))


def test_each_response_with_the_cap(cases):
    assert len(cases["items"]) == 59
    for item, expected in zip(cases["items"], cases["per_item_at_most_3"], strict=True):
        recall, precision = citation_scores(item, 3)
        assert recall == pytest.approx(expected["citation_rec"], abs=1e-9), item["output"]
        assert precision == pytest.approx(expected["citation_prec"], abs=1e-9), item["output"]


@each(("name", "cap"), [("at_most_3", 3), ("no_cap", None)])
def test_the_mean_of_all(cases, name, cap):
    expected = cases[f"aggregate_{name}"]
    scores = [citation_scores(item, cap) for item in cases["items"]]
    recall = sum(r for r, _ in scores) / len(scores)
    precision = sum(p for _, p in scores) / len(scores)
    assert recall == pytest.approx(expected["citation_rec"], abs=1e-9)
    assert precision == pytest.approx(expected["citation_prec"], abs=1e-9)
