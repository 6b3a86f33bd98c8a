"""Exports as HTTP answers, for the browser and for programs alike."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.http import FileResponse, Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase

from annotate.export import desk, streams
from annotate.models import Study

_LINES = "application/jsonl; charset=utf-8"


def _named(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}


def outputs(study: Study) -> HttpResponseBase:
    """Every response, streamed."""
    return StreamingHttpResponse(
        streams.output_lines(study),
        content_type=_LINES,
        headers=_named(f"{study.slug}-outputs.jsonl"),
    )


def evidence(study: Study) -> HttpResponseBase:
    """Every stretch that a rater marked, streamed."""
    return _csv(desk.evidence_csv(study), f"{study.slug}-evidence.csv")


def flags(study: Study) -> HttpResponseBase:
    """Every flag, streamed."""
    return _csv(desk.flags_csv(study), f"{study.slug}-flags.csv")


def claims(study: Study) -> HttpResponseBase:
    """Every claim that somebody wrote, streamed."""
    return _csv(desk.claims_csv(study), f"{study.slug}-claims.csv")


def inquiries(study: Study) -> HttpResponseBase:
    """What raters asked and were answered, streamed."""
    return _csv(desk.inquiries_csv(study), f"{study.slug}-inquiries.csv")


def _csv(lines: Iterator[str], filename: str) -> HttpResponseBase:
    return StreamingHttpResponse(
        lines, content_type="text/csv; charset=utf-8", headers=_named(filename)
    )


def judgments(study: Study, form: str, *, counted: bool = False) -> HttpResponseBase:
    """Every judgment, or those that count. Text is streamed, Parquet goes to a file first."""
    name = f"{study.slug}-judgments{'-counted' if counted else ''}.{form}"
    headers = _named(name)
    if form == "csv":
        lines = streams.judgments_csv(study, counted=counted)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)
    if form == "jsonl":
        lines = streams.judgments_jsonl(study, counted=counted)
        return StreamingHttpResponse(lines, content_type=_LINES, headers=headers)
    if form == "parquet":
        handle = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 (sent, then closed)
        streams.write_parquet(study, Path(handle.name), counted=counted)
        return FileResponse(handle, as_attachment=True, filename=name)
    raise Http404("Judgments come as csv, jsonl or parquet.")
