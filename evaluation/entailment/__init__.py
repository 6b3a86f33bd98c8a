"""Does a premise entail a hypothesis? Scorers by name, and the way they are asked."""

from evaluation.entailment.asker import Asker, Count, Decision
from evaluation.entailment.door import Door
from evaluation.entailment.loading import (
    PairError,
    ScorerError,
    check_options,
    load_connected,
    load_scorer,
    option_from_text,
    options_of,
    scorer_spec,
)
from evaluation.entailment.registry import ADVICE, DEFAULT_SCORER, SCORERS
from evaluation.entailment.scorer import Cache, MemoryCache, Pair, Scorer
from evaluation.entailment.spec import ScorerSpec
