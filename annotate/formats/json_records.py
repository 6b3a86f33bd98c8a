"""The records of a JSON file, however they stand in it: one a line, in a list, in a list under a
key of an object, or one alone. How the file begins says which.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.format import Beginning
from annotate.formats.json_beginning import json_beginning
from annotate.formats.json_lines import JsonLine, in_list, json_lines, value_in
from annotate.formats.json_stream import JsonStream
from annotate.formats.limits import Limits
from annotate.formats.open_file import HEAD_BYTES, OpenFile
from annotate.formats.problems import shown
from annotate.formats.reading import Found, Records
from annotate.formats.records import Problem, Where


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
