"""The records of a JSON file: one per line, in a list, in a list under a key, or a single one."""

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


def json_records(source: OpenFile, *, under: Collection[str] = ()) -> Iterator[JsonLine]:
    """Each record with its place. `under` are the keys that a list may stand under."""
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES).decode("utf-8-sig", "replace").strip(" \t\r\n")
    value = json_beginning(head) if head.startswith(("{", "[")) else None
    if key := _key_of_list(value, under):
        yield from _in_object(JsonStream(source), key)
    elif isinstance(value, dict) and _is_by_lines(head):
        yield from json_lines(source)
    else:
        stream = JsonStream(source)
        if stream.next_sign() == "[":
            yield from in_list(stream)
        else:
            yield value_in(stream, line=1)
        stream.end()


def records_of(
    lines: Iterable[JsonLine], limits: Limits, make: Callable[[Fields], Found | None]
) -> Records:
    """What is made of each record's fields, or everything that is wrong with it."""
    for line in lines:
        problems = list(line.problems(limits))
        fields = None if line.faults else Fields.of(line.value, line.where, problems)
        record = make(fields) if fields is not None else None
        if problems or record is None:
            yield from problems
        else:
            yield record


def first_record(beginning: Beginning, under: Collection[str] = ()) -> dict[str, Any]:
    """The first record of a file that begins so, as far as it goes; empty where it has none."""
    value = beginning.value
    if key := _key_of_list(value, under):
        value = value[key]
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict)), {})
    return value if isinstance(value, dict) else {}


def _key_of_list(value: object, under: Collection[str]) -> str:
    """Under which of the keys an object has a list; nothing where it has none."""
    members = value if isinstance(value, dict) else {}
    return next((key for key in members if key in under and isinstance(members[key], list)), "")


def _is_by_lines(head: str) -> bool:
    """Whether the first line holds a whole object, as far as can be seen."""
    first, end, _ = head.partition("\n")
    return not end or first.rstrip().endswith("}")


def _in_object(stream: JsonStream, wanted: str) -> Iterator[JsonLine]:
    """The list's elements; what stands beside it is passed over."""
    for key in stream.members():
        if key == wanted and stream.next_sign() == "[":
            yield from in_list(stream)
        elif key == wanted:
            where = Where(index=stream.path)
            yield JsonLine(where, 0, None, (Problem(where, "a list", shown(stream.value())),))
        else:
            stream.value()
    stream.end()
