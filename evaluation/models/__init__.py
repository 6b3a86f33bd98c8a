"""What automatic judges leave behind, and how their work stands."""

from evaluation.models.answers import ClaimDivision, Entailment, EntailmentScorer, Measure
from evaluation.models.runs import Run, Shard, Worker

__all__ = [
    "ClaimDivision",
    "Entailment",
    "EntailmentScorer",
    "Measure",
    "Run",
    "Shard",
    "Worker",
]
