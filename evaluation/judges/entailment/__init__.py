"""Does a premise entail a hypothesis? Scorers by name, and how they are asked."""

from evaluation.judges.entailment.asker import Asker, Count, Decision
from evaluation.judges.entailment.door import Door
from evaluation.judges.entailment.loading import (
    PairError,
    ScorerError,
    check_options,
    load_scorer,
    option_from_text,
    options_of,
    scorer_spec,
)
from evaluation.judges.entailment.registry import ADVICE, DEFAULT_SCORER, SCORERS, ScorerSpec
from evaluation.judges.entailment.scorer import Cache, MemoryCache, Pair, Scorer
