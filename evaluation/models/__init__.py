"""What automatic judges leave behind, and how their work stands."""

from evaluation.models.answers import ClaimDivision, Entailment, EntailmentScorer, Measure
from evaluation.models.connections import Connection
from evaluation.models.reports import Report, ReportChart
from evaluation.models.runs import Run, Shard
from evaluation.models.trained import TrainedOn, TrainedScorer

__all__ = [
    "ClaimDivision",
    "Connection",
    "Entailment",
    "EntailmentScorer",
    "Measure",
    "Report",
    "ReportChart",
    "Run",
    "Shard",
    "TrainedOn",
    "TrainedScorer",
]
