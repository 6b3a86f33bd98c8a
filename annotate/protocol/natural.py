"""An answer as JSON says it best: numbers as numbers, several choices as a list, marked words as
objects with their words. Beside the value (`answers.py`), which stays what is kept and compared.

    number    12.5
    several   ["harm", "slur"], [] where none is meant
    text      the text
    spans     [{"passage": 2, "start": 40, "end": 44, "label": "made_up", "severity": "minor",
              "words": "Berg"}], [] where none are to be marked
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from annotate.protocol.answers import (
    NOTHING,
    MarkedSpan,
    NotAnAnswerError,
    shown_number,
    spans_of,
    spans_written,
)
from annotate.protocol.dimensions import Dimension

Words = tuple[tuple[int, int, int, str], ...]
"""What was said to stand at places: passage (0 for the judged text), start, end and words."""


def natural(dimension: Dimension, value: str, texts: Mapping[int, str]) -> Any:
    """What a value says; `texts` are those in which words are marked, passages by number and under
    0 the judged one."""
    if dimension.answer == "number":
        number = float(value)
        return int(number) if number.is_integer() else number
    if dimension.answer == "several":
        return [] if value == NOTHING else value.split("|")
    if dimension.answer == "spans":
        return [_told(span, texts) for span in spans_of(value)]
    return value


def _told(span: MarkedSpan, texts: Mapping[int, str]) -> dict[str, Any]:
    return {
        **({"passage": span.passage} if span.passage else {}),
        "start": span.start,
        "end": span.end,
        "label": span.label,
        **({"severity": span.severity} if span.severity else {}),
        "words": texts.get(span.passage, "")[span.start : span.end],
    }


def value_of(dimension: Dimension, given: Any) -> tuple[str, Words]:
    """The value that JSON says, in the one way of writing it, and the words that it says stand at
    its places; raises `NotAnAnswerError`."""
    if dimension.answer == "number":
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise NotAnAnswerError("a number")
        return dimension.read(_number(given)), ()
    if dimension.answer == "several":
        return dimension.read("|".join(_list_of(given, str, "choices")) or NOTHING), ()
    if dimension.answer == "spans":
        found = [_span(one) for one in _list_of(given, dict, "objects with start, end and label")]
        words = tuple((*span[:3], text) for span, text in found if text is not None)
        return dimension.read(spans_written(span for span, _ in found)), words
    if not isinstance(given, str):
        raise NotAnAnswerError("a text")
    return dimension.read(given), ()


def _number(given: float) -> str:
    try:
        return shown_number(Decimal(repr(given)))
    except ArithmeticError as error:
        raise NotAnAnswerError("a number") from error


def _list_of(given: Any, kind: type, what: str) -> list[Any]:
    if not isinstance(given, list) or not all(isinstance(one, kind) for one in given):
        raise NotAnAnswerError(f"a list of {what}")
    return given


def _span(given: dict[str, Any]) -> tuple[MarkedSpan, str | None]:
    numbers = [given.get("passage", 0), given.get("start"), given.get("end")]
    texts = [given.get("label"), given.get("severity", ""), given.get("words", "")]
    known = {"passage", "start", "end", "label", "severity", "words"}
    right = given.keys() <= known and all(type(one) is int and 0 <= one < 10**8 for one in numbers)
    if not right or not all(isinstance(one, str) for one in texts):
        raise NotAnAnswerError(
            "objects with start, end and label, and where there are some passage, severity, words"
        )
    passage, start, end = numbers
    return MarkedSpan(passage, start, end, *texts[:2]), given.get("words")
