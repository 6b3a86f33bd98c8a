"""Tables that are text: CSV with any separator, JSON Lines, and a JSON list of objects."""

from annotate.formats.csv_rows import CsvTable
from annotate.formats.json_lines import json_lines
from annotate.formats.json_stream import JsonStream
from annotate.formats.json_values import value_problems
from annotate.formats.open_file import HEAD_BYTES, OpenFile
from annotate.formats.problems import shown
from annotate.formats.records import Problem, Where
from annotate.formats.tables.kinds import UNDER, separator
from annotate.formats.tables.rows import Rows


def csv_rows(source: OpenFile) -> Rows:
    """The rows below the header; every cell is a text."""
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES).decode("utf-8-sig", errors="ignore").lstrip()
    table = CsvTable(source, separator=separator(head))
    header = table.header(())
    for found in table.rows(header):
        if isinstance(found, Problem):
            yield found
            continue
        line, row = found
        yield Where(line=line), dict(zip(header.columns, row, strict=True))


def lines(source: OpenFile) -> Rows:
    """One object a line."""
    for line in json_lines(source):
        problems = list(line.problems(source.limits))
        if not problems and not isinstance(line.value, dict):
            problems.append(Problem(line.where, "an object", shown(line.value)))
        if problems:
            yield from problems
        else:
            yield line.where, line.value


def items(source: OpenFile) -> Rows:
    """The objects of one list, which may stand under `data`."""
    stream = JsonStream(source)
    if stream.next_sign() == "{":
        for key in stream.members():
            if key == UNDER and stream.next_sign() == "[":
                yield from _elements(stream, source)
            else:
                found = shown(stream.value())
                yield Problem(Where(field=key), f"nothing but a list of rows under {UNDER}", found)
    else:
        yield from _elements(stream, source)
    stream.end()


def _elements(stream: JsonStream, source: OpenFile) -> Rows:
    for _ in stream.elements():
        value = stream.value()
        where = Where(index=stream.path)
        problems = [
            Problem(Where(index=where.index, field=key), "each key once", "it twice")
            for key in stream.repeated
        ]
        problems += value_problems(value, where, source.limits)
        if not problems and not isinstance(value, dict):
            problems.append(Problem(where, "an object", shown(value)))
        if problems:
            yield from problems
        else:
            yield where, value
