"""Ask a scorer as little as possible: each pair once, and none that the cache knows."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.judges.entailment.loading import PairError, ScorerError
from evaluation.judges.entailment.rows import PremiseLengths
from evaluation.judges.entailment.scorer import Cache, MemoryCache, Pair, Scorer, digest

PORTION = 2048
"""Pairs computed before their probabilities are cached: a crash loses no more."""

LEAST = 16
"""Smallest portion if its size follows the time that it takes."""

TOO_MANY = 50
"""After this many failed pairs without a success, the scorer itself is at fault."""

FAILED = "the scorer failed"
"""The beginning of the reason of a failed pair."""

REASON_CHARS = 200
"""Characters of a stored reason."""


class Decision(NamedTuple):
    """A probability and whether it reaches the threshold, or the reason why there is none."""

    score: float
    entailed: bool
    reason: str = ""


@dataclass(slots=True)
class Count:
    """Counts of pairs: requested, different, from the cache, computed and failed."""

    asked: int = 0
    unique: int = 0
    cached: int = 0
    computed: int = 0
    failed: int = 0


class Asker:
    """Asks a scorer pairs and counts them by wave.

    `threshold` replaces the scorer's own. `progress` receives the wave, the answered and all pairs
    after each portion, and may stop the work by raising. With `seconds`, portions are sized to take
    about that long.

    If a pair fails, the others keep their answers.
    """

    def __init__(
        self,
        scorer: Scorer,
        cache: Cache | None = None,
        *,
        threshold: float | None = None,
        portion: int = PORTION,
        seconds: float = 0,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.scorer = scorer
        self.cache: Cache = MemoryCache() if cache is None else cache
        self.threshold = scorer.threshold if threshold is None else threshold
        self.counts: dict[str, Count] = {}
        self.seconds = 0.0
        """Total time of the scorer."""
        self._most = portion
        self._target = seconds
        self._portion = LEAST if seconds else portion
        self._progress = progress
        self._worked = False
        """Whether the scorer ever succeeded: then a failure concerns the pair."""

    @property
    def lengths(self) -> PremiseLengths | None:
        """Return counts of too long premises among computed pairs; None if any length fits."""
        return getattr(self.scorer, "lengths", None)

    def decide(self, pairs: Sequence[Pair], *, wave: str = "") -> list[Decision]:
        """Return a decision for each pair, in order."""
        fingerprint = self.scorer.fingerprint
        digests = {pair: digest(pair) for pair in dict.fromkeys(pairs)}
        known = dict(self.cache.get_many(fingerprint, list(digests.values())))
        self._worked = self._worked or bool(known)
        missing = [pair for pair, name in digests.items() if name not in known]
        # The longest first: if memory runs out, it does so at once and not after hours.
        missing.sort(key=lambda pair: len(pair[0]) + len(pair[1]), reverse=True)
        count = self.counts.setdefault(wave, Count())
        count.asked += len(pairs)
        count.unique += len(digests)
        count.cached += len(digests) - len(missing)
        done = len(digests) - len(missing)
        failed: dict[str, str] = {}
        self._tell(wave, done, len(digests))
        for portion in self._portions(missing):
            scores, reasons = self._computed(portion)
            found = {digests[pair]: score for pair, score in scores.items()}
            failed.update((digests[pair], reason) for pair, reason in reasons.items())
            self.cache.put_many(fingerprint, found)
            known.update(found)
            count.computed += len(found)
            count.failed += len(reasons)
            done += len(portion)
            self._tell(wave, done, len(digests))
        return [self._decision(digests[pair], known, failed) for pair in pairs]

    def _decision(self, name: str, known: dict[str, float], failed: dict[str, str]) -> Decision:
        if name in failed:
            return Decision(0.0, entailed=False, reason=failed[name])
        return Decision(known[name], known[name] >= self.threshold)

    def _portions(self, missing: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
        first = 0
        while first < len(missing):
            portion = missing[first : first + self._portion]
            first += len(portion)
            before = time.perf_counter()
            yield portion
            if self._target:
                took = max(time.perf_counter() - before, 1e-3)
                fitting = int(len(portion) * self._target / took)
                # Grow slowly, since other work may have delayed one portion.
                self._portion = max(LEAST, min(fitting, 4 * self._portion, self._most))

    def _computed(self, portion: Sequence[Pair]) -> tuple[dict[Pair, float], dict[Pair, str]]:
        """Return the probabilities of a portion, and the reasons of failed pairs."""
        began = time.perf_counter()
        scores: dict[Pair, float] = {}
        reasons: dict[Pair, str] = {}
        waiting = [list(portion)]
        while waiting:
            some = waiting.pop()
            try:
                answers = self._asked(some)
            except Exception as problem:  # a model may raise anything
                if isinstance(problem, ScorerError) and not isinstance(problem, PairError):
                    raise
                fault = problem
            else:
                scores.update(zip(some, answers, strict=True))
                continue
            if len(some) > 1:
                half = len(some) // 2
                waiting += [some[half:], some[:half]]
                continue
            reasons[some[0]] = _reason(fault)
            everything = len(reasons) > 1 and len(reasons) == len(portion) and not self._worked
            if not scores and (everything or len(reasons) >= TOO_MANY):
                raise fault
        self._worked = self._worked or bool(scores)
        self.seconds += time.perf_counter() - began
        return scores, reasons

    def _asked(self, pairs: Sequence[Pair]) -> list[float]:
        scores = self.scorer.probabilities(pairs)
        if not all(0 <= score <= 1 for score in scores):  # NaN is neither
            raise PairError(
                "The scorer gave a number that is no probability. A model in half precision "
                "may overflow: use bfloat16 or float32."
            )
        return scores

    def _tell(self, wave: str, answered: int, total: int) -> None:
        if self._progress is not None:
            self._progress(wave, answered, total)


def _reason(fault: Exception) -> str:
    """Return the reason stored instead of a verdict."""
    said = " ".join(str(fault).split()) or type(fault).__name__
    return f"{FAILED}: {said}"[:REASON_CHARS]
