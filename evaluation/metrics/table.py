"""The metrics, in the order in which they are shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """One number about a system. A share lies between 0 and 1 and is shown in percent."""

    key: str
    title: str
    judge: str
    kind: Literal["share", "number"] = "share"


_ALL = (
    Metric("autoais", "AutoAIS", "autoais"),
    Metric("citation_recall", "Citation recall", "alce"),
    Metric("citation_precision", "Citation precision", "alce"),
    Metric("aliice_recall", "Recall of atomic claims", "aliice"),
    Metric("aliice_precision", "Precision of atomic claims", "aliice"),
    Metric("aliice_f1", "F1 of atomic claims", "aliice"),
    Metric("cvcp", "Variation of citation positions (CVCP)", "aliice", "number"),
    Metric("em_recall", "EM recall", "correctness"),
    Metric("em_hit", "EM hit", "correctness"),
    Metric("claim_recall", "Claim recall", "correctness"),
    Metric("qampari_precision", "List precision", "correctness"),
    Metric("qampari_recall", "List recall", "correctness"),
    Metric("qampari_recall_5", "List recall-5", "correctness"),
    Metric("qampari_f1", "List F1", "correctness"),
    Metric("qampari_f1_5", "List F1-5", "correctness"),
    Metric("exact_match", "Exact match", "correctness"),
    Metric("token_f1", "Token F1", "correctness"),
    Metric("rouge_lsum", "ROUGE-Lsum", "correctness"),
    Metric("length", "Length in words", "correctness", "number"),
    Metric("mauve", "MAUVE", "fluency"),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.key: metric for metric in _ALL})


def metrics_of(judge: str) -> list[Metric]:
    """The metrics made from a judge's verdicts."""
    return [metric for metric in _ALL if metric.judge == judge]
