"""Stretches that pages light in a text: what a judge points at, what an answer quotes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.db.models import QuerySet

from annotate.models import Evidence
from annotate.protocol.pairs import place_of
from annotate.text.quotes import ShownQuote
from annotate.text.shown_passages import Span

Why = Literal["quoted", "evidence", "unsupported"] | str
"""`label-1` and on: words that were marked in answer to a question, by their label."""


def evidence_of(judge: int, response: int) -> QuerySet[Evidence]:
    """Return what a judge has marked in a response's passages."""
    rows = Evidence.objects.filter(judge=judge, unit__response=response)
    return rows.select_related("source__passage", "unit__parent")


@dataclass(frozen=True, slots=True)
class Lit:
    """A stretch of passage `n`, or (none) of the text that is judged, and why it is lit. Offsets
    count code points. `called` is what people call the passage, where not by its number."""

    why: Why
    n: int | None
    start: int
    end: int
    text: str
    called: str = ""

    @property
    def span(self) -> Span:
        return self.start, self.end


def marked(marks: Iterable[Evidence]) -> tuple[Lit, ...]:
    """What judges point at: first in the text that they judge, then in the passages."""
    found = {_lit(mark) for mark in marks}
    return tuple(sorted(found, key=lambda lit: (lit.n or 0, lit.start, lit.end)))


def _lit(mark: Evidence) -> Lit:
    n = None if mark.source is None else place_of(mark.source, mark.unit)
    of_other = f"the other answer's {-n}" if n is not None and n < 0 else ""
    return Lit(mark.kind, n, mark.start, mark.end, mark.text, of_other)


def of_pair(lit: Iterable[Lit], *, mirrored: bool) -> tuple[Lit, ...]:
    """As the one who sees the two answers of a pair in this order calls their passages."""
    found = [
        replace(one, called=called(one.n, mirrored=mirrored)) for one in lit if one.n is not None
    ]
    return tuple(sorted(found, key=lambda one: (one.called[:8], abs(one.n or 0), one.start)))


def called(place: int, *, mirrored: bool) -> str:
    """A passage of a pair, as who sees the other answer first, or not, calls it."""
    return f"Answer {1 + ((place < 0) != mirrored)}: {abs(place)}"


def quoted(quotes: Iterable[ShownQuote]) -> tuple[Lit, ...]:
    """What an answer quotes, where the passages have it."""
    return tuple(Lit("quoted", q.n, *q.span, q.text) for q in quotes if q.span)


def spans(lit: Sequence[Lit], n: int | None) -> list[Span]:
    """Where a passage, or (none) the text that is judged, is lit."""
    return [each.span for each in lit if each.n == n]
