"""Attributed QA: predictions of one system, and published ratings of many systems.

The published file of ratings has 83,030 rows. Keep the work for each row small.
"""

from collections.abc import Iterator

from annotate.formats.csv_rows import CsvTable, filled_cells, number_in
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS
from annotate.formats.passages_file import Find, with_passages
from annotate.formats.problems import Unreadable, quoted, shown
from annotate.formats.reading import Format, Reading, Records, example_of
from annotate.formats.records import (
    JudgmentRecord,
    PassageRecord,
    Problem,
    QuestionRecord,
    ResponseRecord,
    Where,
)

PREDICTION_COLUMNS = ("question", "answer", "attribution")


def _predictions(reading: Reading, find: Find | None) -> Records:
    """Yield one response per row, with the passage from the row or the passages file."""
    table = CsvTable(reading.source)
    header = table.header(PREDICTION_COLUMNS)
    question_at, answer_at, attribution_at = (header.place(name) for name in PREDICTION_COLUMNS)
    passage_at = header.place("passage") if "passage" in header.columns else None
    others = header.others((*PREDICTION_COLUMNS, "passage"))
    question_columns = header.question_columns()
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
            question=QuestionRecord(row[question_at], metadata=filled_cells(row, question_columns)),
            output=row[answer_at],
            system=reading.system,
            run=reading.run,
            passages=(passage,) if passage else (),
            is_list=reading.is_list(False),
            metadata={name: row[i] for i, name in others} if others else {},
        )


def missing_question(where: Where, question: str) -> Iterator[Problem]:
    """Yield a problem if the question is blank."""
    if not question or question.isspace():
        yield Problem(where.at("question"), "a text that is not blank", shown(question))


def _passage(
    where: Where, key: str, given: str, find: Find | None
) -> PassageRecord | Problem | None:
    """Return the row's passage, or the one that its attribution names; None without one."""
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


PREDICTIONS = Format(
    key="aqa-predictions",
    title="Attributed QA predictions",
    extensions=(".csv",),
    kind="outputs",
    description="One system's short answers, each attributed to a passage; the passages' texts "
    "are in the file or in a separate passages file.",
    example=example_of("aqa-predictions.csv"),
    begins_so=lambda beginning: beginning.columns >= set(PREDICTION_COLUMNS),
    records=lambda reading: with_passages(reading, _predictions),
)


RATING_COLUMNS = (
    "system_name",
    "question",
    "answer",
    "attribution",
    "passage",
    "human_rating",
    "auto_ais",
    "nli_score",
)
MAJORITY = "majority of 5 (published)"
AUTOMATIC = "AutoAIS (published)"
VERDICTS = {"Y": "yes", "N": "no", "": ""}


def rating_records(reading: Reading) -> Records:
    """Yield one response per row, with up to two judgments of it."""
    table = CsvTable(reading.source)
    header = table.header(RATING_COLUMNS)
    places = tuple(header.place(name) for name in RATING_COLUMNS)
    others = header.others(RATING_COLUMNS)
    question_columns = header.question_columns()
    for found in table.rows(header):
        if isinstance(found, Problem):
            yield found
            continue
        line, row = found
        system, question, answer, key, text, human, automatic, nli = [row[i] for i in places]
        where = Where(line)
        score = number_in(nli, 0, 1) if nli else None
        if (
            not system.strip()
            or len(system) > NAME_CHARS
            or not question.strip()
            or len(key) > LONG_NAME_CHARS
            or human not in VERDICTS
            or automatic not in VERDICTS
            or (nli and score is None)
        ):
            yield from _rating_problems(where, system, question, key, human, automatic, nli)
            continue
        metadata = {name: row[i] for i, name in others} if others else {}
        judgments: tuple[JudgmentRecord, ...] = ()
        if human:
            value = VERDICTS[human]
            judgments = (
                JudgmentRecord("r", "attributable", MAJORITY, "majority", value, where=where),
            )
        if automatic:
            value = VERDICTS[automatic]
            judgments += (
                JudgmentRecord(
                    "r", "attributable", AUTOMATIC, "automatic", value, score, where=where
                ),
            )
        elif nli:
            metadata["nli_score"] = nli
        passages: tuple[PassageRecord, ...] = ()
        if text.strip():
            passages = (PassageRecord(1, "", text, key),)
        elif key:
            metadata["attribution"] = key
        yield ResponseRecord(
            where,
            QuestionRecord(question, metadata=filled_cells(row, question_columns)),
            answer,
            system,
            reading.run,
            passages,
            reading.mode == "list",
            None,
            judgments,
            metadata,
        )


def _rating_problems(
    where: Where, system: str, question: str, key: str, human: str, automatic: str, nli: str
) -> Records:
    """Yield the problems of a row, column by column."""
    if not system.strip() or len(system) > NAME_CHARS:
        expected = f"a name of at most {NAME_CHARS} characters"
        yield Problem(where.at("system_name"), expected, quoted(system))
    yield from missing_question(where, question)
    if len(key) > LONG_NAME_CHARS:
        expected = f"an id of at most {LONG_NAME_CHARS} characters"
        yield Problem(where.at("attribution"), expected, f"{len(key):,} characters")
    for column, rating in (("human_rating", human), ("auto_ais", automatic)):
        if rating not in VERDICTS:
            yield Problem(where.at(column), "Y, N or nothing", quoted(rating))
    if nli and number_in(nli, 0, 1) is None:
        yield Problem(where.at("nli_score"), "a number from 0 to 1 or nothing", quoted(nli))


RATINGS = Format(
    key="aqa-ratings",
    title="Attributed QA ratings",
    extensions=(".csv",),
    kind="outputs",
    description="Short answers of many systems with the published human and automatic verdicts.",
    example=example_of("aqa-ratings.csv"),
    begins_so=lambda beginning: beginning.columns >= set(RATING_COLUMNS),
    records=rating_records,
)
