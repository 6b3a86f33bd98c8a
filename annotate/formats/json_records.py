"""The records of a JSON file: one per line, in a list, in a list under a key, or single.

The beginning of the file decides which. A bad line leaves the other lines readable.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.json_stream import JsonStream, syntax_found
from annotate.formats.json_values import StrictDecoder, json_beginning, value_problems
from annotate.formats.limits import MAX_DEPTH, Limits
from annotate.formats.open_file import HEAD_BYTES, OpenFile
from annotate.formats.problems import shown
from annotate.formats.reading import Beginning, Found, Records
from annotate.formats.records import Problem, Where


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A decoded value, the byte offset of its line, and its syntax errors."""

    where: Where
    offset: int
    value: Any
    faults: tuple[Problem, ...] = ()

    def problems(self, limits: Limits) -> Iterator[Problem]:
        """Yield all problems found before the fields are read."""
        yield from self.faults
        yield from value_problems(self.value, self.where, limits)


def json_lines(source: OpenFile) -> Iterator[JsonLine]:
    """Yield the lines of a file, without blank ones."""
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
    return JsonLine(where, offset, value, _repeated_keys(where, decoder.repeated))


def list_lines(stream: JsonStream) -> Iterator[JsonLine]:
    """Yield the elements of a list."""
    for _ in stream.elements():
        yield value_line(stream)


def value_line(stream: JsonStream, *, line: int | None = None) -> JsonLine:
    """Return the next value."""
    value = stream.value()
    where = Where(line=line, index=stream.path)
    return JsonLine(where, 0, value, _repeated_keys(where, stream.repeated))


def _repeated_keys(where: Where, keys: Iterable[str]) -> tuple[Problem, ...]:
    return tuple(Problem(where.at(key), "each key once", "it twice") for key in keys)


def json_records(source: OpenFile, *, under: Collection[str] = ()) -> Iterator[JsonLine]:
    """Yield each record with its place. `under` lists keys that may hold the list."""
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES).decode("utf-8-sig", "replace").strip(" \t\r\n")
    value = json_beginning(head) if head.startswith(("{", "[")) else None
    if key := _key_of_list(value, under):
        yield from _in_object(JsonStream(source), key)
    elif isinstance(value, dict) and _is_by_lines(head):
        yield from json_lines(source)
    else:
        stream = JsonStream(source)
        if stream.next_char() == "[":
            yield from list_lines(stream)
        else:
            yield value_line(stream, line=1)
        stream.end()


def records_of(
    lines: Iterable[JsonLine], limits: Limits, make: Callable[[Fields], Found | None]
) -> Records:
    """Yield the record made from each value, or all problems with it."""
    for line in lines:
        problems = list(line.problems(limits))
        fields = None if line.faults else Fields.of(line.value, line.where, problems)
        record = make(fields) if fields is not None else None
        if problems or record is None:
            yield from problems
        else:
            yield record


def first_record(beginning: Beginning, under: Collection[str] = ()) -> dict[str, Any]:
    """Return what is readable of the first record; empty without one."""
    value = beginning.value
    if key := _key_of_list(value, under):
        value = value[key]
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict)), {})
    return value if isinstance(value, dict) else {}


def _key_of_list(value: object, under: Collection[str]) -> str:
    """Return the key that holds an object's list; empty without one."""
    members = value if isinstance(value, dict) else {}
    return next((key for key in members if key in under and isinstance(members[key], list)), "")


def _is_by_lines(head: str) -> bool:
    """Return whether the first line seems to hold a whole object."""
    first, end, _ = head.partition("\n")
    return not end or first.rstrip().endswith("}")


def _in_object(stream: JsonStream, wanted: str) -> Iterator[JsonLine]:
    """Yield the list's elements, and skip the other keys."""
    for key in stream.members():
        if key == wanted and stream.next_char() == "[":
            yield from list_lines(stream)
        elif key == wanted:
            where = Where(index=stream.path)
            yield JsonLine(where, 0, None, (Problem(where, "a list", shown(stream.value())),))
        else:
            stream.value()
    stream.end()
