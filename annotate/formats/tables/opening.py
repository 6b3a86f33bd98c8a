"""Open a table of any kind and yield its rows."""

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import PurePosixPath
from zipfile import ZipFile, ZipInfo

from annotate.formats.csv_rows import CsvTable
from annotate.formats.json_records import JsonLine, json_lines, list_lines
from annotate.formats.json_stream import JsonStream
from annotate.formats.limits import Limits
from annotate.formats.open_file import HEAD_BYTES, OpenFile, unexpected
from annotate.formats.problems import Unreadable, listed, quoted, shown
from annotate.formats.reading import Reading
from annotate.formats.recognition import FORMATS, recognise
from annotate.formats.records import Problem, Where
from annotate.formats.tables import archive
from annotate.formats.tables.columnar import arrow_rows, parquet_rows
from annotate.formats.tables.kinds import UNDER, Kind, separator, table_kind
from annotate.formats.tables.mapping import ColumnMapping
from annotate.formats.tables.rows import Rows
from annotate.formats.tables.workbook import is_workbook, sheets

FILE = "file"
"""Column with the name of the file or sheet, for a zip of tables or a workbook of sheets."""

_SHARD = re.compile(r"data-[0-9]{5}-of-[0-9]{5}")

EXPECTED = "a table: CSV, JSON, JSON Lines, Parquet, Arrow, Excel, or a zip of them"

UNPACK = "Unpack the zip archive, and upload by itself what is no table."


def _csv_rows(source: OpenFile) -> Rows:
    """Yield the rows below the header. Every cell is a text."""
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


def _jsonl_rows(source: OpenFile) -> Rows:
    """Yield one object per line."""
    return _objects(json_lines(source), source.limits)


def _json_rows(source: OpenFile) -> Rows:
    """Yield the objects of one list, which may be under `data`."""
    stream = JsonStream(source)
    if stream.next_char() == "{":
        for key in stream.members():
            if key == UNDER and stream.next_char() == "[":
                yield from _objects(list_lines(stream), source.limits)
            else:
                found = shown(stream.value())
                yield Problem(Where(field=key), f"nothing but a list of rows under {UNDER}", found)
    else:
        yield from _objects(list_lines(stream), source.limits)
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


_READERS: dict[Kind, Callable[[OpenFile], Rows]] = {
    "csv": _csv_rows,
    "json": _json_rows,
    "jsonl": _jsonl_rows,
    "parquet": parquet_rows,
    "arrow": arrow_rows,
}


def table_rows(source: OpenFile) -> Rows:
    """Yield the rows of a file; raise `Unreadable` if it is no table."""
    source.refuse_too_large()
    kind = _kind(source)
    if kind in _READERS:
        yield from _READERS[kind](source)
        return
    with archive.open_zip(source.path, source.limits) as packed:
        if is_workbook(packed):
            yield from _rows_of_sheets(source, packed)
        else:
            yield from _packed_rows(source, packed)


def _workbook_rows(source: OpenFile, under: str) -> Rows:
    with archive.open_zip(source.path, source.limits) as packed:
        if not is_workbook(packed):
            raise Unreadable(Problem(Where(), EXPECTED, "another file", UNPACK))
        yield from _rows_of_sheets(source, packed, under)


def _kind(source: OpenFile) -> Kind:
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind = table_kind(head)
    if kind is None:
        raise Unreadable(unexpected(head, EXPECTED, "another file"))
    return kind


def _rows_of_sheets(source: OpenFile, packed: ZipFile, under: str = "") -> Rows:
    """Yield the rows of all sheets. With several sheets, each row names its sheet."""
    every = sheets(source, packed)
    first = [*islice(every, 2)]
    for name, rows in chain(first, every):
        called = f"{under}/{name}" if under else name
        yield from _with_place(rows, name, called) if len(first) > 1 else rows


def _packed_rows(source: OpenFile, packed: ZipFile) -> Rows:
    members = archive.tables(packed)
    if not members:
        names = ", ".join(archive.ENDINGS)
        raise Unreadable(Problem(Where(), f"a zip of tables ({names})", "none of them in it"))
    for member in members:
        if member.filename.lower().endswith(archive.PACKED):
            found = "an archive within it, or a file of an older kind"
            yield Problem(archive.place_of(member), EXPECTED, found, UNPACK)
            continue
        with archive.unpacked(packed, member) as path:
            inner = OpenFile(path, source.limits)
            kind = _kind_within(inner, member)
            name = _name(member) if len(members) > 1 else ""
            rows = _READERS[kind](inner) if kind in _READERS else _workbook_rows(inner, name)
            yield from _with_place(rows, member.filename, name)
        source.position = min(source.size, source.position + member.compress_size)


def _kind_within(inner: OpenFile, member: ZipInfo) -> Kind:
    with inner.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind, known = table_kind(head), recognise(head)
    if kind is None or known:
        found = FORMATS[known].title if known else "another file"
        raise Unreadable(Problem(archive.place_of(member), EXPECTED, found, UNPACK))
    return kind


def _name(member: ZipInfo) -> str:
    """Return what distinguishes a file of the zip: its path, or a shard's folder."""
    path = PurePosixPath(member.filename)
    found = path.parent if _SHARD.fullmatch(path.stem) else path.with_suffix("")
    return "" if str(found) == "." else str(found)


def _with_place(rows: Rows, part: str, name: str) -> Rows:
    """Yield rows and problems with places that name their file or sheet."""
    called = quoted(part)[1:-1]
    try:
        for found in rows:
            if isinstance(found, Problem):
                yield _moved_problem(found, called)
                continue
            where, row = found
            if name:
                row.setdefault(FILE, name)
            yield _moved_place(where, called), row
    except Unreadable as error:
        raise Unreadable(_moved_problem(error.problem, called)) from None


def _moved_problem(problem: Problem, called: str) -> Problem:
    return problem.moved(_moved_place(problem.where, called))


def _moved_place(where: Where, called: str) -> Where:
    """Return a place within a file of the zip or a sheet, as one unique index."""
    place = str(Where(line=where.line, index=where.index))
    index = "" if place == "the file" else f"{place} of {called}"
    file = f"{where.file} of {called}" if where.file else called
    return Where(index=index, field=where.field, file="" if index else file)


ADVICE = "Say so on the upload's page, or give a mapping with the file."


def mapping_needed(reading: Reading) -> ColumnMapping:
    """Return the mapping of a table, or raise `Unreadable` with the table's columns."""
    if reading.mapping is not None:
        return reading.mapping
    first = next(table_rows(OpenFile(reading.source.path, reading.limits)), None)
    if isinstance(first, Problem):
        raise Unreadable(first)
    found = f"a table with the columns {listed(first[1])}" if first else "a table without rows"
    raise Unreadable(Problem(Where(), "a mapping of the table's columns", found, ADVICE))
