"""The scorers. Each is registered here, or by an entry point of the group `attest.scorers` in
another package. What is said of a scorer stands apart from its file, which may import a library of
models."""

from typing import Final

from annotate.protocol.registry import Registry
from evaluation.judges.entailment.spec import ScorerSpec

_SHIPPED = (
    ScorerSpec(
        key="containment",
        scorer="evaluation.judges.entailment.containment:Containment",
        about="every word must occur; for tests",
        said="containment",
    ),
    ScorerSpec(
        key="coverage",
        scorer="evaluation.judges.entailment.coverage:Coverage",
        about="built in, counts covered words, cannot see contradiction",
        said="word coverage",
        caution=(
            "Word coverage counts the words that a text shares with its passages; it cannot see "
            "contradiction."
        ),
    ),
    ScorerSpec(
        key="trained",
        scorer="evaluation.judges.entailment.trained:Trained",
        about="built in, a small network",
        said="network",
        caution=(
            "The built-in network learned from short facts and from citations in public data. On "
            "other texts it can be worse than chance (AUC 0.38 on ANLI)."
        ),
        loads_model=True,
        wants_gpu=True,
        own_threshold=True,
        places=(),
    ),
    ScorerSpec(
        key="classifier",
        scorer="evaluation.judges.entailment.classifier:Classifier",
        about="any NLI classifier, from a folder or the hub",
        loads_model=True,
        wants_gpu=True,
    ),
    ScorerSpec(
        key="seq2seq",
        scorer="evaluation.judges.entailment.seq2seq:Seq2Seq",
        about="TRUE and its like, from a folder or the hub",
        loads_model=True,
        wants_gpu=True,
    ),
    ScorerSpec(
        key="http",
        scorer="evaluation.judges.entailment.http:Http",
        about="a model behind an address",
        places=(),
        connects=True,
    ),
)

SCORERS: Final = Registry("attest.scorers", ScorerSpec, {spec.key: spec for spec in _SHIPPED})

DEFAULT_SCORER = "coverage"
"""What judges are given where nobody says another. The card of the built-in network says why."""

ADVICE = "To score systems, use a language model as judge, or a scorer with a large model."
"""Shown with the caution of a scorer, where it is chosen or was used."""
