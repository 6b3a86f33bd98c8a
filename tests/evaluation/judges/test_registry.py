"""A judge is registered by one line and known by its spec."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotate.protocol.extensions import ExtensionError
from annotate.protocol.shipped import SHIPPED
from evaluation.judges import JUDGES, METRICS, summarise
from evaluation.judges.alce import SPEC
from tests.evaluation.judges.items import item

ROOT = Path(__file__).resolve().parents[3]

SHOWN = (
    *("autoais", "citation_recall", "citation_precision"),
    *("aliice_recall", "aliice_precision", "aliice_f1", "cvcp"),
    *("quote_found", "quote_nearly", "quote_not_found", "quote_fabricated"),
    *("em_recall", "em_hit", "claim_recall"),
    *("qampari_precision", "qampari_recall", "qampari_recall_5", "qampari_f1", "qampari_f1_5"),
    *("exact_match", "token_f1", "rouge_lsum", "length", "mauve"),
)


def test_metrics_are_shown_in_the_order_of_the_judges():
    assert tuple(METRICS) == SHOWN
    assert METRICS["cvcp"].title == "Variation of citation positions (CVCP)"
    assert "magic" not in METRICS


def test_one_line_registers_a_judge(monkeypatch):
    own = replace(SPEC, key="own", metrics=())
    monkeypatch.setitem(JUDGES.shipped, "own", own)
    assert list(JUDGES)[-1] == "own"
    found = summarise("own", [item("Rain.")], [], variant="released")
    assert found.aggregate["citation_recall"].reason == "empty output"


def test_two_judges_cannot_have_one_metric(monkeypatch):
    twice = replace(SPEC, key="twice", metrics=(replace(SPEC.metrics[0], title="Another"),))
    monkeypatch.setitem(JUDGES.shipped, "twice", twice)
    with pytest.raises(ExtensionError, match="“twice” has a metric “citation_recall”"):
        list(METRICS)


def test_dimensions_that_a_judge_answers_are_there_and_ask_it(subtests):
    for name in JUDGES:
        with subtests.test(name=name):
            for key in JUDGES[name].answers:
                assert "automatic" in SHIPPED[key].asked_of


def test_what_follows_from_what_a_judge_answers_and_takes():
    def those(fact):
        return [name for name, spec in JUDGES.items() if getattr(spec, fact)]

    assert those("asks") == ["autoais", "alce", "aliice", "correctness"]
    assert those("of_parts") == ["alce", "aliice", "quotes"]
    assert those("of_claims") == ["aliice"]


def test_the_docs_name_where_a_judge_is_published():
    docs = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
    cited = {address for spec in JUDGES.values() for address in spec.cites}
    assert cited
    assert not [address for address in cited if address not in docs]
