"""Demonstrations of answers: pools of four written for Attest, or a file.

A generation draws from the pool by its seed, the same for every question.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from annotate.text import bm25
from annotate.text.search_result import Found
from evaluation.generating.systems.options import LIST, PROSE

FOLDER = Path(__file__).parent
MARK = re.compile(r"\s*\[\d+\]")


class DemonstrationError(ValueError):
    """A fault in a file of demonstrations; the message names the place."""


@dataclass(frozen=True, slots=True)
class DemonstrationPassage:
    """A passage of a demonstration, whole and as the model could have shortened it."""

    found: Found
    summary: str
    snippet: str

    def shown(self, shorten: str) -> str:
        """Return the text for a prompt."""
        return {"summ": self.summary, "snippet": self.snippet}.get(shorten, self.found.text)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question and a good answer in each of the ways."""

    question: str
    documents: tuple[DemonstrationPassage, ...]
    answer: str
    interact: tuple[str, ...]
    inlinesearch: tuple[str, ...]

    @property
    def bare_answer(self) -> str:
        """The answer without its citations."""
        return MARK.sub("", self.answer)


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with its short answer."""

    question: str
    answer: str


@cache
def pool(form: str = PROSE) -> tuple[Demonstration, ...]:
    """Return Attest's own demonstrations with answers of this form."""
    name = "lists.json" if form == LIST else "demonstrations.json"
    return read_demonstrations((FOLDER / name).read_text("utf-8"))


@cache
def own_pairs() -> tuple[Pair, ...]:
    """Return Attest's own 64 pairs."""
    return read_pairs((FOLDER / "pairs.json").read_text("utf-8"))


def drawn(demonstrations: Sequence[Demonstration], shots: int, seed: int) -> list[Demonstration]:
    """Draw some demonstrations by the seed."""
    many = min(shots, len(demonstrations))
    return Random(seed).sample(list(demonstrations), many)  # noqa: S311


def pairs_for(pairs: Sequence[Pair], question: str, many: int, by: str, seed: int) -> list[Pair]:
    """Draw some pairs by the seed, or choose those with the most similar questions, these last.

    A question is not its own example.
    """
    others = [pair for pair in pairs if pair.question.strip() != question.strip()]
    if by == "similar" and others:
        (scores,) = bm25.scores([pair.question for pair in others], [question])
        order = sorted(range(len(others)), key=lambda place: -scores[place])[:many]
        return [others[place] for place in reversed(order)]
    return Random(seed).sample(others, min(many, len(others)))  # noqa: S311


def digest_of(things: Sequence[object]) -> str:
    """Identify demonstrations or pairs by their contents."""
    return sha256(repr(tuple(things)).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def read_demonstrations(text: str) -> tuple[Demonstration, ...]:
    """Read a JSON list of demonstrations in the form of the pool."""
    found = []
    for n, one in enumerate(_listed(text), 1):
        documents = one.get("documents")
        if not isinstance(documents, list) or not documents:
            raise DemonstrationError(f"Demonstration {n}: expected a list of documents.")
        found.append(
            Demonstration(
                _text(one, "question", n),
                tuple(_document(document, n, at) for at, document in enumerate(documents, 1)),
                _text(one, "answer", n),
                _texts(one, "interact", n),
                _texts(one, "inlinesearch", n),
            )
        )
    return tuple(found)


def read_pairs(text: str) -> tuple[Pair, ...]:
    """Read a JSON list of objects with question and answer."""
    pairs = enumerate(_listed(text), 1)
    return tuple(Pair(_text(one, "question", n), _text(one, "answer", n)) for n, one in pairs)


def _listed(text: str) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise DemonstrationError(f"Expected JSON: {error}.") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise DemonstrationError("Expected a list of objects.")
    return found


def _document(found: object, demonstration: int, number: int) -> DemonstrationPassage:
    place = f"{demonstration}, document {number}"
    if not isinstance(found, dict):
        raise DemonstrationError(f"Demonstration {place}: expected an object.")
    whole = _text(found, "text", place)
    title = found.get("title", "")
    passage = Found(f"{number}", whole, 0.0, title if isinstance(title, str) else "")
    shorter = (found.get("summary") or whole, found.get("snippet") or whole)
    return DemonstrationPassage(
        passage, *(one if isinstance(one, str) else whole for one in shorter)
    )


def _text(found: Mapping[str, Any], name: str, place: object) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value.strip():
        raise DemonstrationError(f"Demonstration {place}: expected a text as {name}.")
    return value.strip()


def _texts(found: Mapping[str, Any], name: str, place: object) -> tuple[str, ...]:
    value = found.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise DemonstrationError(f"Demonstration {place}: expected a list of texts as {name}.")
    return tuple(value)
