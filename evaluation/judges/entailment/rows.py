"""Rows of token numbers from pairs, with the policy for long premises applied."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from annotate.text import SPLITTERS, splitter_signature
from evaluation.judges.entailment.loading import ScorerError
from evaluation.judges.entailment.scorer import Pair
from evaluation.judges.entailment.words import nearest

LongPolicy = Literal["window", "truncate"]
Spans = list[tuple[int, int]]

_LINE = re.compile(r"[^\n]+")
_SPLITTER = "rules"


@dataclass(slots=True)
class PremiseLengths:
    """Counts of too long premises, among computed pairs."""

    pairs: int = 0
    windowed: int = 0
    """Pairs read in several parts, and the number of parts."""
    windows: int = 0
    truncated: int = 0
    """Pairs of which the premise's or hypothesis' end was left out."""


def policy_signature(policy: LongPolicy) -> str:
    """Name everything that could change where a premise is cut."""
    return f"window/{splitter_signature(_SPLITTER)}/half/1" if policy == "window" else "truncate/1"


def sentences(text: str) -> Spans:
    """Return the places of a text's sentences, line by line, without surrounding white space."""
    found: Spans = []
    for line in _LINE.finditer(text):
        starts = SPLITTERS[_SPLITTER](line[0])
        for start, end in pairwise([*starts, len(line[0])]):
            piece = line[0][start:end]
            first = line.start() + start + len(piece) - len(piece.lstrip())
            last = line.start() + start + len(piece.rstrip())
            if first < last:
                found.append((first, last))
    return found


def windows(text: str, tokens: Spans, room: int) -> list[str]:
    """Return parts of a text of at most `room` tokens, each starting halfway through the last.

    `tokens` are the offsets of the text's tokens. A window begins and ends at sentence borders; a
    sentence that is too long for a window is cut between tokens.
    """
    pieces = _pieces(sentences(text), tokens, room)
    found: list[str] = []
    first = 0
    while first < len(pieces):
        last, filled = first, 0
        while last < len(pieces) and (last == first or filled + pieces[last][2] <= room):
            filled += pieces[last][2]
            last += 1
        found.append(text[pieces[first][0] : pieces[last - 1][1]])
        if last == len(pieces):
            break
        following, left = last, 0
        # Overlap by half a window, or by less if the next piece is long.
        most = min(room // 2, room - pieces[last][2])
        while following - 1 > first and left + pieces[following - 1][2] <= most:
            following -= 1
            left += pieces[following][2]
        first = following
    return found


def _pieces(spans: Spans, tokens: Spans, room: int) -> list[tuple[int, int, int]]:
    """Return sentences, long ones in parts, with their number of tokens."""
    found: list[tuple[int, int, int]] = []
    at = 0
    for start, end in spans:
        while at < len(tokens) and tokens[at][1] <= start:
            at += 1
        inside = []
        while at < len(tokens) and tokens[at][0] < end:
            inside.append(tokens[at])
            at += 1
        if len(inside) <= room:
            found.append((start, end, len(inside)))
            continue
        # A part ends where the next begins, so that nothing of the sentence is lost.
        cuts = [start, *(inside[n][0] for n in range(room, len(inside), room)), end]
        found += [
            (one, other, min(room, len(inside) - room * n))
            for n, (one, other) in enumerate(pairwise(cuts))
            if one < other
        ]
    return found


def cut(text: str, tokens: Spans, room: int) -> str:
    """Return the first `room` tokens of a text."""
    return text if len(tokens) <= room else text[: tokens[room - 1][1] if room else 0].rstrip()


LEAST_ROOM = 16
"""With fewer tokens left for the premise, the hypothesis itself is too long."""


class PairTokens(NamedTuple):
    """One row to compute. A pair has several if its premise is read in windows."""

    pair: int
    tokens: list[int]
    kinds: list[int] | None
    """The text of each token, for models that need it."""


class Encoded(NamedTuple):
    """A pair as the model's input."""

    tokens: list[int]
    kinds: list[int] | None = None

    def shortened(self, limit: int) -> "Encoded":
        """Return at most `limit` tokens, with the closing one."""
        if len(self.tokens) <= limit:
            return self
        kinds = self.kinds and [*self.kinds[: limit - 1], self.kinds[-1]]
        return Encoded([*self.tokens[: limit - 1], self.tokens[-1]], kinds)


def limit_of(wanted: int, *, usual: int, most: int | None) -> int:
    """Return the number of tokens to read; refuse more than `most`, the model's positions."""
    if most is not None and wanted > most:
        raise ScorerError(
            f"The option “max_tokens”: expected at most {most:,}, which is what the model has "
            f"positions for, found {wanted:,}."
        )
    return wanted or usual


@dataclass(slots=True)
class Rows:
    """Makes rows from pairs. `limit` is the model's limit, `window` the size read at a time.
    Of a premise's windows the `most` that share most with the hypothesis are read; 0 reads all."""

    encode: Callable[[Sequence[Pair]], list[Encoded]]
    spans: Callable[[Sequence[str]], list[Spans]]
    limit: int
    window: int
    policy: LongPolicy
    most: int = 0
    lengths: PremiseLengths = field(default_factory=PremiseLengths)

    def of(self, pairs: Sequence[Pair], numbers: Sequence[int]) -> list[PairTokens]:
        """Return the rows of pairs with these numbers."""
        self.lengths.pairs += len(pairs)
        most = self.window if self.policy == "window" else self.limit
        found: list[PairTokens] = []
        for number, pair, encoded in zip(numbers, pairs, self.encode(pairs), strict=True):
            parts = [encoded] if len(encoded.tokens) <= most else self._shorter(pair, encoded)
            found += [PairTokens(number, *part) for part in parts]
        return found

    def _shorter(self, pair: Pair, whole: Encoded) -> list[Encoded]:
        """Return the parts of a pair that is too long for one window or the model."""
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
        """Return the whole hypothesis with the beginning of the premise that fits."""
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
        """Return the premise in windows, and whether an end is left out. There are none if the
        hypothesis leaves no room. An end is left out if a cut divides a token into two."""
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
