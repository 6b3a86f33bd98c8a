"""From a record of a file to its statements and the passages that their citations point to.

The one way for uploads and for files that are evaluated without a study.
"""

from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.text import (
    Citable,
    Citation,
    Division,
    Flood,
    Segmentation,
    find_marks,
    segment,
    segment_given,
    strip_marks,
)

MAX_CITATIONS = 5_000


class TooManyCitations(ValueError):  # noqa: N818
    """An output whose marks cite more than any reader could follow: most likely broken text."""


def undivided(record: ResponseRecord) -> Segmentation:
    """The whole output, neither divided nor cut at a new line."""
    text = record.output.strip()
    start = len(record.output) - len(record.output.lstrip()) if text else 0
    plain = strip_marks(text).text.strip()
    return Segmentation(text, start, start + len(text), False, (), "", plain=plain)


FIRST_LINE = Division()
"""As ALCE's released code reads outputs, but that a mark belongs to the sentence it follows."""


def divide_record(record: ResponseRecord, division: Division = FIRST_LINE) -> Segmentation:
    """The record's statements: those of its file where it names them. No citation is left out."""
    if record.statements is not None or division.lines != "all":
        _refuse_flood(sum(len(mark.numbers) for mark in find_marks(record.output)))
    passages = max((p.n for p in record.passages), default=0)
    if record.statements is not None:
        return segment_given(
            record.output,
            [statement.text for statement in record.statements],
            passages=passages,
            cap=None,
        )
    try:
        return _segmented(record, division, passages)
    except Flood as flood:
        raise _too_many(flood.count) from None


def _segmented(record: ResponseRecord, division: Division, passages: int) -> Segmentation:
    return segment(
        record.output,
        question=record.question.text,
        mode="list" if record.is_list else "sentences",
        lines=division.lines,
        reading=division.reading,
        splitter=division.splitter,
        language=record.question.language or division.language,
        passages=passages,
        citable=[Citable(p.n, p.title, p.url) for p in record.passages],
        spans=record.citations,
        cap=None,
        most=MAX_CITATIONS,
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


def _refuse_flood(count: int) -> None:
    if count > MAX_CITATIONS:
        raise _too_many(count)


def _too_many(count: int) -> TooManyCitations:
    return TooManyCitations(
        f"{count:,} citations in one output, where at most {MAX_CITATIONS:,} are accepted"
    )
