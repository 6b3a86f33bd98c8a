"""Judgments in the long form, as CSV."""

import json

from annotate.formats.csv_rows import CsvTable
from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.judgment_fields import (
    CLAIM,
    CLAIM_EXPECTED,
    COLUMNS,
    MORE,
    NUMBERS,
    OPTIONAL,
    REQUIRED,
    judgment_row,
)
from annotate.formats.numbers import number_in
from annotate.formats.problems import quoted
from annotate.formats.reading import Reading, Records
from annotate.formats.records import Problem, Where
from annotate.formats.repeats import SeenKeys


def records(reading: Reading) -> Records:
    """One judgment a row."""
    table = CsvTable(reading.source)
    header = table.header(REQUIRED, only=True, may=(*OPTIONAL, *MORE))
    repeats = SeenKeys()
    for found in table.rows(header):
        if isinstance(found, Problem):
            yield found
            continue
        line, row = found
        cells = dict.fromkeys(COLUMNS, "") | dict(zip(header.columns, row, strict=True))
        problems: list[Problem] = []
        numbers: dict[str, float | None] = {}
        for name, (highest, expected) in NUMBERS.items():
            numbers[name] = number_in(cells[name], 0, highest) if cells[name] else None
            if cells[name] and numbers[name] is None:
                place = Where(line=line, field=name)
                problems.append(Problem(place, f"{expected}, or nothing", quoted(cells[name])))
        claim = None
        if cells.get(CLAIM):
            try:
                claim = json.loads(cells[CLAIM])
            except (ValueError, RecursionError):
                place = Where(line=line, field=CLAIM)
                problems.append(Problem(place, CLAIM_EXPECTED, quoted(cells[CLAIM])))
                yield from problems
                continue
        judged = judgment_row(
            cells,
            numbers["score"],
            numbers["seconds"],
            Where(line=line),
            repeats,
            problems,
            reading.limits.dimensions,
            claim,
        )
        if judged is None:
            yield from problems
        else:
            yield judged


def _begins_so(beginning: Beginning) -> bool:
    return beginning.columns >= {"unit", "dimension", "judge"}


FORMAT = Format(
    key="judgments",
    title="Judgments, long form (CSV)",
    extensions=(".csv",),
    kind="judgments",
    description="One judgment a row, about responses that the study has already.",
    example=example_of("judgments.csv"),
    begins_so=_begins_so,
    records=records,
)
