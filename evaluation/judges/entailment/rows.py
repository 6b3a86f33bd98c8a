"""Pairs as rows of token numbers, with the policy for long premises applied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluation.judges.entailment.loading import ScorerError
from evaluation.judges.entailment.premises import LongPolicy, PremiseLengths, Spans, cut, windows
from evaluation.judges.entailment.scorer import Pair
from evaluation.judges.entailment.words import nearest

LEAST_ROOM = 16
"""With fewer tokens left for the premise, the hypothesis itself is too long."""


class PairTokens(NamedTuple):
    """One thing to be computed. A pair has several where its premise is read in windows."""

    pair: int
    tokens: list[int]
    kinds: list[int] | None
    """Which of the two texts a token belongs to, for the models that want to be told."""


class Encoded(NamedTuple):
    """A pair as the model takes it."""

    tokens: list[int]
    kinds: list[int] | None = None

    def shortened(self, limit: int) -> "Encoded":
        """At most `limit` tokens, the closing one kept."""
        if len(self.tokens) <= limit:
            return self
        kinds = self.kinds and [*self.kinds[: limit - 1], self.kinds[-1]]
        return Encoded([*self.tokens[: limit - 1], self.tokens[-1]], kinds)


def limit_of(wanted: int, *, usual: int, most: int | None) -> int:
    """How many tokens are read: those wanted, where the model has positions for `most`."""
    if most is not None and wanted > most:
        raise ScorerError(
            f"The option “max_tokens”: expected at most {most:,}, which is what the model has "
            f"positions for, found {wanted:,}."
        )
    return wanted or usual


@dataclass(slots=True)
class Rows:
    """Makes rows of pairs. `limit` is what the model takes, `window` what is read at a time. Of a
    premise's windows the `most` are read that hold most of the hypothesis; 0: all of them."""

    encode: Callable[[Sequence[Pair]], list[Encoded]]
    spans: Callable[[Sequence[str]], list[Spans]]
    limit: int
    window: int
    policy: LongPolicy
    most: int = 0
    lengths: PremiseLengths = field(default_factory=PremiseLengths)

    def of(self, pairs: Sequence[Pair], numbers: Sequence[int]) -> list[PairTokens]:
        """The rows of pairs that are numbered as `numbers` says."""
        self.lengths.pairs += len(pairs)
        most = self.window if self.policy == "window" else self.limit
        found: list[PairTokens] = []
        for number, pair, encoded in zip(numbers, pairs, self.encode(pairs), strict=True):
            parts = [encoded] if len(encoded.tokens) <= most else self._shorter(pair, encoded)
            found += [PairTokens(number, *part) for part in parts]
        return found

    def _shorter(self, pair: Pair, whole: Encoded) -> list[Encoded]:
        """What is read of a pair that is too long for one window, or for the model."""
        parts, left_out = self._windows(pair) if self.policy == "window" else ([], False)
        if len(whole.tokens) <= self.limit:
            parts.append(whole)
            left_out = False
        elif not parts:
            parts.append(self._fitted(*pair, self.limit))
            left_out = True
        self.lengths.truncated += left_out
        if len(parts) > 1:
            self.lengths.windowed += 1
            self.lengths.windows += len(parts)
        return parts

    def _room(self, hypothesis: str, most: int) -> int:
        return most - len(self.encode([("", hypothesis)])[0].tokens)

    def _fitted(self, premise: str, hypothesis: str, most: int) -> Encoded:
        """The whole hypothesis, with as much of the premise's beginning as fits."""
        room = self._room(hypothesis, most)
        tokens = self.spans([premise])[0]
        while room > 0:
            encoded = self.encode([(cut(premise, tokens, room), hypothesis)])[0]
            over = len(encoded.tokens) - most
            if over <= 0:
                return encoded
            room -= over
        return self.encode([("", hypothesis)])[0].shortened(most)

    def _windows(self, pair: Pair) -> tuple[list[Encoded], bool]:
        """The premise in windows, none where the hypothesis leaves them no room; and whether the
        end of one is left out. That happens where a text is cut and a token falls into two."""
        premise, hypothesis = pair
        room = self._room(hypothesis, self.window)
        if room < LEAST_ROOM:
            return [], False
        parts = windows(premise, self.spans([premise])[0], room)
        if self.most:
            parts = nearest(parts, hypothesis, self.most)
        encoded = self.encode([(part, hypothesis) for part in parts]) if parts else []
        fitting = [
            made if len(made.tokens) <= self.window else self._fitted(part, hypothesis, self.window)
            for part, made in zip(parts, encoded, strict=True)
        ]
        return fitting, fitting != encoded
