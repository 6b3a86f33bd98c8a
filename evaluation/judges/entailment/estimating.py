"""Count a judge's pairs without computing any.

The judge works on an asker whose answers cause as many pairs as possible: every joint premise
supports its text, no single passage does. So the first wave is counted exactly, and the others at
their maximum.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.judges.entailment.asker import Asker, Count, Decision
from evaluation.judges.entailment.scorer import Cache, Pair, Scorer, digest

SAMPLE = 24
"""Pairs computed to measure the speed of a new scorer."""


class SeenDigests:
    """Digests that were seen before, in eight bytes each: a set would take ten times as many.

    They are kept in sorted rows, each more than twice as long as the next, so that adding stays
    cheap.
    """

    def __init__(self) -> None:
        self._rows: list[np.ndarray[Any, np.dtype[np.uint64]]] = []

    def add(self, digests: Sequence[str]) -> list[str]:
        """Return the new ones of some different digests."""
        if not digests:
            return []
        begins = bytes.fromhex("".join([name[:16] for name in digests]))
        values = np.frombuffer(begins, dtype=">u8").astype(np.uint64)
        is_new = np.ones(len(values), dtype=bool)
        for row in self._rows:
            places = np.minimum(np.searchsorted(row, values), len(row) - 1)
            is_new &= row[places] != values
        if is_new.any():
            self._keep(np.sort(values[is_new]))
        return [digests[place] for place in np.flatnonzero(is_new).tolist()]

    def _keep(self, row: "np.ndarray[Any, np.dtype[np.uint64]]") -> None:
        while self._rows and len(self._rows[-1]) <= 2 * len(row):
            row = np.concatenate([self._rows.pop(), row])
            row.sort(kind="stable")  # two sorted halves: a merge
        self._rows.append(row)


class EstimatingAsker(Asker):
    """Counts pairs and keeps a few as a sample. It computes nothing."""

    def __init__(
        self, scorer: Scorer, cache: Cache, *, threshold: float | None, unlikely: frozenset[str]
    ) -> None:
        """`unlikely` waves are answered with no, so that the next wave is asked."""
        super().__init__(scorer, cache, threshold=threshold)
        self.sample: list[Pair] = []
        self._unlikely = unlikely
        self._met = SeenDigests()

    def decide(self, pairs: Sequence[Pair], *, wave: str = "") -> list[Decision]:
        """Return simulated decisions. Pairs of earlier calls are not counted again."""
        count = self.counts.setdefault(wave, Count())
        count.asked += len(pairs)
        names = {digest(pair): pair for pair in dict.fromkeys(pairs)}
        new = self._met.add(list(names))
        count.unique += len(new)
        known = self.cache.get_many(self.scorer.fingerprint, new) if new else {}
        count.cached += len(known)
        if len(self.sample) < SAMPLE:
            missing = [names[name] for name in new if name not in known]
            self.sample += missing[: SAMPLE - len(self.sample)]
        entailed = wave not in self._unlikely
        return [Decision(float(entailed), entailed=entailed)] * len(pairs)
