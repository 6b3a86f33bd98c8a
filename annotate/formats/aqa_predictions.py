"""Attributed QA predictions: one system's short answers, each with one passage or none."""

from collections.abc import Iterator

from annotate.formats.csv_rows import CsvTable, told
from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.passages_file import Find, with_passages
from annotate.formats.problems import Unreadable, quoted, shown
from annotate.formats.reading import Reading, Records
from annotate.formats.records import (
    PassageRecord,
    Problem,
    QuestionRecord,
    ResponseRecord,
    Where,
)

COLUMNS = ("question", "answer", "attribution")


def records(reading: Reading) -> Records:
    """One response a row; the passages come from the row or from the passages file."""
    yield from with_passages(reading, _responses)


def _responses(reading: Reading, find: Find | None) -> Records:
    table = CsvTable(reading.source)
    header = table.header(COLUMNS)
    question_at, answer_at, attribution_at = (header.place(name) for name in COLUMNS)
    passage_at = header.place("passage") if "passage" in header.columns else None
    others = header.others((*COLUMNS, "passage"))
    of_question = header.of_questions()
    for found in table.rows(header):
        if isinstance(found, Problem):
            yield found
            continue
        line, row = found
        where = Where(line=line)
        given = row[passage_at] if passage_at is not None else ""
        passage = _passage(where, row[attribution_at], given, find)
        problems = [passage] if isinstance(passage, Problem) else []
        problems += missing_question(where, row[question_at])
        if problems or isinstance(passage, Problem):
            yield from problems
            continue
        yield ResponseRecord(
            where=where,
            question=QuestionRecord(row[question_at], metadata=told(row, of_question)),
            output=row[answer_at],
            system=reading.system,
            run=reading.run,
            passages=(passage,) if passage else (),
            is_list=reading.is_list(False),
            metadata={name: row[i] for i, name in others} if others else {},
        )


def missing_question(where: Where, question: str) -> Iterator[Problem]:
    """A problem where the question is blank."""
    if not question or question.isspace():
        yield Problem(where.at("question"), "a text that is not blank", shown(question))


def _passage(
    where: Where, key: str, given: str, find: Find | None
) -> PassageRecord | Problem | None:
    """The row's own passage, else the one that its attribution names; None where it has none."""
    place = where.at("attribution")
    if len(key) > LONG_NAME_CHARS:
        expected = f"an id of at most {LONG_NAME_CHARS} characters"
        return Problem(place, expected, f"{len(key):,} characters")
    if given.strip():
        return PassageRecord(1, "", given, key)
    if not key:
        return None
    if find is None:
        raise Unreadable(
            Problem(
                place,
                "the passage's text, in a column passage or in a passages file",
                f"the id {quoted(key)} alone",
                "Give the passages file (.jsonl with id and contents) together with this one.",
            )
        )
    return find(key) or Problem(place, "the id of a passage in the passages file", quoted(key))


def _begins_so(beginning: Beginning) -> bool:
    return beginning.columns >= set(COLUMNS)


FORMAT = Format(
    key="aqa-predictions",
    title="Attributed QA predictions",
    extensions=(".csv",),
    kind="outputs",
    description="One system's short answers, each attributed to a passage; the passages' texts "
    "are in the file or in a separate passages file.",
    example=example_of("aqa-predictions.csv"),
    begins_so=_begins_so,
    records=records,
)
