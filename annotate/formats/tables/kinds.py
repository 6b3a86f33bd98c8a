"""Recognise the kind of a table by its beginning."""

import csv
import io
import re
from typing import Any, Literal

from annotate.formats.json_values import json_beginning
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.open_file import HEAD_BYTES, binary_kind

Kind = Literal["parquet", "arrow", "zip", "json", "jsonl", "csv"]

SIGNATURES: tuple[tuple[bytes, Kind], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
    (b"PK\x03\x04", "zip"),
)
"""Signatures of binary files. Arrow is a file or a stream; Excel's files are zips."""

UNDER = "data"
"""Key that may hold the list of rows, if the object has no other key."""

SEPARATORS = (",", "\t", ";")

_SPACE = " \t\r\n"
_QREL = re.compile(r"\S+[ \t]+Q?0[ \t]+\S+[ \t]+-?\d+[ \t]*")
_OF_BEIR = ["query-id", "corpus-id", "score"]


def table_kind(head: bytes) -> Kind | None:
    """Return the kind of table that begins with these bytes; None for other files."""
    for signature, kind in SIGNATURES:
        if head.startswith(signature):
            return kind
    if not head or binary_kind(head):
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
    """Return whether this is a list of objects with several columns each."""
    first = found[0] if isinstance(found, list) and found else None
    return isinstance(first, dict) and len(first) > 1


def is_table(head: bytes) -> bool:
    """Return whether a file with this beginning is treated as a table. Passages by id belong
    to another file, and qrels to another tool."""
    kind = table_kind(head)
    if kind == "csv" and is_qrels(head[:HEAD_BYTES].decode("utf-8-sig", errors="ignore")):
        return False
    if kind != "jsonl":
        return kind is not None
    found = json_beginning(head[:HEAD_BYTES].decode("utf-8-sig", errors="ignore"))
    return not found.keys() >= {"id", "contents"}


def is_qrels(text: str) -> bool:
    """Return whether a text begins as TREC's qrels or with the header of BEIR's."""
    lines = text.lstrip(_SPACE).splitlines()
    return bool(lines) and (bool(_QREL.fullmatch(lines[0])) or lines[0].split() == _OF_BEIR)


def separator(text: str) -> str:
    """Return the separator that gives a CSV header the most columns."""
    return max(SEPARATORS, key=lambda sign: len(_header(text, sign)))


def _header(text: str, sign: str) -> list[str]:
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sign)
        return next(rows, [])
    except csv.Error:
        return []


def _is_header(text: str) -> bool:
    """Return whether a text begins with at least two column names and continues."""
    if text[:1] == "<" or "\n" not in text.rstrip(_SPACE):
        return False
    names = [name.strip() for name in _header(text, separator(text))]
    named = [name for name in names if name]
    return (
        len(named) > 1
        and len(names) - len(named) <= 1  # pandas leaves the name of its index column empty
        and all(len(name) <= LONG_NAME_CHARS for name in named)
    )
