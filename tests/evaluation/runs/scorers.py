"""Scorers that fail in some way."""

from collections.abc import Sequence

from evaluation.judges.entailment import Pair, ScorerError
from evaluation.judges.entailment.containment import Containment


class Stumbling(Containment):
    """Fails on every hypothesis with the word “metres”, as a program does: with any exception."""

    fingerprint = "stumbling:1"

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        if any("metres" in hypothesis for _, hypothesis in pairs):
            raise IndexError("list index out of range")
        return super().probabilities(pairs)


class Absent(Containment):
    """Cannot be loaded."""

    def __init__(self) -> None:
        raise ScorerError("The model “absent” could not be loaded: no such file.")


class Late(Containment):
    """Can be made, and fails when its weights are first needed."""

    fingerprint = "late:1"

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        raise ScorerError("The weights cannot be read.")


class Broken(Containment):
    """Fails on everything."""

    fingerprint = "broken:1"

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        raise RuntimeError("boom")
