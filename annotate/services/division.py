"""How a study divides an output into statements and citations.

A study that asks about whole responses only does not divide them, nor cut them at a new line.
Every citation becomes a unit; how many of a statement count is the study's setting, which may
change later without dividing anything anew.
"""

from typing import Any

from annotate.formats.records import ResponseRecord
from annotate.models import Study
from annotate.segment import Segmentation, find_marks, segment, segment_given

MAX_CITATIONS = 5_000


class TooManyCitations(ValueError):  # noqa: N818
    """An output whose marks cite more than any reader could follow: most likely broken text."""


def divide(study: Study, record: ResponseRecord) -> Segmentation:
    """The record's statements: those of its file where it names them, else the study's way."""
    passages = max((p.n for p in record.passages), default=0)
    if record.statements is not None or study.has_statements:
        _refuse_flood(record.output)
    if record.statements is not None:
        return segment_given(
            record.output,
            [statement.text for statement in record.statements],
            passages=passages,
            cap=None,
        )
    if not study.has_statements:
        text = record.output.strip()
        start = len(record.output) - len(record.output.lstrip()) if text else 0
        return Segmentation(text, start, start + len(text), False, (), "")
    return segment(
        record.output,
        question=record.question.text,
        mode="list" if record.is_list else "sentences",
        reading="strict" if study.reading == Study.Reading.STRICT else "repaired",
        splitter=study.splitter,
        passages=passages,
        cap=None,
    )


def way_of_dividing(study: Study) -> dict[str, Any]:
    """The settings that `divide` goes by; another one may divide a record otherwise."""
    return {
        "has_statements": study.has_statements,
        "reading": study.reading,
        "splitter": study.splitter,
    }


def _refuse_flood(output: str) -> None:
    count = sum(len(mark.numbers) for mark in find_marks(output))
    if count > MAX_CITATIONS:
        raise TooManyCitations(
            f"{count:,} citations in one output, where at most {MAX_CITATIONS:,} are accepted"
        )
