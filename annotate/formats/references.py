"""References of questions: answers, claims and other texts to judge correctness by.

Also two formats with references of questions that a study already has: JSON Lines, and CSV with
JSON in its cells. An answer may be plain text.
"""

import json
from collections.abc import Mapping
from typing import Any

from annotate.formats.csv_rows import CsvTable
from annotate.formats.fields import Fields
from annotate.formats.json_records import json_lines, records_of
from annotate.formats.problems import listed, quoted, shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import Problem, ReferenceRow, Where
from annotate.formats.repeats import SeenKeys

REFERENCES = ("answer", "annotations", "qa_pairs", "answers", "claims")


def take_references(fields: Fields) -> dict[str, Any]:
    """Return an object's references unchanged, and check their shape."""
    references: dict[str, Any] = {}
    for name in REFERENCES:
        value = fields.take(name)
        if value is None:
            continue
        expected = _expected_shape(name, value)
        if expected:
            fields.complain(name, expected, shown(value))
        references[name] = value
    return references


def _expected_shape(name: str, value: Any) -> str:
    """Return the expected shape of a malformed reference; empty if it is fine."""
    match name:
        case "answer":
            return "" if isinstance(value, str) or _texts(value) else "a text or a list of texts"
        case "claims":
            return "" if _texts(value) else "a list of texts"
        case "answers":
            right = isinstance(value, list) and all(_texts(aliases) for aliases in value)
            return "" if right else "a list of lists of aliases"
        case "qa_pairs":
            right = isinstance(value, list) and all(
                isinstance(pair, Mapping) and _texts(pair.get("short_answers")) for pair in value
            )
            return "" if right else "a list of objects, each with a list of texts in short_answers"
    right = isinstance(value, list) and all(
        isinstance(note, Mapping) and isinstance(note.get("long_answer"), str) for note in value
    )
    return "" if right else "a list of objects, each with a text in long_answer"


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


QUESTION = "question_id"


def lines(reading: Reading) -> Records:
    """Yield the references of one question per line."""
    repeats = SeenKeys()

    def row(fields: Fields) -> ReferenceRow | None:
        question = fields.name(QUESTION, required=True)
        given = fields.object("references")
        if unknown := fields.rest():
            fields.complain("", "the keys question_id and references", f"{listed(unknown)} as well")
        return _reference_row(question, given, fields.where, repeats, fields.problems)

    return records_of(json_lines(reading.source), reading.limits, row)


def rows(reading: Reading) -> Records:
    """Yield the references of one question per row."""
    table = CsvTable(reading.source)
    header = table.header((QUESTION,), only=True, may=REFERENCES)
    repeats = SeenKeys()
    for found in table.rows(header):
        if isinstance(found, Problem):
            yield found
            continue
        line, row = found
        cells = dict(zip(header.columns, row, strict=True))
        question, where = cells.pop(QUESTION), Where(line=line)
        problems: list[Problem] = []
        given = {
            name: _cell_value(name, text, where, problems) for name, text in cells.items() if text
        }
        if not question.strip():
            place = Where(line=line, field=QUESTION)
            problems.append(Problem(place, "the id of a question", "an empty cell"))
        reference = _reference_row(question, given, where, repeats, problems)
        if reference is None:
            yield from problems
        else:
            yield reference


def _cell_value(name: str, text: str, where: Where, problems: list[Problem]) -> Any:
    if name == "answer" and not text.startswith("["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        place = Where(line=where.line, field=name)
        problems.append(Problem(place, "JSON", quoted(text)))
        return None


def _reference_row(
    question: str, given: dict[str, Any], where: Where, repeats: SeenKeys, problems: list[Problem]
) -> ReferenceRow | None:
    """Return one record's references; None and problems if they are wrong."""
    kept = {name: value for name, value in given.items() if value is not None}
    take_references(Fields(given, where, problems, prefix="references"))
    if not kept and not problems:
        problems.append(Problem(where, f"references ({', '.join(REFERENCES)})", "none"))
    if not problems and (earlier := repeats.first(where, question)):
        problems.append(
            Problem(where, "each question once", f"{quoted(question)} again, as at {earlier}")
        )
    return None if problems else ReferenceRow(where, question, kept)


def _rows_begin_so(beginning: Beginning) -> bool:
    others = beginning.columns - {QUESTION}
    return QUESTION in beginning.columns and bool(others) and others <= {*REFERENCES}


JSONL = Format(
    key="references-jsonl",
    title="References (JSON Lines)",
    extensions=(".jsonl",),
    kind="references",
    description="The references of one question a line, for questions that the study has already.",
    example=example_of("references-jsonl.jsonl"),
    begins_so=lambda beginning: beginning.members.keys() >= {QUESTION, "references"},
    records=lines,
)

CSV = Format(
    key="references",
    title="References (CSV)",
    extensions=(".csv",),
    kind="references",
    description="The references of one question a row, for questions that the study has already.",
    example=example_of("references.csv"),
    begins_so=_rows_begin_so,
    records=rows,
)
