"""Does a premise entail a hypothesis? Scorers by name, and the way they are asked."""

from evaluation.entailment.asking import Asker, Count, Decision
from evaluation.entailment.loading import (
    SCORERS,
    PairError,
    ScorerError,
    check_options,
    load_scorer,
    option_from_text,
    options_of,
)
from evaluation.entailment.scorer import Cache, MemoryCache, Pair, Scorer

__all__ = [
    "SCORERS",
    "Asker",
    "Cache",
    "Count",
    "Decision",
    "MemoryCache",
    "Pair",
    "PairError",
    "Scorer",
    "ScorerError",
    "check_options",
    "load_scorer",
    "option_from_text",
    "options_of",
]
