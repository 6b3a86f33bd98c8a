"""Convert answers between their value (`answers.py`) and natural JSON.

number    12.5
several   ["harm", "slur"], or [] for none
text      the text
spans     [{"passage": 2, "start": 40, "end": 44, "label": "made_up", "severity": "minor",
          "words": "Berg"}], or [] for none
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from annotate.protocol.answers import (
    NOTHING,
    MarkedSpan,
    NotAnAnswerError,
    format_number,
    format_spans,
    parse_spans,
)
from annotate.protocol.dimensions import Dimension

Words = tuple[tuple[int, int, int, str], ...]
"""Claimed words at places: passage (0 for the judged text), start, end and words."""


def natural(dimension: Dimension, value: str, texts: Mapping[int, str]) -> Any:
    """Return a value as JSON. `texts` has the passages by number, and the judged text as 0."""
    if dimension.answer == "number":
        number = float(value)
        return int(number) if number.is_integer() else number
    if dimension.answer == "several":
        return [] if value == NOTHING else value.split("|")
    if dimension.answer == "spans":
        return [_span_fields(span, texts) for span in parse_spans(value)]
    return value


def _span_fields(span: MarkedSpan, texts: Mapping[int, str]) -> dict[str, Any]:
    return {
        **({"passage": span.passage} if span.passage else {}),
        "start": span.start,
        "end": span.end,
        "label": span.label,
        **({"severity": span.severity} if span.severity else {}),
        "words": texts.get(span.passage, "")[span.start : span.end],
    }


def value_of(dimension: Dimension, given: Any) -> tuple[str, Words]:
    """Return the value of JSON, and the words that it claims; raise `NotAnAnswerError`."""
    if dimension.answer == "number":
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise NotAnAnswerError("a number")
        return dimension.read(_number(given)), ()
    if dimension.answer == "several":
        return dimension.read("|".join(_list_of(given, str, "choices")) or NOTHING), ()
    if dimension.answer == "spans":
        found = [_span(one) for one in _list_of(given, dict, "objects with start, end and label")]
        words = tuple((*span[:3], text) for span, text in found if text is not None)
        return dimension.read(format_spans(span for span, _ in found)), words
    if not isinstance(given, str):
        raise NotAnAnswerError("a text")
    return dimension.read(given), ()


def _number(given: float) -> str:
    try:
        return format_number(Decimal(repr(given)))
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
