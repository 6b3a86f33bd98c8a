"""Two answers to one question, and which of them is better.

A pair is a unit of the answer whose system's name comes first; its `other` is the other one. What a
judge says is kept as said of these two: `low_to_high` runs from "for the other" to "for the first".
A rater sees one of them as *Answer 1*, drawn for each rater and pair, so that it is nobody's
advantage to stand there; for who sees the other one first, each choice stands for its opposite.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from annotate.protocol.dimensions import Dimension

if TYPE_CHECKING:
    from annotate.models import Source, Unit


def opposite(dimension: Dimension, value: str) -> str:
    """The choice that says the same of the two answers in the other order."""
    values = dimension.low_to_high
    return values[len(values) - 1 - values.index(value)]


def as_seen(dimension: Dimension, *, mirrored: bool) -> Dimension:
    """The question as who sees the other answer first is asked it: in the same words, of which each
    has the value that is kept."""
    if not mirrored:
        return dimension
    choices = tuple(
        replace(choice, value=opposite(dimension, choice.value)) for choice in dimension.choices
    )
    return replace(dimension, choices=choices)


def place_of(source: Source, unit: Unit) -> int:
    """What a passage is called beside a unit: its number; below 0 where it is the other answer's of
    a pair."""
    return source.n if source.response_id == unit.response_id else -source.n


def is_mirrored(seed: int, rater: str, *names: str) -> bool:
    """Whether a rater sees the other answer first, drawn from the study's seed and from names:
    the question's id, and system and run of both answers."""
    text = json.dumps(["side", seed, rater, *names], ensure_ascii=False)
    return bool(hashlib.blake2b(text.encode(), digest_size=1).digest()[0] & 1)
