"""Divide a record's output into statements and citations, and count what is not read.

Uploads and files that are evaluated without a study share this code.
"""

from collections import Counter
from dataclasses import dataclass, field

from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.text import (
    Citable,
    Citation,
    Division,
    Flood,
    Segmentation,
    count_words,
    find_marks,
    segment,
    segment_given,
    strip_marks,
)
from annotate.text.types import NOT_JUDGED

MAX_CITATIONS = 5_000


class TooManyCitations(ValueError):  # noqa: N818
    """An output with more citations than anyone could follow: most likely broken text."""


def undivided(record: ResponseRecord) -> Segmentation:
    """Return the whole output, neither divided nor cut at a line break."""
    text = record.output.strip()
    start = len(record.output) - len(record.output.lstrip()) if text else 0
    plain = strip_marks(text).text.strip()
    return Segmentation(text, start, start + len(text), False, (), "", plain=plain)


FIRST_LINE = Division()
"""As ALCE's released code reads outputs, except that a mark belongs to the sentence before it."""


def divide_record(record: ResponseRecord, division: Division = FIRST_LINE) -> Segmentation:
    """Return the record's statements, from its file if it lists them. No citation is left out."""
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
    """Return the number of the passage that a citation points to, even if it is missing.

    0 means none. `statement` and `place` count from 0. If the file gives statements, their passages
    belong to their citations in order; otherwise the mark itself names the passage.
    """
    if record.statements is None:
        return citation.number
    hanging = record.statements[statement].passages
    return hanging[place].n if place < len(hanging) else 0


def passages_by_number(record: ResponseRecord) -> dict[int, PassageRecord]:
    """Return the response's passages by their numbers."""
    return {passage.n: passage for passage in record.passages}


def _refuse_flood(count: int) -> None:
    if count > MAX_CITATIONS:
        raise _too_many(count)


def _too_many(count: int) -> TooManyCitations:
    return TooManyCitations(
        f"{count:,} citations in one output, where at most {MAX_CITATIONS:,} are accepted"
    )


@dataclass(slots=True)
class OutputTally:
    """Counts over all outputs that were added."""

    words: int = 0
    lost_words: int = 0
    """Words after the first line, if only that line is read."""

    cut: int = 0
    """Outputs with lost words."""

    lost_spans: int = 0
    """Citations given with an output of which only the marks are read."""

    not_judged: Counter[str] = field(default_factory=Counter)
    """Headings, labels, code and other parts, by kind."""

    styles: Counter[str] = field(default_factory=Counter)
    """Citation marks, by the keys of the table of styles."""

    def add(self, record: ResponseRecord, found: Segmentation) -> None:
        """Add one output. Statements from the file count as fully read."""
        self.words += count_words(record.output)
        if found.cut and record.statements is None:
            self.cut += 1
            self.lost_words += count_words(record.output[found.raw_end :])
        if not found.reads_all_lines:
            self.lost_spans += len(record.citations)
        self.not_judged.update(part.kind for part in found.not_judged)
        self.styles.update(found.styles)

    def parts(self) -> list[dict[str, str | int]]:
        """Return messages about parts that are not judged, the most frequent first."""
        return [
            {"kind": kind, "count": count, "message": NOT_JUDGED[kind][count != 1]}
            for kind, count in self.not_judged.most_common()
        ]
