"""A judge is registered by one line and known by its spec."""

from dataclasses import replace

import pytest

from annotate.protocol.registry import ExtensionError
from evaluation.judges import JUDGES, METRICS
from evaluation.judges.alce import SPEC

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


def test_two_judges_cannot_have_one_metric(monkeypatch):
    twice = replace(SPEC, key="twice", metrics=(replace(SPEC.metrics[0], title="Another"),))
    monkeypatch.setitem(JUDGES.shipped, "twice", twice)
    with pytest.raises(ExtensionError, match="“twice” has a metric “citation_recall”"):
        list(METRICS)


def test_what_follows_from_what_a_judge_answers_and_takes():
    def those(fact):
        return [name for name, spec in JUDGES.items() if getattr(spec, fact)]

    assert those("asks") == ["autoais", "alce", "aliice", "correctness"]
    assert those("of_parts") == ["alce", "aliice", "quotes"]
    assert those("of_claims") == ["aliice"]
