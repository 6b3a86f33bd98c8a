"""Judgments in the long form, as JSON Lines."""

import math
from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.json_lines import json_lines
from annotate.formats.json_records import records_of
from annotate.formats.judgment_fields import (
    ANSWER,
    CLAIM,
    COLUMNS,
    NUMBERS,
    OTHER,
    REQUIRED,
    STANDING_COLUMNS,
    TEXTS,
    VERSION,
    as_answered,
    judgment_row,
)
from annotate.formats.problems import listed, shown
from annotate.formats.reading import Reading, Records
from annotate.formats.records import JudgmentRow
from annotate.formats.repeats import SeenKeys
from annotate.protocol.answers import NotAnAnswerError
from annotate.protocol.dimensions import Dimension
from annotate.protocol.natural import Words, value_of


def records(reading: Reading) -> Records:
    """One judgment a line."""
    repeats, known = SeenKeys(), reading.limits.dimensions
    lines = json_lines(reading.source)
    return records_of(lines, reading.limits, lambda fields: _row(fields, repeats, known))


def _row(fields: Fields, repeats: SeenKeys, known: Mapping[str, Dimension]) -> JudgmentRow | None:
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
    """What `answer` says, put in the place of a value that is not there. Where both are, they are
    to say the same."""
    given: Any = fields.take(ANSWER)
    if given is None or asked is None:
        return ()
    if asked.is_choice:
        fields.complain(ANSWER, "nothing: a single choice goes in value", shown(given))
        return ()
    try:
        value, words = value_of(as_answered(asked, texts["judge_kind"]), given)
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


def _begins_so(beginning: Beginning) -> bool:
    return beginning.members.keys() >= {"unit", "dimension"}


FORMAT = Format(
    key="judgments-jsonl",
    title="Judgments, long form (JSON Lines)",
    extensions=(".jsonl",),
    kind="judgments",
    description="The same, one JSON object a line.",
    example=example_of("judgments-jsonl.jsonl"),
    begins_so=_begins_so,
    records=records,
)
