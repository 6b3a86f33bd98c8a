"""Entailed if and only if every token of the hypothesis occurs in the premise.

For tests, and for comparison with published scripts that use it in place of the model.
"""

import re
from collections.abc import Sequence

from evaluation.judges.entailment.scorer import Pair, fingerprint_of

_TOKEN = re.compile(r"[a-z0-9]+")


class Containment:
    """1.0 or 0.0; tokens are runs of a-z and 0-9 in the lower-cased text."""

    threshold = 0.5

    @property
    def fingerprint(self) -> str:
        return fingerprint_of([("containment", 1)])

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """Return 1.0 if all tokens are contained, also for an empty hypothesis."""
        return [float(_tokens(hypothesis) <= _tokens(premise)) for premise, hypothesis in pairs]


def _tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(text.lower()))
