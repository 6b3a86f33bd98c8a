"""Tables that are text: CSV with any separator, JSON Lines, and a JSON list of objects."""

from collections.abc import Iterator

from annotate.formats.csv_rows import CsvTable
from annotate.formats.json_lines import JsonLine, in_list, json_lines
from annotate.formats.json_stream import JsonStream
from annotate.formats.limits import Limits
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
    return _objects(json_lines(source), source.limits)


def items(source: OpenFile) -> Rows:
    """The objects of one list, which may stand under `data`."""
    stream = JsonStream(source)
    if stream.next_sign() == "{":
        for key in stream.members():
            if key == UNDER and stream.next_sign() == "[":
                yield from _objects(in_list(stream), source.limits)
            else:
                found = shown(stream.value())
                yield Problem(Where(field=key), f"nothing but a list of rows under {UNDER}", found)
    else:
        yield from _objects(in_list(stream), source.limits)
    stream.end()


def _objects(found: Iterator[JsonLine], limits: Limits) -> Rows:
    for line in found:
        problems = list(line.problems(limits))
        if not problems and not isinstance(line.value, dict):
            problems.append(Problem(line.where, "an object", shown(line.value)))
        if problems:
            yield from problems
        else:
            yield line.where, line.value
