"""Stretches that pages light in a text: what a judge points at, what an answer quotes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from annotate.models import Evidence
from annotate.reading.passages import Span
from annotate.reading.quotes import ShownQuote

Why = Literal["quoted", "evidence", "unsupported"] | str
"""`label-1` and on: words that were marked in answer to a question, by their label."""


@dataclass(frozen=True, slots=True)
class Lit:
    """A stretch of passage `n`, or (none) of the text that is judged, and why it is lit. Offsets
    count code points."""

    why: Why
    n: int | None
    start: int
    end: int
    text: str

    @property
    def span(self) -> Span:
        return self.start, self.end


def marked(marks: Iterable[Evidence]) -> tuple[Lit, ...]:
    """What judges point at: first in the text that they judge, then in the passages."""
    found = {
        Lit(m.kind, None if m.source is None else m.source.n, m.start, m.end, m.text) for m in marks
    }
    return tuple(sorted(found, key=lambda lit: (lit.n or 0, lit.start, lit.end)))


def quoted(quotes: Iterable[ShownQuote]) -> tuple[Lit, ...]:
    """What an answer quotes, where the passages have it."""
    return tuple(Lit("quoted", q.n, *q.span, q.text) for q in quotes if q.span)


def spans(lit: Sequence[Lit], n: int | None) -> list[Span]:
    """Where a passage, or (none) the text that is judged, is lit."""
    return [each.span for each in lit if each.n == n]
