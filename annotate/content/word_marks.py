"""The words that answers mark, as pages show them. Read-only."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.models import Unit
from annotate.protocol.answers import spans_of
from annotate.protocol.dimensions import Dimension


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Words that an answer marks: `passage` is the number of the one they stand in, 0 for the text
    that is judged; `said` is what they are."""

    passage: int
    start: int
    end: int
    text: str
    said: str


def marked_words(
    dimension: Dimension, value: str, texts: Mapping[int, str]
) -> tuple[MarkedWords, ...]:
    """What an answer marks in these texts; nothing of an answer of another type."""
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
        for span in spans_of(value)
    )


def texts_to_mark(unit: Unit, dimension: Dimension) -> dict[int, str]:
    """The texts in which words are marked: the one that is judged under 0, or passages by number;
    none where the answer is something else."""
    if dimension.answer != "spans":
        return {}
    if dimension.marks == "text":
        return {0: unit.judged_text}
    return dict(unit.response.sources.order_by("n").values_list("n", "passage__text"))
