"""Asks a scorer no more than needed: each pair once, and none that the cache knows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.entailment.loading import ScorerError
from evaluation.entailment.premises import Lengths
from evaluation.entailment.scorer import Cache, MemoryCache, Pair, Scorer, digest

PORTION = 2048
"""Pairs computed before their probabilities are put into the cache: what a crash can lose."""


class Decision(NamedTuple):
    """A probability, and whether it reaches the threshold."""

    score: float
    entailed: bool


@dataclass(slots=True)
class Count:
    """How many pairs were asked for; how many differ; where those came from."""

    asked: int = 0
    unique: int = 0
    cached: int = 0
    computed: int = 0


class Asker:
    """Puts pairs to a scorer and counts them, wave by wave.

    `threshold` replaces the scorer's own. `progress` is told after every portion how many of a
    wave's pairs are answered and how many there are; it may stop the work by raising.
    """

    def __init__(
        self,
        scorer: Scorer,
        cache: Cache | None = None,
        *,
        threshold: float | None = None,
        portion: int = PORTION,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.scorer = scorer
        self.cache: Cache = MemoryCache() if cache is None else cache
        self.threshold = scorer.threshold if threshold is None else threshold
        self.counts: dict[str, Count] = {}
        self._portion = portion
        self._progress = progress

    def decide(self, pairs: Sequence[Pair], *, wave: str = "") -> list[Decision]:
        """A decision for each pair, in their order."""
        scores = self._scores(pairs, wave)
        return [Decision(score, score >= self.threshold) for score in scores]

    @property
    def lengths(self) -> Lengths | None:
        """How often a premise was longer than the scorer takes, among the pairs that were
        computed; None where it takes any length."""
        return getattr(self.scorer, "lengths", None)

    def _scores(self, pairs: Sequence[Pair], wave: str) -> list[float]:
        fingerprint = self.scorer.fingerprint
        digests = {pair: digest(pair) for pair in dict.fromkeys(pairs)}
        known = dict(self.cache.get_many(fingerprint, list(digests.values())))
        missing = [pair for pair, name in digests.items() if name not in known]
        # The longest first: should memory run out, it does so at once and not after hours.
        missing.sort(key=lambda pair: len(pair[0]) + len(pair[1]), reverse=True)
        count = self.counts.setdefault(wave, Count())
        count.asked += len(pairs)
        count.unique += len(digests)
        count.cached += len(digests) - len(missing)
        self._tell(wave, len(digests) - len(missing), len(digests))
        for first in range(0, len(missing), self._portion):
            portion = missing[first : first + self._portion]
            scores = self.scorer.probabilities(portion)
            if not all(0 <= score <= 1 for score in scores):  # NaN is neither
                raise ScorerError(
                    "The scorer gave a number that is no probability. A model in half precision "
                    "may overflow: use bfloat16 or float32."
                )
            found = {digests[p]: score for p, score in zip(portion, scores, strict=True)}
            self.cache.put_many(fingerprint, found)
            known.update(found)
            count.computed += len(portion)
            self._tell(wave, len(digests) - len(missing) + first + len(portion), len(digests))
        return [known[digests[pair]] for pair in pairs]

    def _tell(self, wave: str, answered: int, total: int) -> None:
        if self._progress is not None:
            self._progress(wave, answered, total)
