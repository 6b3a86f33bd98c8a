"""Attributed QA ratings: many systems' answers with the published human and automatic verdicts.

The published file has 83,030 rows, so what is done for each row is kept short.
"""

from annotate.formats.aqa_predictions import missing_question
from annotate.formats.csv_rows import CsvTable, told
from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS
from annotate.formats.numbers import number_in
from annotate.formats.problems import quoted
from annotate.formats.reading import Reading, Records
from annotate.formats.records import (
    JudgmentRecord,
    PassageRecord,
    Problem,
    QuestionRecord,
    ResponseRecord,
    Where,
)

COLUMNS = (
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


def records(reading: Reading) -> Records:
    """One response a row, with up to two judgments of it."""
    table = CsvTable(reading.source)
    header = table.header(COLUMNS)
    places = tuple(header.place(name) for name in COLUMNS)
    others = header.others(COLUMNS)
    of_question = header.of_questions()
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
            yield from _problems(where, system, question, key, human, automatic, nli)
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
            QuestionRecord(question, metadata=told(row, of_question) if of_question else {}),
            answer,
            system,
            reading.run,
            passages,
            reading.mode == "list",
            None,
            judgments,
            metadata,
        )


def _problems(
    where: Where, system: str, question: str, key: str, human: str, automatic: str, nli: str
) -> Records:
    """What is wrong with a row, column by column."""
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


def _begins_so(beginning: Beginning) -> bool:
    return beginning.columns >= set(COLUMNS)


FORMAT = Format(
    key="aqa-ratings",
    title="Attributed QA ratings",
    extensions=(".csv",),
    kind="outputs",
    description="Short answers of many systems with the published human and automatic verdicts.",
    example=example_of("aqa-ratings.csv"),
    begins_so=_begins_so,
    records=records,
)
