"""From a record of a file to its statements and the passages that their citations point to.

The one way for uploads and for files that are evaluated without a study.
"""

from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.segment import (
    DEFAULT_SPLITTER,
    Citation,
    Reading,
    Segmentation,
    find_marks,
    segment,
    segment_given,
)

MAX_CITATIONS = 5_000


class TooManyCitations(ValueError):  # noqa: N818
    """An output whose marks cite more than any reader could follow: most likely broken text."""


def undivided(record: ResponseRecord) -> Segmentation:
    """The whole output, neither divided nor cut at a new line."""
    text = record.output.strip()
    start = len(record.output) - len(record.output.lstrip()) if text else 0
    return Segmentation(text, start, start + len(text), False, (), "")


def divide_record(
    record: ResponseRecord,
    *,
    reading: Reading = "repaired",
    splitter: str = DEFAULT_SPLITTER,
) -> Segmentation:
    """The record's statements: those of its file where it names them. No citation is left out."""
    _refuse_flood(record.output)
    passages = max((p.n for p in record.passages), default=0)
    if record.statements is not None:
        return segment_given(
            record.output,
            [statement.text for statement in record.statements],
            passages=passages,
            cap=None,
        )
    return segment(
        record.output,
        question=record.question.text,
        mode="list" if record.is_list else "sentences",
        reading=reading,
        splitter=splitter,
        passages=passages,
        cap=None,
    )


def cited_number(record: ResponseRecord, statement: int, place: int, citation: Citation) -> int:
    """The number of the passage that a citation points to, whether or not there is one (0: none).

    `statement` and `place` count from 0. Where the file gives statements, its passages hang on
    their citations in order; otherwise the mark itself names the passage.
    """
    if record.statements is None:
        return citation.number
    hanging = record.statements[statement].passages
    return hanging[place].n if place < len(hanging) else 0


def passages_by_number(record: ResponseRecord) -> dict[int, PassageRecord]:
    """The response's passages under their numbers."""
    return {passage.n: passage for passage in record.passages}


def _refuse_flood(output: str) -> None:
    count = sum(len(mark.numbers) for mark in find_marks(output))
    if count > MAX_CITATIONS:
        raise TooManyCitations(
            f"{count:,} citations in one output, where at most {MAX_CITATIONS:,} are accepted"
        )
