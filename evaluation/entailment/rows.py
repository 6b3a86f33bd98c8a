"""Pairs as rows of token numbers, with the policy for long premises applied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluation.entailment.loading import ScorerError
from evaluation.entailment.premises import Lengths, LongPolicy, Spans, cut, windows
from evaluation.entailment.scorer import Pair

LEAST_ROOM = 16
"""With fewer tokens left for the premise, the hypothesis itself is too long."""


class Row(NamedTuple):
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


@dataclass(slots=True)
class Rows:
    """Makes rows of pairs. `limit` is what the model takes, `window` what is read at a time."""

    encode: Callable[[Sequence[Pair]], list[Encoded]]
    spans: Callable[[Sequence[str]], list[Spans]]
    limit: int
    window: int
    policy: LongPolicy
    lengths: Lengths = field(default_factory=Lengths)

    def __post_init__(self) -> None:
        if self.policy not in ("window", "truncate"):
            raise ScorerError(
                f"There is no policy “{self.policy}” for long premises; "
                "expected window or truncate."
            )

    def of(self, pairs: Sequence[Pair], numbers: Sequence[int]) -> list[Row]:
        """The rows of pairs that are numbered as `numbers` says."""
        self.lengths.pairs += len(pairs)
        most = self.window if self.policy == "window" else self.limit
        found: list[Row] = []
        for number, pair, encoded in zip(numbers, pairs, self.encode(pairs), strict=True):
            if len(encoded.tokens) <= most:
                found.append(Row(number, *encoded))
            elif self.policy == "truncate":
                self.lengths.truncated += 1
                found.append(Row(number, *self._fitted(*pair, self.limit)))
            else:
                parts = self._windows(pair)
                if len(encoded.tokens) <= self.limit:
                    parts.append(encoded)
                self.lengths.windowed += 1
                self.lengths.windows += len(parts)
                found += [Row(number, *part) for part in parts]
        return found

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

    def _windows(self, pair: Pair) -> list[Encoded]:
        premise, hypothesis = pair
        room = self._room(hypothesis, self.window)
        if room < LEAST_ROOM:
            self.lengths.truncated += 1
            return [self._fitted(premise, hypothesis, self.limit)]
        parts = windows(premise, self.spans([premise])[0], room)
        encoded = self.encode([(part, hypothesis) for part in parts])
        # Where a text is cut, a token may fall into two: a window can come out too long.
        return [
            made if len(made.tokens) <= self.window else self._fitted(part, hypothesis, self.window)
            for part, made in zip(parts, encoded, strict=True)
        ]
