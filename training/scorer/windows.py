"""Labelled pairs as rows of tokens, each with a label that is true of the row itself."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evaluation.entailment.premises import Spans, windows
from evaluation.entailment.rows import LEAST_ROOM, Encoded
from evaluation.entailment.words import FUNCTION_WORDS, WORD, folded, rarity, stem
from training.scorer.pairs import Labelled

MOST = 2
"""Windows kept of a premise: those that hold most of the hypothesis."""
ENOUGH = 0.9
"""A window that holds less than this part of what the whole premise holds of the hypothesis may
miss the evidence, and “entailed” may not be true of it."""
PORTION = 2_000


class Tokens(Protocol):
    """Turns texts into tokens as the base does."""

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded]:
        """Of pairs, nothing cut off."""
        ...

    def spans(self, texts: Sequence[str]) -> list[Spans]:
        """Where the tokens of each text stand."""
        ...


class Example(NamedTuple):
    """A row to learn from."""

    tokens: list[int]
    kinds: list[int] | None
    label: int


def examples(pairs: Sequence[Labelled], tokens: Tokens, limit: int) -> list[Example]:
    """Rows of at most `limit` tokens."""
    found: list[Example] = []
    for first in range(0, len(pairs), PORTION):
        some = pairs[first : first + PORTION]
        encoded = tokens.encode([(pair.premise, pair.hypothesis) for pair in some])
        for pair, whole in zip(some, encoded, strict=True):
            if len(whole.tokens) <= limit:
                found.append(Example(*whole, pair.label))
            else:
                found += _windowed(pair, tokens, limit)
    return found


def _windowed(pair: Labelled, tokens: Tokens, limit: int) -> list[Example]:
    room = limit - len(tokens.encode([("", pair.hypothesis)])[0].tokens)
    if room < LEAST_ROOM:
        return []
    parts = windows(pair.premise, tokens.spans([pair.premise])[0], room)
    kept = kept_windows(parts, pair)
    if not kept:
        return []
    encoded = tokens.encode([(part, pair.hypothesis) for part in kept])
    # A token that is cut becomes two; the few rows that come out too long are left out.
    return [Example(*one, pair.label) for one in encoded if len(one.tokens) <= limit]


def kept_windows(parts: Sequence[str], pair: Labelled) -> list[str]:
    """The parts of a premise that hold most of the hypothesis, as far as its label suits them."""
    wanted = {root: weight for root, weight in _weights(pair.hypothesis).items() if weight}
    roots = [_weights(part).keys() for part in parts]
    held = [sum(wanted[root] for root in some & wanted.keys()) for some in roots]
    together = frozenset[str]().union(*roots)
    whole = sum(wanted[root] for root in together & wanted.keys())
    best = sorted(range(len(parts)), key=lambda number: -held[number])[:MOST]
    if pair.label:
        best = [number for number in best if held[number] >= ENOUGH * whole]
    return [parts[number] for number in best]


def _weights(text: str) -> dict[str, float]:
    words = (folded(word) for word in WORD.findall(text))
    return {stem(word): rarity(word) for word in words if word not in FUNCTION_WORDS}
