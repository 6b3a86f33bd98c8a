"""A table of judgments: by its mapping, each row becomes one or more long-form rows."""

from typing import Any

from annotate.formats.csv_rows import number_in
from annotate.formats.fields import Fields
from annotate.formats.judgment_fields import (
    CLAIM,
    COUNTED,
    NUMBERS,
    OTHER,
    STANDING,
    TEXTS,
    VERSION,
    judgment_row,
)
from annotate.formats.problems import shown
from annotate.formats.reading import Format, Reading, Records, example_of
from annotate.formats.records import Problem, Where
from annotate.formats.repeats import SeenKeys
from annotate.formats.tables.cells import parsed_cell, text_of, value_of
from annotate.formats.tables.mapping import VALUE, ColumnMapping
from annotate.formats.tables.opening import mapping_needed, table_rows


def records(reading: Reading) -> Records:
    """Yield one judgment per row, or one for each filled column of values."""
    mapping = mapping_needed(reading)
    repeats = SeenKeys()
    columns = mapping.of(VALUE)
    for found in table_rows(reading.source):
        if isinstance(found, Problem):
            yield found
            continue
        where, cells = found
        if len(columns) < 2:
            yield from _row(reading, mapping, mapping.one(VALUE), where, cells, repeats)
            continue
        for column in columns:
            if cells.get(column) not in (None, ""):
                yield from _row(reading, mapping, column, where.at(column), cells, repeats)


def _row(
    reading: Reading,
    mapping: ColumnMapping,
    column: str | None,
    where: Where,
    cells: dict[str, Any],
    repeats: SeenKeys,
) -> Records:
    """Yield the judgment in one column of values, or its problems."""
    problems: list[Problem] = []
    texts = _texts(mapping, column, where, cells, problems)
    numbers = _numbers(mapping, where, cells, problems)
    row = None
    if not problems:
        row = judgment_row(
            texts,
            numbers["score"],
            numbers["seconds"],
            where,
            repeats,
            problems,
            reading.limits.dimensions,
            parsed_cell(cells.get(mapping.one(CLAIM) or "")) or None,
        )
    if row is None:
        yield from (_in_columns(mapping, column, problem) for problem in problems)
    else:
        yield row


def _texts(
    mapping: ColumnMapping,
    values: str | None,
    where: Where,
    cells: dict[str, Any],
    problems: list[Problem],
) -> dict[str, str]:
    """Return the row's texts, with answers translated by the mapping."""
    texts: dict[str, str] = {}
    fields = Fields(cells, where, problems)
    given = {**mapping.given, **mapping.about.get(values or "", {})}
    for name in (*TEXTS, *OTHER, STANDING, COUNTED, VERSION):
        column = values if name == VALUE else mapping.one(name)
        text = text_of(cells.get(column)) if column else given.get(name, "")
        if name == VALUE and column:
            text = value_of(cells.get(column))
            text = mapping.values.get(text, text) if isinstance(text, str) else text
        if not isinstance(text, str):
            fields.complain(column or name, "a text", shown(text))
            continue
        texts[name] = text
    return texts


def _numbers(
    mapping: ColumnMapping, where: Where, cells: dict[str, Any], problems: list[Problem]
) -> dict[str, float | None]:
    numbers: dict[str, float | None] = {}
    for name, (highest, expected) in NUMBERS.items():
        column = mapping.one(name)
        cell = cells.get(column) if column else None
        text = text_of(cell)
        numbers[name] = number_in(text, 0, highest) if isinstance(text, str) and text else None
        if text != "" and numbers[name] is None:
            place = where.at(column or name)
            problems.append(Problem(place, f"{expected}, or nothing", shown(cell)))
    return numbers


def _in_columns(mapping: ColumnMapping, values: str | None, problem: Problem) -> Problem:
    where = problem.where
    column = values if where.field == VALUE else mapping.one(where.field) if where.field else None
    return problem if column is None else problem.moved(where.at(column))


FORMAT = Format(
    key="table-judgments",
    title="Table of judgments",
    extensions=(".csv", ".tsv", ".json", ".jsonl", ".parquet", ".arrow", ".xlsx", ".zip"),
    kind="judgments",
    description="One judgment a row, or one in each of several columns: a mapping says which is "
    "which.",
    example=example_of("table-judgments.csv"),
    begins_so=lambda beginning: False,
    records=records,
    mapped=True,
)
