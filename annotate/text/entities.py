"""List answers, as QAMPARI's: entities between commas."""

import re
from collections.abc import Sequence

from annotate.text.readings import outside_marks, with_marks
from annotate.text.statements import Wording
from annotate.text.types import Mark, Stripped

_COMMA = re.compile(",")
_AFTER_COMMA = re.compile(r",\s*+")


def _tail(text: str) -> int:
    """The length of the closing white space, full stops and commas, which no entity owns."""
    return len(text) - len(text.rstrip().rstrip(".").rstrip(","))


def _asked(question: str, entity: str) -> str:
    return f"{question} {entity}".strip()


def entity_starts(text: str) -> list[int]:
    """Where the entities of one line of a text without marks start; none is empty."""
    body = len(text) - _tail(text)
    cuts = [0, *(comma.end() for comma in _AFTER_COMMA.finditer(text, 0, body))]
    named = [
        start
        for start, end in zip(cuts, [*cuts[1:], body], strict=True)
        if text[start:end].strip().strip(",")
    ]
    return [0, *named[1:]]


def repaired_entities(stripped: Stripped, question: str) -> tuple[list[int], Wording]:
    """Entities of the text without marks; an empty one goes with its neighbour."""
    text = stripped.text
    tail = _tail(text)
    starts = list(with_marks(entity_starts(text), stripped))

    def wording(ordinal: int, plain: str) -> str:
        own = plain[: len(plain) - tail] if ordinal + 1 == len(starts) else plain
        return _asked(question, own.strip().strip(",").strip())

    return starts, wording


def strict_entities(text: str, marks: Sequence[Mark], question: str) -> tuple[list[int], Wording]:
    """Entities of the text with its marks in place; an empty one is a statement, too."""
    tail = _tail(text)
    commas = (comma.end() for comma in _COMMA.finditer(text, 0, len(text) - tail))
    starts = [0, *outside_marks(commas, marks)]

    def wording(ordinal: int, plain: str) -> str:
        closing = tail if ordinal + 1 == len(starts) else 1
        return _asked(question, plain[: len(plain) - closing].strip())

    return starts, wording
