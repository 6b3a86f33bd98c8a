"""Coefficient of variation of citation positions: how far a text spreads its marks over sentences.

    CV(p) = σ(p) / μ(p), with the population's standard deviation

`paper` (ALiiCE): a position is the place of a group of marks in its sentence, counted from 1 in
words, punctuation signs and groups, divided by their number. CVCP is the mean of CV over the
sentences of a response that have marks, and of a system the mean over its responses.

`released` (ALiiCE's code): a position is the offset of a mark in its sentence, in characters and
with the marks in place, divided by the length of the sentence. CVCP is the CV of all positions of
all sentences together.
"""

from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from typing import Literal

from annotate.text import Segmentation, Statement

Variant = Literal["paper", "released"]
Positions = tuple[float, ...]


def mark_positions(segmentation: Segmentation, variant: Variant) -> list[Positions]:
    """Return the positions of the marks of each statement with marks, from 0 to 1."""
    if variant not in ("paper", "released"):
        raise ValueError(f"variant: expected 'paper' or 'released', found {variant!r}")
    return [
        _by_word(statement) if variant == "paper" else _by_character(statement, segmentation.text)
        for statement in segmentation.statements
        if statement.groups
    ]


def coefficient(positions: Sequence[float]) -> float | None:
    """Return σ/μ; None if there is no position, or if all are 0."""
    if not positions:
        return None
    mean = fsum(positions) / len(positions)
    if mean == 0:
        return None
    deviation = sqrt(fsum((position - mean) ** 2 for position in positions) / len(positions))
    return deviation / mean


def cvcp(sentences: Iterable[Sequence[float]], variant: Variant) -> float | None:
    """Return CVCP of the sentences of a response, or as `released` of all of a system's.

    None if no sentence has marks.
    """
    if variant == "released":
        return coefficient([position for sentence in sentences for position in sentence])
    found = [cv for sentence in sentences if (cv := coefficient(sentence)) is not None]
    return fsum(found) / len(found) if found else None


def _by_word(statement: Statement) -> Positions:
    length = statement.words + len(statement.groups)
    return tuple((group.place + 1) / length for group in statement.groups)


def _by_character(statement: Statement, text: str) -> Positions:
    sentence = text[statement.start : statement.end]
    start = statement.start + len(sentence) - len(sentence.lstrip())
    length = len(sentence.strip())
    marks = dict.fromkeys(citation.start for citation in statement.citations)
    return tuple((mark - start) / length for mark in marks)
