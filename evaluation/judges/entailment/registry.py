"""The registry of scorers, here or by an entry point of the group `attest.scorers`.

Descriptions are apart from the scorers' modules, which may import model libraries.
"""

from dataclasses import dataclass
from typing import Final

from annotate.protocol.registry import Registry


@dataclass(frozen=True, kw_only=True, slots=True)
class ScorerSpec:
    """A scorer as commands, forms, runs and the titles of judges know it."""

    key: str
    """Its name; its fingerprint begins with it."""

    scorer: str
    """The path of its class, `module:NAME`. Web processes never import model libraries, so it
    is imported only when a scorer is made."""

    about: str
    """A description after its name where a scorer is selected."""

    said: str = ""
    """Its name in a judge's title; by default its key and its model or address."""

    caution: str = ""
    """A warning about its numbers, shown with them."""

    loads_model: bool = False
    """Whether its module imports a model library: then only workers check its options."""

    wants_gpu: bool = False
    """Whether a GPU is much faster: its work has a queue of its own."""

    own_threshold: bool = False
    """Whether its threshold was fitted, so that titles omit it."""

    places: tuple[str, ...] = ("model",)
    """The options with a model or folder, which the operator must allow for runs."""

    connects: bool = False
    """Whether it asks a server. A run's connection then sets `url`, `mode` and `model`, and
    the scorer gets an argument `door` (`evaluation/judges/entailment/door.py`)."""


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
"""The default scorer. The card of the built-in network says why."""

ADVICE = "To score systems, use a language model as judge, or a scorer with a large model."
"""Shown with a scorer's caution, where it is selected or was used."""
