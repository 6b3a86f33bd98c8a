"""Compute rows of tokens, sorted by length, in batches that fit into memory."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import chain

import torch

from evaluation.judges.entailment.loading import PairError
from evaluation.judges.entailment.rows import PairTokens, Rows
from evaluation.judges.entailment.scorer import Pair

PORTION = 1024
"""Pairs converted to rows at a time, while the model computes earlier ones."""

Forward = Callable[[Sequence[PairTokens]], torch.Tensor]
"""Returns a probability for each row of a batch."""

Computed = list[tuple[Sequence[PairTokens], torch.Tensor]]
Work = Callable[
    [Callable[[Sequence[PairTokens]], Computed], Iterable[Sequence[PairTokens]]], Iterable[Computed]
]


class Batches:
    """Computes rows in batches of at most `tokens` tokens, padding counted.

    A batch that does not fit into memory is halved, and so are later ones. On a CPU, `workers`
    batches are computed at a time, each on one core: cores that share a batch wait for each other
    after every step.
    """

    def __init__(self, forward: Forward, tokens: int, *, workers: int = 1) -> None:
        self.forward = forward
        self.tokens = tokens
        self.workers = workers

    def probabilities(self, pairs: Sequence[Pair], rows: Rows) -> list[float]:
        """Return the probability of each pair's best row."""
        order = sorted(range(len(pairs)), key=lambda n: -len(pairs[n][0]) - len(pairs[n][1]))
        portions = [order[n : n + PORTION] for n in range(0, len(order), PORTION)]
        best = [0.0] * len(pairs)
        left: list[PairTokens] = []
        with ThreadPoolExecutor(1) as ahead, self._threads() as threads:
            work: Work = map if threads is None else threads.map
            every = ahead.map(lambda some: rows.of([pairs[n] for n in some], some), portions)
            for number, made in enumerate(every, start=1):
                left = sorted([*left, *made], key=lambda row: -len(row.tokens))
                left = self._compute(left, best, work, last=number == len(portions))
        return best

    def _threads(self) -> AbstractContextManager[ThreadPoolExecutor | None]:
        if self.workers == 1:
            return nullcontext()
        return ThreadPoolExecutor(self.workers, initializer=_use_one_core)

    def _compute(
        self, rows: list[PairTokens], best: list[float], work: Work, *, last: bool
    ) -> list[PairTokens]:
        """Compute full batches; return the rows of the last one, which more rows may fill."""
        batches: list[list[PairTokens]] = []
        first = 0
        while first < len(rows):
            fit = max(1, self.tokens // max(1, len(rows[first].tokens)))
            if first + fit > len(rows) and not last:
                break
            batches.append(rows[first : first + fit])
            first += fit
        # Fetched at the end, so that a GPU does not wait after every batch.
        for batch, values in chain.from_iterable(list(work(self._fitting, batches))):
            for row, value in zip(batch, values.float().tolist(), strict=True):
                # A rounding error above 1 is corrected; NaN stays and is refused later.
                known = best[row.pair]
                best[row.pair] = value if value != value else max(known, min(1.0, value))
        return rows[first:]

    def _fitting(self, batch: Sequence[PairTokens]) -> Computed:
        values = self._forward(batch)
        if values is not None:
            return [(batch, values)]
        length = max(len(row.tokens) for row in batch)
        if len(batch) == 1:
            raise PairError(
                f"The memory does not hold the computation of one premise with {length} tokens. "
                "Choose a shorter window, a smaller model, or a device with more memory."
            )
        # The failed batch is freed by now: only `_forward` referred to it.
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        half = len(batch) // 2
        self.tokens = min(self.tokens, half * length)
        return self._fitting(batch[:half]) + self._fitting(batch[half:])

    def _forward(self, batch: Sequence[PairTokens]) -> torch.Tensor | None:
        """Return the probabilities, or None if the memory ran out."""
        try:
            with torch.inference_mode():
                return self.forward(batch)
        except torch.OutOfMemoryError:
            return None
        except RuntimeError as problem:
            if "can't allocate memory" in str(problem):
                return None
            raise


def _use_one_core() -> None:
    torch.set_num_threads(1)
