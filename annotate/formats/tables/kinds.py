"""Which kind of table a file is, told from how it begins."""

import csv
import io
import re
from typing import Any, Literal

from annotate.formats.json_values import json_beginning
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.open_file import HEAD_BYTES, not_text

Kind = Literal["parquet", "arrow", "zip", "json", "jsonl", "csv"]

SIGNATURES: tuple[tuple[bytes, Kind], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
    (b"PK\x03\x04", "zip"),
)
"""Of files that are no text. Arrow is written as a file or as a stream; Excel's are zips."""

UNDER = "data"
"""Under what an object may have the list of rows, where it has nothing else."""

SEPARATORS = (",", "\t", ";")

_SPACE = " \t\r\n"
_QREL = re.compile(r"\S+[ \t]+Q?0[ \t]+\S+[ \t]+-?\d+[ \t]*")
_OF_BEIR = ["query-id", "corpus-id", "score"]


def table_kind(head: bytes) -> Kind | None:
    """The kind of table that begins with these bytes; None where they begin none."""
    for signature, kind in SIGNATURES:
        if head.startswith(signature):
            return kind
    if not head or not_text(head):
        return None
    text = head[:HEAD_BYTES].decode("utf-8-sig", errors="ignore").lstrip(_SPACE)
    if text[:1] == "[":
        return "json" if _are_rows(json_beginning(text)) else None
    if text[:1] == "{":
        members = json_beginning(text)
        if list(members) == [UNDER] and _are_rows(members[UNDER]):
            return "json"
        return "jsonl" if len(members) > 1 else None
    return "csv" if _is_header(text) else None


def _are_rows(found: Any) -> bool:
    """Whether this is a list of objects, each of which has several columns."""
    first = found[0] if isinstance(found, list) and found else None
    return isinstance(first, dict) and len(first) > 1


def is_table(head: bytes) -> bool:
    """Whether a file that begins so is taken for a table. Passages by id are the second file of
    another, and qrels belong elsewhere."""
    kind = table_kind(head)
    if kind == "csv" and is_qrels(head[:HEAD_BYTES].decode("utf-8-sig", errors="ignore")):
        return False
    if kind != "jsonl":
        return kind is not None
    found = json_beginning(head[:HEAD_BYTES].decode("utf-8-sig", errors="ignore"))
    return not found.keys() >= {"id", "contents"}


def is_qrels(text: str) -> bool:
    """Whether a text begins as relevance judgments do: TREC's lines, or the header of BEIR's."""
    lines = text.lstrip(_SPACE).splitlines()
    return bool(lines) and (bool(_QREL.fullmatch(lines[0])) or lines[0].split() == _OF_BEIR)


def separator(text: str) -> str:
    """What separates the columns of a CSV file that begins so: what makes most of its header."""
    return max(SEPARATORS, key=lambda sign: len(_header(text, sign)))


def _header(text: str, sign: str) -> list[str]:
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sign)
        return next(rows, [])
    except csv.Error:
        return []


def _is_header(text: str) -> bool:
    """Whether a text begins with the names of at least two columns, and goes on after them."""
    if text[:1] == "<" or "\n" not in text.rstrip(_SPACE):
        return False
    names = [name.strip() for name in _header(text, separator(text))]
    named = [name for name in names if name]
    return (
        len(named) > 1
        and len(names) - len(named) <= 1  # pandas leaves the name of its index out
        and all(len(name) <= LONG_NAME_CHARS for name in named)
    )
