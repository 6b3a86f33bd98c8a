"""Worked answers: records with the expected division, as `manage.py divide` prints it."""

from collections.abc import Mapping
from typing import Any

from annotate.text.segmentation import segment
from annotate.text.sources import Citable
from annotate.text.types import Citation, Lines, Segmentation, Span

Record = Mapping[str, Any]


def divide_worked(record: Record, *, lines: Lines = "all", language: str = "") -> Segmentation:
    """Divide a checked record. `language` applies if the record names none."""
    citable = [
        Citable(each["n"], each.get("title") or "", each.get("url") or "")
        for each in record.get("passages") or ()
    ]
    return segment(
        record["output"],
        lines=lines,
        language=record.get("language") or language,
        passages=max((each.n for each in citable), default=0),
        citable=citable,
        spans=_spans(record),
        cap=None,
    )


def _spans(record: Record) -> list[Span]:
    return [
        Span(each["start"], each["end"], tuple(each["passages"]), each.get("quote") or "")
        for each in record.get("citations") or ()
    ]


def as_worked(record: Record, found: Segmentation) -> dict[str, Any]:
    """Return a division in the form of worked answers. Offsets count code points of the raw
    output, in every reading."""
    raw, shift = record["output"], found.raw_start
    spans = _spans(record)
    statements = []
    for statement in found.statements:
        start, end = _trimmed(found.text, statement.start, statement.end)
        entry: dict[str, Any] = {
            "text": statement.text,
            "start": shift + start,
            "end": shift + end,
            "citations": _marks(raw, shift, statement.citations),
        }
        if "citations" in record:
            entry["spans"] = [
                index
                for index, span in enumerate(spans)
                if span.start < entry["end"] and span.end > entry["start"]
            ]
        statements.append(entry)
    return {
        "statements": statements,
        "not_judged": [
            {"kind": part.kind, "start": part.start, "end": part.end} for part in found.not_judged
        ],
    }


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    own = text[start:end]
    return end - len(own.lstrip()) if own.strip() else start, start + len(own.rstrip())


def _marks(raw: str, shift: int, citations: tuple[Citation, ...]) -> list[dict[str, Any]]:
    """Return one entry for each mark, with all its citations."""
    marks: dict[tuple[int, int], dict[str, Any]] = {}
    for citation in citations:
        if citation.span is not None:
            continue
        start, end = shift + citation.start, shift + citation.end
        mark = {"marks": raw[start:end], "start": start, "end": end, "cites": []}
        cited = {"url": citation.url} if citation.url else citation.number
        marks.setdefault((start, end), mark)["cites"].append(cited)
    return list(marks.values())
