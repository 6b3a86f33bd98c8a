"""Outputs whose file has its own division into sentences."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from annotate.text.cleaning import END_OF_TURN, Cleaned, clean_output
from annotate.text.marks import insert_marks, strip_marks
from annotate.text.segmentation import DEFAULT_CAP, check_limits, segmentation_signature
from annotate.text.statement_starts import with_marks
from annotate.text.statements import build_statements
from annotate.text.types import Segmentation, Stripped

_INK = re.compile(r"\S")


class SentenceNotFoundError(ValueError):
    """A given sentence that is not in the output after the sentences before it."""

    def __init__(self, ordinal: int, sentence: str) -> None:
        self.ordinal = ordinal
        self.sentence = sentence
        shown = sentence if len(sentence) <= 80 else f"{sentence[:79]}…"
        super().__init__(
            f"sentence {ordinal} is not found in the output after the sentences before it: "
            f"{shown!r}"
        )


def _ink(text: str) -> str:
    return "".join(text.split())


def _leading_marks(stripped: Stripped, ink: str) -> int:
    """Return how many marks of a given sentence precede its words."""
    if not ink:
        return len(stripped.marks)
    first = len(stripped.text) - len(stripped.text.lstrip())
    return sum(position <= first for position in stripped.positions)


def _starts(text: str, output: Stripped, sentences: Sequence[Stripped]) -> list[int]:
    """Return where each given sentence starts in `text`.

    Texts are compared by their characters other than marks and white space. At a boundary, a
    sentence takes as many marks as it begins with; the others stay with the sentence before.
    """
    ink = _ink(output.text)
    plain_offsets = [sign.start() for sign in _INK.finditer(output.text)]
    mark_places = [bisect_left(plain_offsets, position) for position in output.positions]
    needles = [_ink(sentence.text) for sentence in sentences]
    places: list[int] = []
    reached = 0
    for ordinal, needle in enumerate(needles):
        place = ink.find(needle, reached)
        if place < 0:
            raise SentenceNotFoundError(ordinal + 1, insert_marks(sentences[ordinal]))
        places.append(place)
        reached = place + len(needle)
    text_offsets = list(with_marks(plain_offsets, output))
    starts = [0] * len(sentences)
    following, free = len(text), len(output.marks)
    for ordinal in range(len(sentences) - 1, 0, -1):
        place = places[ordinal]
        free = min(free, bisect_right(mark_places, place))
        first_at_place = bisect_left(mark_places, place, 0, free)
        taken = min(_leading_marks(sentences[ordinal], needles[ordinal]), free - first_at_place)
        if taken:
            free -= taken
            following = output.marks[free].start
        elif needles[ordinal]:
            following = text_offsets[place]
        starts[ordinal] = following
    return starts


def _found(raw: str, given: Sequence[Stripped]) -> tuple[Cleaned, Stripped, list[int]]:
    """Return where the sentences start: in the first line, or else in all lines."""
    for cuts in (True, False):
        cleaned = clean_output(raw, cuts=cuts)
        if cleaned.text and not given:
            raise ValueError("sentences: expected at least one for an output with text, found none")
        output = strip_marks(cleaned.text)
        try:
            return cleaned, output, _starts(cleaned.text, output, given)
        except SentenceNotFoundError:
            if not cleaned.cut:
                raise
    raise AssertionError("an output that is not cut has no other reading")


def segment_given(
    raw: str,
    sentences: Sequence[str],
    *,
    passages: int | None,
    cap: int | None = DEFAULT_CAP,
) -> Segmentation:
    """Clean `raw`, and divide it as the file does: one statement for each of `sentences`.

    White space and marks are ignored to find a sentence. Text that no sentence covers belongs to
    the sentence before it, or to the first.
    """
    check_limits(passages, cap)
    given = [strip_marks(sentence.replace(END_OF_TURN, "")) for sentence in sentences]
    cleaned, output, starts = _found(raw, given)
    text, raw_start, raw_end, cut = cleaned
    return Segmentation(
        plain=output.text.strip(),
        text=text,
        raw_start=raw_start,
        raw_end=raw_end,
        cut=cut,
        statements=build_statements(
            text,
            output.marks,
            starts,
            passages=passages,
            cap=cap,
            wording=lambda ordinal, _: given[ordinal].text.strip(),
        ),
        signature=segmentation_signature(splitter="given", reading="given", mode="given", cap=cap),
    )
