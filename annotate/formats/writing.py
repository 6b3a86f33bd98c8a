"""Write Attest's own formats. Reading the output gives the same records.

Values are written unchanged, also if a spreadsheet would take one for a formula.
"""

import csv
import json
from collections.abc import Mapping
from typing import Any

from annotate.formats.judgment_fields import (
    ANSWER,
    CLAIM,
    COLUMNS,
    COUNTED,
    OTHER,
    STANDING,
    STANDING_COLUMNS,
    VERSION,
)
from annotate.formats.records import (
    JudgmentRow,
    PassageRecord,
    QuestionRecord,
    QuestionRow,
    ResponseRecord,
)
from annotate.formats.spans import spans_as_json


def write_response(record: ResponseRecord) -> str:
    """Write one line of `.jsonl`, without the judgments that came with the response."""
    line: dict[str, Any] = {
        "question": _question(record.question),
        "system": record.system,
        **_filled(run=record.run),
        "output": record.output,
        "passages": [_passage(passage) for passage in record.passages],
        **_filled(
            is_list=record.is_list,
            citations=spans_as_json(record.citations),
            metadata=dict(record.metadata),
        ),
    }
    if record.statements is not None:
        line["statements"] = [
            {"text": statement.text, "passages": [passage.n for passage in statement.passages]}
            for statement in record.statements
        ]
    return _json(line)


def write_question(row: QuestionRow) -> str:
    """Write one line of `.jsonl`: a question with its ranked passages."""
    passages = [_passage(passage) for passage in row.passages]
    return _json({"question": _question(row.question), **_filled(passages=passages)})


def judgments_csv_header(
    *, standing: bool = False, claims: bool = False, versions: bool = False, pairs: bool = False
) -> str:
    """Return the first line of the long form. Optional columns at its end are standing and
    whether rows count, claims, wording versions, and the other response of a pair."""
    more = (
        *((CLAIM,) if claims else ()),
        *((VERSION,) if versions else ()),
        *(OTHER if pairs else ()),
    )
    return csv_line((*COLUMNS, *(STANDING_COLUMNS if standing else ()), *more))


def write_judgment_csv(row: JudgmentRow) -> str:
    """Write one row of the long form as CSV."""
    values = _values(row).values()
    return csv_line(["" if value is None else _written(value) for value in values])


def write_judgment_jsonl(row: JudgmentRow) -> str:
    """Write one line of the long form as JSON."""
    return _json(_values(row))


def _values(row: JudgmentRow) -> dict[str, Any]:
    """Return the row's values by column."""
    judged = row.judgment
    values = (
        row.study,
        row.system,
        row.run,
        row.question_id,
        judged.unit,
        judged.dimension,
        judged.judge,
        judged.judge_kind,
        judged.value,
        None if judged.score is None else float(judged.score),
        judged.skipped_reason,
        None if judged.seconds is None else float(judged.seconds),
        judged.note,
        judged.created,
    )
    found: dict[str, Any] = dict(zip(COLUMNS, values, strict=True))
    if judged.standing:
        found |= {STANDING: judged.standing, COUNTED: judged.counted}
    if judged.claim is not None:
        found[CLAIM] = judged.claim
    if judged.answer is not None:
        found[ANSWER] = judged.answer
    if judged.version is not None:
        found[VERSION] = judged.version
    if judged.other_system is not None:
        found |= dict(zip(OTHER, (judged.other_system, judged.other_run), strict=True))
    return found


def _question(question: QuestionRecord) -> dict[str, Any]:
    return _filled(
        id=question.external_id,
        text=question.text,
        references=dict(question.references),
        language=question.language,
        metadata=dict(question.metadata),
    )


def _passage(passage: PassageRecord) -> dict[str, Any]:
    return {
        "n": passage.n,
        "title": passage.title,
        "text": passage.text,
        **_filled(
            id=passage.external_id,
            url=passage.url,
            published=passage.published,
            retrieved=passage.retrieved,
            page=passage.page,
            metadata=dict(passage.metadata),
        ),
    }


def _filled(**members: Any) -> dict[str, Any]:
    """Return the members that are not empty."""
    return {name: value for name, value in members.items() if value}


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return value if isinstance(value, str) else repr(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


class _Echo:
    """A file for `csv.writer` that returns each line."""

    def write(self, line: str) -> str:
        return line


def csv_line(cells: Any) -> str:
    """Return one row of a CSV file, with its line end."""
    # With this line end, cells that contain either of its characters are quoted.
    line: str = csv.writer(_Echo(), lineterminator="\r\n").writerow(cells)
    return line
