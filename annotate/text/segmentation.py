"""Divide a raw output into statements."""

from collections.abc import Sequence
from functools import cache
from typing import Literal

from annotate.text.all_lines import divide_all_lines
from annotate.text.cleaning import CLEANING_VERSION, clean_output
from annotate.text.languages import languages_signature
from annotate.text.marks import strip_marks
from annotate.text.sources import Citable, Sources
from annotate.text.splitters import DEFAULT_SPLITTER, find_splitter, splitter_signature
from annotate.text.statement_starts import (
    repaired_entities,
    repaired_starts,
    strict_entities,
    strict_starts,
)
from annotate.text.statements import Wording, build_statements
from annotate.text.structure import STRUCTURE_VERSION
from annotate.text.types import Division, Lines, Mode, Reading, Segmentation, Span

STATEMENTS_VERSION = "statements:1"
ALL_LINES_VERSION = "lines:all:1"
DEFAULT_CAP = 3
_LINES_SIGNATURES: dict[Lines, list[str]] = {
    "all": [ALL_LINES_VERSION, STRUCTURE_VERSION, languages_signature()],
    "first": [STATEMENTS_VERSION, CLEANING_VERSION],
    "flat": [STATEMENTS_VERSION, "lines:flat"],
}


@cache
def segmentation_signature(
    *,
    splitter: str,
    reading: Reading | Literal["given"],
    mode: Mode,
    cap: int | None,
    lines: Lines = "first",
    language: str = "",
) -> str:
    """Return every choice that could change the statements of an output."""
    return "|".join(
        [
            *_LINES_SIGNATURES[lines],
            *([f"language:{language or 'script'}"] if lines == "all" else []),
            f"splitter:{splitter}",
            f"reading:{reading}",
            f"mode:{mode}",
            f"cap:{'none' if cap is None else cap}",
        ]
    )


def division_signature(division: Division) -> str:
    """Return the part of other signatures that names the division."""
    parts = [division.reading, splitter_signature(division.splitter)]
    if division.lines != "first":
        parts += [*_LINES_SIGNATURES[division.lines][:2], division.language or "script"]
    return "|".join(parts)


def signature_of(division: Division, *, is_list: bool, language: str = "") -> str:
    """Return the signature of outputs with this division, with all citations counted."""
    return segmentation_signature(
        splitter="commas" if is_list else splitter_signature(division.splitter),
        reading=division.reading,
        mode="list" if is_list else "sentences",
        cap=None,
        lines=division.lines,
        language=language or division.language,
    )


def check_limits(passages: int | None, cap: int | None) -> None:
    """Refuse a negative number of passages, and a cap below 1."""
    if passages is not None and passages < 0:
        raise ValueError(f"passages: expected 0 or more, found {passages}")
    if cap is not None and cap < 1:
        raise ValueError(f"cap: expected 1 or more, or None for no cap, found {cap}")


def _check_choices(mode: str, lines: str, reading: str) -> None:
    if mode not in ("sentences", "list"):
        raise ValueError(f"mode: expected 'sentences' or 'list', found {mode!r}")
    if reading not in ("repaired", "strict"):
        raise ValueError(f"reading: expected 'repaired' or 'strict', found {reading!r}")
    if lines not in _LINES_SIGNATURES:
        raise ValueError(f"lines: expected 'all', 'first' or 'flat', found {lines!r}")


def segment(
    raw: str,
    *,
    question: str = "",
    mode: Literal["sentences", "list"] = "sentences",
    lines: Lines = "first",
    reading: Reading = "repaired",
    splitter: str = DEFAULT_SPLITTER,
    language: str = "",
    passages: int | None,
    citable: Sequence[Citable] = (),
    spans: Sequence[Span] = (),
    cap: int | None = DEFAULT_CAP,
    most: int | None = None,
) -> Segmentation:
    """Divide `raw` into statements.

    `passages` is the number of passages of the response; with None, only numbers below 1 are out of
    range. `citable` has their titles and addresses; `spans` are citations given with the output.
    `cap` limits how many citations of a statement count (None: all). If all lines are read, an
    output with more than `most` citations raises `Flood` before they are made.
    """
    _check_choices(mode, lines, reading)
    check_limits(passages, cap)
    find_splitter(splitter)
    signature = segmentation_signature(
        splitter="commas" if mode == "list" else splitter_signature(splitter),
        reading=reading,
        mode=mode,
        cap=cap,
        lines=lines,
        language=language,
    )
    if lines != "all":
        return _as_one_text(raw, question, mode, lines, reading, splitter, passages, cap, signature)
    return divide_all_lines(
        raw,
        Sources(citable, passages),
        question=question,
        mode=mode,
        reading=reading,
        splitter=splitter,
        language=language,
        spans=spans,
        cap=cap,
        most=most,
        signature=signature,
    )


def _as_one_text(
    raw: str,
    question: str,
    mode: Literal["sentences", "list"],
    lines: Lines,
    reading: Reading,
    splitter: str,
    passages: int | None,
    cap: int | None,
    signature: str,
) -> Segmentation:
    """Divide as the papers' released code: the first line, or all lines as one."""
    split = find_splitter(splitter)
    text, raw_start, raw_end, cut = clean_output(raw, cuts=lines == "first")
    stripped = strip_marks(text)
    starts: list[int] = []
    wording: Wording | None = None
    if not text:
        pass
    elif mode == "list" and reading == "repaired":
        starts, wording = repaired_entities(stripped, question)
    elif mode == "list":
        starts, wording = strict_entities(text, stripped.marks, question)
    elif reading == "repaired":
        starts = repaired_starts(stripped, split)
    else:
        starts = strict_starts(text, stripped.marks, split)
    return Segmentation(
        text=text,
        raw_start=raw_start,
        raw_end=raw_end,
        cut=cut,
        statements=build_statements(
            text, stripped.marks, starts, passages=passages, cap=cap, wording=wording
        ),
        signature=signature,
        plain=stripped.text.strip(),
    )
