"""Pairs of two answers to one question, of which judges choose the better one.

A pair is a unit of the answer whose system's name comes first; `other` is the other answer. The
stored value refers to this order: `low_to_high` runs from "for the other" to "for the first". A
random draw for each rater and pair decides which answer is shown as *Answer 1*, so that neither has
an advantage. For a rater who sees the other answer first, each choice means its opposite.
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
    """Return the choice with the same meaning for the answers in the other order."""
    values = dimension.low_to_high
    return values[len(values) - 1 - values.index(value)]


def as_seen(dimension: Dimension, *, mirrored: bool) -> Dimension:
    """Return the question for a rater who sees the other answer first, if `mirrored`.

    Each choice keeps its words and has the value to store.
    """
    if not mirrored:
        return dimension
    choices = tuple(
        replace(choice, value=opposite(dimension, choice.value)) for choice in dimension.choices
    )
    return replace(dimension, choices=choices)


def place_of(source: Source, unit: Unit) -> int:
    """Return a passage's number, negative for the other answer of a pair."""
    return source.n if source.response_id == unit.response_id else -source.n


def is_mirrored(seed: int, rater: str, *names: str) -> bool:
    """Whether a rater sees the other answer first, drawn from the study's seed and names.

    The names are the question's id, and system and run of both answers.
    """
    text = json.dumps(["side", seed, rater, *names], ensure_ascii=False)
    return bool(hashlib.blake2b(text.encode(), digest_size=1).digest()[0] & 1)
