"""Labelled pairs as rows of tokens, each with a label that is true of the row itself."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from evaluation.entailment.nearest import held, nearest, wanted
from evaluation.entailment.premises import Spans, windows
from evaluation.entailment.rows import LEAST_ROOM, Encoded
from training.scorer.pairs import LabelledPair

MOST = 2
"""Windows kept of a premise, and read of it later: those that hold most of the hypothesis."""
ENOUGH = 0.9
"""A window that holds less than this part of what the whole premise holds of the hypothesis may
miss the evidence, and “entailed” may not be true of it."""
PARTLY = 0.3
"""How far a statement that is supported partly is learned as entailed: it is not, but it is nearer
to it than one that is not supported at all."""
PORTION = 2_000


class Tokens(Protocol):
    """Turns texts into tokens as the base does."""

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded]:
        """Of pairs, nothing cut off."""
        ...

    def spans(self, texts: Sequence[str]) -> list[Spans]:
        """Where the tokens of each text stand."""
        ...


class TrainingRow(NamedTuple):
    """A row to learn from."""

    tokens: list[int]
    kinds: list[int] | None
    label: float
    """1 entailed, 0 not; of what is supported partly, `PARTLY`."""
    weight: float = 1.0


def examples(
    pairs: Sequence[LabelledPair],
    tokens: Tokens,
    limit: int,
    weights: Mapping[tuple[str, int], float] | None = None,
) -> list[TrainingRow]:
    """Rows of at most `limit` tokens; weights are by source and label."""
    found: list[TrainingRow] = []
    for first in range(0, len(pairs), PORTION):
        some = pairs[first : first + PORTION]
        encoded = tokens.encode([(pair.premise, pair.hypothesis) for pair in some])
        for pair, whole in zip(some, encoded, strict=True):
            rows = [whole] if len(whole.tokens) <= limit else _windowed(pair, tokens, limit)
            label = PARTLY if pair.partly else float(pair.label)
            weight = 1.0 if weights is None else weights[pair.source, pair.label]
            found += [TrainingRow(*one, label, weight) for one in rows]
    return found


def _windowed(pair: LabelledPair, tokens: Tokens, limit: int) -> list[Encoded]:
    room = limit - len(tokens.encode([("", pair.hypothesis)])[0].tokens)
    if room < LEAST_ROOM:
        return []
    parts = windows(pair.premise, tokens.spans([pair.premise])[0], room)
    kept = kept_windows(parts, pair)
    if not kept:
        return []
    encoded = tokens.encode([(part, pair.hypothesis) for part in kept])
    # A token that is cut becomes two; the few rows that come out too long are left out.
    return [one for one in encoded if len(one.tokens) <= limit]


def kept_windows(parts: Sequence[str], pair: LabelledPair) -> list[str]:
    """The parts of a premise that hold most of the hypothesis, as far as its label suits them."""
    best = nearest(parts, pair.hypothesis, MOST)
    if pair.label:
        words = wanted(pair.hypothesis)
        whole = held("\n".join(parts), words)
        best = [part for part in best if held(part, words) >= ENOUGH * whole]
    return best
