"""Where statements start in a text with marks, for sentences and for list answers.

Two readings decide where a mark belongs. Repaired: it belongs to the text before it. Strict: it
belongs to the piece that contains it when the text is divided with its marks, as ALCE's released
code does. List answers such as QAMPARI's are entities between commas.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from annotate.text.splitters import Splitter
from annotate.text.statements import Wording
from annotate.text.types import Mark, Stripped

_WORD_SIGN = re.compile(r"\w")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]?\Z")


def outside_marks(starts: Iterable[int], marks: Sequence[Mark]) -> Iterator[int]:
    """Yield the `starts` that are not inside a mark."""
    index = 0
    for start in starts:
        while index < len(marks) and marks[index].end <= start:
            index += 1
        if index == len(marks) or start <= marks[index].start:
            yield start


def with_marks(starts: Iterable[int], stripped: Stripped) -> Iterator[int]:
    """Map places of the plain text to the text with marks, which follow their text."""
    index = shift = 0
    for start in starts:
        while index < len(stripped.marks) and stripped.positions[index] <= start:
            shift += len(stripped.marks[index].lead) + len(stripped.marks[index].text)
            index += 1
        yield start + shift if start else 0


def _glued(text: str, positions: Iterable[int]) -> Iterator[int]:
    """Yield plain places where only a mark separates two sentences: `… end.[1]Next …`."""
    for position in positions:
        before = text[max(0, position - 2) : position]
        if text[position : position + 1].isupper() and _SENTENCE_END.search(before):
            yield position


def _with_words(starts: Sequence[int], text: str) -> Iterator[int]:
    """Join pieces without a word to the piece before, or to the next if there is none."""
    pending: int | None = None
    some = False
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if _WORD_SIGN.search(text, start, end):
            yield start if pending is None else pending
            pending, some = None, True
        elif not some and pending is None:
            pending = start
    if pending is not None:
        yield pending


def sentence_starts(text: str, positions: Iterable[int], split: Splitter) -> list[int]:
    """Return the sentence starts of a text without marks. Marks were at `positions`."""
    return list(_with_words(sorted({0, *split(text), *_glued(text, positions)}), text))


def repaired_starts(stripped: Stripped, split: Splitter) -> list[int]:
    """Return sentence starts in the text with marks, found in the text without them."""
    starts = sentence_starts(stripped.text, stripped.positions, split)
    return list(with_marks(starts, stripped))


def strict_starts(text: str, marks: Sequence[Mark], split: Splitter) -> list[int]:
    """Return sentence starts found in the text with its marks."""
    return list(outside_marks(split(text), marks))


_COMMA = re.compile(",")
_AFTER_COMMA = re.compile(r",\s*+")


def _tail(text: str) -> int:
    """Return the length of final white space, full stops and commas."""
    return len(text) - len(text.rstrip().rstrip(".").rstrip(","))


def _with_question(question: str, entity: str) -> str:
    return f"{question} {entity}".strip()


def entity_starts(text: str) -> list[int]:
    """Return the starts of entities in one line without marks. None is empty."""
    body = len(text) - _tail(text)
    cuts = [0, *(comma.end() for comma in _AFTER_COMMA.finditer(text, 0, body))]
    named = [
        start
        for start, end in zip(cuts, [*cuts[1:], body], strict=True)
        if text[start:end].strip().strip(",")
    ]
    return [0, *named[1:]]


def repaired_entities(stripped: Stripped, question: str) -> tuple[list[int], Wording]:
    """Return entities of the text without marks. An empty one joins its neighbour."""
    text = stripped.text
    tail = _tail(text)
    starts = list(with_marks(entity_starts(text), stripped))

    def wording(ordinal: int, plain: str) -> str:
        own = plain[: len(plain) - tail] if ordinal + 1 == len(starts) else plain
        return _with_question(question, own.strip().strip(",").strip())

    return starts, wording


def strict_entities(text: str, marks: Sequence[Mark], question: str) -> tuple[list[int], Wording]:
    """Return entities of the text with its marks. An empty one is also a statement."""
    tail = _tail(text)
    commas = (comma.end() for comma in _COMMA.finditer(text, 0, len(text) - tail))
    starts = [0, *outside_marks(commas, marks)]

    def wording(ordinal: int, plain: str) -> str:
        closing = tail if ordinal + 1 == len(starts) else 1
        return _with_question(question, plain[: len(plain) - closing].strip())

    return starts, wording
