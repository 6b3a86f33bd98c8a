"""Judgments in the long form, as CSV and as JSON Lines."""

import json
import math
from collections.abc import Mapping
from typing import Any

from annotate.formats.csv_rows import CsvTable, number_in
from annotate.formats.fields import Fields
from annotate.formats.json_records import json_lines, records_of
from annotate.formats.judgment_fields import (
    ANSWER,
    CLAIM,
    CLAIM_EXPECTED,
    COLUMNS,
    EXTRA_COLUMNS,
    NUMBERS,
    OPTIONAL,
    OTHER,
    REQUIRED,
    STANDING_COLUMNS,
    TEXTS,
    VERSION,
    dimension_for,
    judgment_row,
)
from annotate.formats.problems import listed, quoted, shown
from annotate.formats.reading import Format, Reading, Records, example_of
from annotate.formats.records import JudgmentRow, Problem, Where
from annotate.formats.repeats import SeenKeys
from annotate.protocol.answers import NotAnAnswerError
from annotate.protocol.dimensions import Dimension
from annotate.protocol.natural import Words, value_of


def csv_records(reading: Reading) -> Records:
    """Yield one judgment per row."""
    table = CsvTable(reading.source)
    header = table.header(REQUIRED, only=True, may=(*OPTIONAL, *EXTRA_COLUMNS))
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


CSV = Format(
    key="judgments",
    title="Judgments, long form (CSV)",
    extensions=(".csv",),
    kind="judgments",
    description="One judgment a row, about responses that the study has already.",
    example=example_of("judgments.csv"),
    begins_so=lambda beginning: beginning.columns >= {"unit", "dimension", "judge"},
    records=csv_records,
)


def jsonl_records(reading: Reading) -> Records:
    """Yield one judgment per line."""
    repeats, known = SeenKeys(), reading.limits.dimensions
    lines = json_lines(reading.source)
    return records_of(lines, reading.limits, lambda fields: _jsonl_row(fields, repeats, known))


def _jsonl_row(
    fields: Fields, repeats: SeenKeys, known: Mapping[str, Dimension]
) -> JudgmentRow | None:
    texts = {
        name: fields.text(name) if name in REQUIRED else fields.optional_text(name)
        for name in (*TEXTS, *STANDING_COLUMNS, VERSION, *OTHER)
    }
    claim = fields.take(CLAIM)
    words = _natural(fields, texts, known.get(texts["dimension"]))
    numbers = {name: _number(fields, name) for name in NUMBERS}
    if unknown := fields.rest():
        fields.complain("", f"the keys {', '.join(COLUMNS)}", f"{listed(unknown)} as well")
    if fields.problems:
        return None
    return judgment_row(
        texts,
        numbers["score"],
        numbers["seconds"],
        fields.where,
        repeats,
        fields.problems,
        known,
        claim,
        words,
    )


def _natural(fields: Fields, texts: dict[str, str], asked: Dimension | None) -> Words:
    """Fill an empty value from `answer`. If both are given, they must agree."""
    given: Any = fields.take(ANSWER)
    if given is None or asked is None:
        return ()
    if asked.is_choice:
        fields.complain(ANSWER, "nothing: a single choice goes in value", shown(given))
        return ()
    try:
        value, words = value_of(dimension_for(asked, texts["judge_kind"]), given)
    except NotAnAnswerError as error:
        fields.complain(ANSWER, error.expected, shown(given))
        return ()
    if texts["value"] and texts["value"] != value:
        fields.complain(ANSWER, f"what value says, “{texts['value'][:80]}”", f"“{value[:80]}”")
    texts["value"] = value
    return words


def _number(fields: Fields, name: str) -> float | None:
    value: Any = fields.take(name)
    if value is None:
        return None
    highest, expected = NUMBERS[name]
    right = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not right or not 0 <= value <= highest or not _finite(value):
        fields.complain(name, f"{expected}, or null", shown(value))
        return None
    return float(value)


def _finite(number: float) -> bool:
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False


JSONL = Format(
    key="judgments-jsonl",
    title="Judgments, long form (JSON Lines)",
    extensions=(".jsonl",),
    kind="judgments",
    description="The same, one JSON object a line.",
    example=example_of("judgments-jsonl.jsonl"),
    begins_so=lambda beginning: beginning.members.keys() >= {"unit", "dimension"},
    records=jsonl_records,
)
