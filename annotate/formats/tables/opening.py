"""From a file to its rows, whichever kind of table it is."""

import re
from collections.abc import Callable
from itertools import chain, islice
from pathlib import PurePosixPath
from zipfile import ZipFile, ZipInfo

from annotate.formats.open_file import HEAD_BYTES, OpenFile, refused
from annotate.formats.problems import Unreadable, quoted
from annotate.formats.recognition import recognise
from annotate.formats.records import Problem, Where
from annotate.formats.table import FORMATS
from annotate.formats.tables import archive
from annotate.formats.tables.columnar import arrow_rows, parquet_rows
from annotate.formats.tables.kinds import Kind, table_kind
from annotate.formats.tables.rows import Rows
from annotate.formats.tables.text_rows import csv_rows, items, lines
from annotate.formats.tables.workbook import is_workbook, sheets

FILE = "file"
"""The column that a zip of several tables gets, or a workbook of several sheets: which of them a
row is from."""

_SHARD = re.compile(r"data-[0-9]{5}-of-[0-9]{5}")

_READ: dict[Kind, Callable[[OpenFile], Rows]] = {
    "csv": csv_rows,
    "json": items,
    "jsonl": lines,
    "parquet": parquet_rows,
    "arrow": arrow_rows,
}

EXPECTED = "a table: CSV, JSON, JSON Lines, Parquet, Arrow, Excel, or a zip of them"

UNPACK = "Unpack the zip archive, and upload by itself what is no table."


def table_rows(source: OpenFile) -> Rows:
    """The rows of a file; one that is no table ends it at once."""
    source.refuse_too_large()
    kind = _kind(source)
    if kind in _READ:
        yield from _READ[kind](source)
        return
    with archive.opened(source.path, source.limits) as packed:
        if is_workbook(packed):
            yield from _rows_of_sheets(source, packed)
        else:
            yield from _packed_rows(source, packed)


def _workbook_rows(source: OpenFile, under: str) -> Rows:
    with archive.opened(source.path, source.limits) as packed:
        if not is_workbook(packed):
            raise Unreadable(Problem(Where(), EXPECTED, "another file", UNPACK))
        yield from _rows_of_sheets(source, packed, under)


def _kind(source: OpenFile) -> Kind:
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind = table_kind(head)
    if kind is None:
        raise Unreadable(refused(head, EXPECTED, "another file"))
    return kind


def _rows_of_sheets(source: OpenFile, packed: ZipFile, under: str = "") -> Rows:
    """Where several sheets hold something, each row says which it is from."""
    every = sheets(source, packed)
    first = [*islice(every, 2)]
    for name, rows in chain(first, every):
        called = f"{under}/{name}" if under else name
        yield from _placed(rows, name, called) if len(first) > 1 else rows


def _packed_rows(source: OpenFile, packed: ZipFile) -> Rows:
    members = archive.tables(packed)
    if not members:
        names = ", ".join(archive.ENDINGS)
        raise Unreadable(Problem(Where(), f"a zip of tables ({names})", "none of them in it"))
    for member in members:
        if member.filename.lower().endswith(archive.PACKED):
            found = "an archive within it, or a file of an older kind"
            yield Problem(archive.here(member), EXPECTED, found, UNPACK)
            continue
        with archive.unpacked(packed, member) as path:
            inner = OpenFile(path, source.limits)
            kind = _kind_within(inner, member)
            name = _name(member) if len(members) > 1 else ""
            rows = _READ[kind](inner) if kind in _READ else _workbook_rows(inner, name)
            yield from _placed(rows, member.filename, name)
        source.position = min(source.size, source.position + member.compress_size)


def _kind_within(inner: OpenFile, member: ZipInfo) -> Kind:
    with inner.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind, known = table_kind(head), recognise(head)
    if kind is None or known:
        found = FORMATS[known].title if known else "another file"
        raise Unreadable(Problem(archive.here(member), EXPECTED, found, UNPACK))
    return kind


def _name(member: ZipInfo) -> str:
    """What tells a file of the zip from the others: its path, of a shard its folder's."""
    path = PurePosixPath(member.filename)
    found = path.parent if _SHARD.fullmatch(path.stem) else path.with_suffix("")
    return "" if str(found) == "." else str(found)


def _placed(rows: Rows, part: str, name: str) -> Rows:
    """The rows with places that name their file, or sheet."""
    called = quoted(part)[1:-1]
    try:
        for found in rows:
            if isinstance(found, Problem):
                yield _problem_within(found, called)
                continue
            where, row = found
            if name:
                row.setdefault(FILE, name)
            yield _within(where, called), row
    except Unreadable as error:
        raise Unreadable(_problem_within(error.problem, called)) from None


def _problem_within(problem: Problem, called: str) -> Problem:
    return problem.moved(_within(problem.where, called))


def _within(where: Where, called: str) -> Where:
    """A place within a file of the zip or a sheet, as one index: places of two are never the
    same."""
    place = str(Where(line=where.line, index=where.index))
    index = "" if place == "the file" else f"{place} of {called}"
    file = f"{where.file} of {called}" if where.file else called
    return Where(index=index, field=where.field, file="" if index else file)
