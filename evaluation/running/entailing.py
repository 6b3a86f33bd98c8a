"""Whether passages entail claims of references, as a scorer says, which is loaded once asked."""

from collections.abc import Sequence

from evaluation.entailment import Asker
from evaluation.judges.settings import JudgeSettings
from evaluation.running.judge_making import scorer_through
from evaluation.running.known_entailments import DatabaseCache

WAVE = "claims and passages"


class Entailing:
    """Says of pairs of a passage and a claim whether the one entails the other. Each pair is asked
    once, by whomever."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self.signature = ""
        """Names the scorer, where it was asked."""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        scorer = scorer_through(self.settings, None)
        assert scorer is not None
        asker = Asker(scorer, DatabaseCache())
        self.signature = f"{scorer.fingerprint}|threshold:{asker.threshold:g}"
        return [decision.entailed for decision in asker.decide(pairs, wave=WAVE)]


def entailing(scorer: str, model: str | None = None) -> Entailing:
    """The same by a scorer of this name."""
    return Entailing(JudgeSettings("alce", scorer, model))
