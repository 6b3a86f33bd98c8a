"""From a raw output to its statements."""

from typing import Literal

from annotate.segment.cleaning import CLEANING_VERSION, clean_output
from annotate.segment.entities import repaired_entities, strict_entities
from annotate.segment.marks import strip_marks
from annotate.segment.readings import repaired_starts, strict_starts
from annotate.segment.splitters import DEFAULT_SPLITTER, find_splitter, splitter_signature
from annotate.segment.statements import Wording, build_statements
from annotate.segment.types import Mode, Reading, Segmentation

STATEMENTS_VERSION = "statements:1"
DEFAULT_CAP = 3


def segmentation_signature(
    *, splitter: str, reading: Reading | Literal["given"], mode: Mode, cap: int | None
) -> str:
    """Every choice that could change the statements of an output."""
    return "|".join(
        [
            STATEMENTS_VERSION,
            CLEANING_VERSION,
            f"splitter:{splitter}",
            f"reading:{reading}",
            f"mode:{mode}",
            f"cap:{'none' if cap is None else cap}",
        ]
    )


def check_limits(passages: int | None, cap: int | None) -> None:
    """Refuse a count of passages below 0 and a cap below 1."""
    if passages is not None and passages < 0:
        raise ValueError(f"passages: expected 0 or more, found {passages}")
    if cap is not None and cap < 1:
        raise ValueError(f"cap: expected 1 or more, or None for no cap, found {cap}")


def segment(
    raw: str,
    *,
    question: str = "",
    mode: Literal["sentences", "list"] = "sentences",
    reading: Reading = "repaired",
    splitter: str = DEFAULT_SPLITTER,
    passages: int | None,
    cap: int | None = DEFAULT_CAP,
) -> Segmentation:
    """Clean `raw` and divide it into statements.

    `passages` is how many passages the response has (None: unknown, so that only numbers below 1
    are out of range). `cap` is how many citations of a statement count (None: all).
    """
    if mode not in ("sentences", "list"):
        raise ValueError(f"mode: expected 'sentences' or 'list', found {mode!r}")
    if reading not in ("repaired", "strict"):
        raise ValueError(f"reading: expected 'repaired' or 'strict', found {reading!r}")
    check_limits(passages, cap)
    split = find_splitter(splitter)
    text, raw_start, raw_end, cut = clean_output(raw)
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
        signature=segmentation_signature(
            splitter="commas" if mode == "list" else splitter_signature(splitter),
            reading=reading,
            mode=mode,
            cap=cap,
        ),
    )
