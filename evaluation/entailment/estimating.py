"""How many pairs a judge will ask about, found out without computing one.

The judge does its work on an asker that answers so that as much as possible is asked: every joint
premise supports its text, no single passage does. So the first wave is counted exactly, and the
others are counted as the most that they can be.
"""

from collections.abc import Sequence

from evaluation.entailment.asking import Asker, Count, Decision
from evaluation.entailment.scorer import Cache, Pair, Scorer, digest


class EstimatingAsker(Asker):
    """Counts, and keeps a few of the pairs as a sample. It computes nothing."""

    def __init__(
        self, scorer: Scorer, cache: Cache, *, threshold: float | None, unlikely: frozenset[str]
    ) -> None:
        """`unlikely` are the waves that are answered with no, so that the next one is asked."""
        super().__init__(scorer, cache, threshold=threshold)
        self.sample: list[Pair] = []
        self._unlikely = unlikely
        self._met: set[int] = set()

    def decide(self, pairs: Sequence[Pair], *, wave: str = "") -> list[Decision]:
        """Pretended decisions. A pair that another portion asked about is not counted again."""
        count = self.counts.setdefault(wave, Count())
        count.asked += len(pairs)
        new: dict[str, Pair] = {}
        for pair in dict.fromkeys(pairs):
            name = digest(pair)
            short = int(name[:16], 16)
            if short not in self._met:
                self._met.add(short)
                new[name] = pair
        count.unique += len(new)
        known = self.cache.get_many(self.scorer.fingerprint, list(new)) if new else {}
        count.cached += len(known)
        if len(self.sample) < SAMPLE:
            missing = [pair for name, pair in new.items() if name not in known]
            self.sample += missing[: SAMPLE - len(self.sample)]
        entailed = wave not in self._unlikely
        return [Decision(float(entailed), entailed=entailed)] * len(pairs)


SAMPLE = 24
"""So many pairs are computed to learn how fast a scorer is that was never asked before."""
