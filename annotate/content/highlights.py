"""Highlights in texts: a judge's evidence, an answer's quotations, and words marked by raters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.db.models import QuerySet

from annotate.models import Evidence, Unit
from annotate.protocol.answers import parse_spans
from annotate.protocol.dimensions import Dimension
from annotate.protocol.pairs import place_of
from annotate.text.quotes import ShownQuote
from annotate.text.shown_passages import Span

Why = Literal["quoted", "evidence", "unsupported"] | str
"""`label-1`, `label-2`, …: words that raters marked, by their label."""


def evidence_of(judge: int, response: int) -> QuerySet[Evidence]:
    """Return the evidence that a judge marked in a response's passages."""
    rows = Evidence.objects.filter(judge=judge, unit__response=response)
    return rows.select_related("source__passage", "unit__parent")


@dataclass(frozen=True, slots=True)
class Highlight:
    """A highlighted stretch of passage `n`, or of the judged text (None). Offsets: code points.

    `called` is the passage's name on the page, if that is not its number.
    """

    why: Why
    n: int | None
    start: int
    end: int
    text: str
    called: str = ""

    @property
    def span(self) -> Span:
        return self.start, self.end


def marked(marks: Iterable[Evidence]) -> tuple[Highlight, ...]:
    """Return judges' evidence, first in the judged text, then in the passages."""
    found = {_highlight(mark) for mark in marks}
    return tuple(sorted(found, key=lambda one: (one.n or 0, one.start, one.end)))


def _highlight(mark: Evidence) -> Highlight:
    n = None if mark.source is None else place_of(mark.source, mark.unit)
    of_other = f"the other answer's {-n}" if n is not None and n < 0 else ""
    return Highlight(mark.kind, n, mark.start, mark.end, mark.text, of_other)


def of_pair(highlights: Iterable[Highlight], *, mirrored: bool) -> tuple[Highlight, ...]:
    """Name the passages of a pair by the order in which the rater sees the two answers."""
    found = [
        replace(one, called=called(one.n, mirrored=mirrored))
        for one in highlights
        if one.n is not None
    ]
    return tuple(sorted(found, key=lambda one: (one.called[:8], abs(one.n or 0), one.start)))


def called(place: int, *, mirrored: bool) -> str:
    """Return the name of a pair's passage. `mirrored`: the rater sees the other answer first."""
    return f"Answer {1 + ((place < 0) != mirrored)}: {abs(place)}"


def quoted(quotes: Iterable[ShownQuote]) -> tuple[Highlight, ...]:
    """Return an answer's quotations that occur in the passages."""
    return tuple(Highlight("quoted", q.n, *q.span, q.text) for q in quotes if q.span)


def spans(highlights: Sequence[Highlight], n: int | None) -> list[Span]:
    """Return the highlighted spans of a passage, or of the judged text (None)."""
    return [each.span for each in highlights if each.n == n]


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Words that a rater's answer marks.

    `passage` is the number of their passage, 0 for the judged text; `said` is their label.
    """

    passage: int
    start: int
    end: int
    text: str
    said: str


def marked_words(
    dimension: Dimension, value: str, texts: Mapping[int, str]
) -> tuple[MarkedWords, ...]:
    """Return the words that an answer marks in these texts; empty for other answer types."""
    if dimension.answer != "spans" or not value:
        return ()
    return tuple(
        MarkedWords(
            span.passage,
            span.start,
            span.end,
            texts.get(span.passage, "")[span.start : span.end],
            ", ".join(dimension.called(name) for name in (span.label, span.severity) if name),
        )
        for span in parse_spans(value)
    )


def texts_to_mark(unit: Unit, dimension: Dimension) -> dict[int, str]:
    """Return the texts to mark: the judged text as 0, or passages by number.

    Empty if the dimension's answer is no marks.
    """
    if dimension.answer != "spans":
        return {}
    if dimension.marks == "text":
        return {0: unit.judged_text}
    return dict(unit.response.sources.order_by("n").values_list("n", "passage__text"))
