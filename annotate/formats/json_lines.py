"""JSON Lines: one value a line, so that a bad line spoils no other."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotate.formats.json_stream import JsonStream, syntax_found
from annotate.formats.json_values import StrictDecoder, value_problems
from annotate.formats.limits import MAX_DEPTH, Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.records import Problem, Where


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line's value, the byte where the line starts, and what its syntax has against it."""

    where: Where
    offset: int
    value: Any
    faults: tuple[Problem, ...] = ()

    def problems(self, limits: Limits) -> Iterator[Problem]:
        """Everything that is wrong before the fields are looked at."""
        yield from self.faults
        yield from value_problems(self.value, self.where, limits)


def json_lines(source: OpenFile) -> Iterator[JsonLine]:
    """The lines of a file; blank ones are passed over."""
    decoder = StrictDecoder()
    for number, text in enumerate(source.lines(), start=1):
        stripped = text.strip(" \t\r\n")
        if stripped:
            yield _line(decoder, stripped, Where(line=number), source.line_start)


def _line(decoder: StrictDecoder, text: str, where: Where, offset: int) -> JsonLine:
    try:
        value, end = decoder.decode_at(text, 0)
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except json.JSONDecodeError as error:
        found, advice = syntax_found(error)
        place = f"{found} at character {error.pos + 1:,} of the line"
        return JsonLine(where, offset, None, (Problem(where, "one JSON object", place, advice),))
    except RecursionError:
        problem = Problem(where, f"at most {MAX_DEPTH} levels of nesting", "far deeper nesting")
        return JsonLine(where, offset, None, (problem,))
    return JsonLine(where, offset, value, _twice(where, decoder.repeated))


def in_list(stream: JsonStream) -> Iterator[JsonLine]:
    """The elements of a list."""
    for _ in stream.elements():
        yield value_in(stream)


def value_in(stream: JsonStream, *, line: int | None = None) -> JsonLine:
    """The next value."""
    value = stream.value()
    where = Where(line=line, index=stream.path)
    return JsonLine(where, 0, value, _twice(where, stream.repeated))


def _twice(where: Where, keys: Iterable[str]) -> tuple[Problem, ...]:
    return tuple(Problem(where.at(key), "each key once", "it twice") for key in keys)
