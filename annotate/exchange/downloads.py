"""Exports as HTTP responses, for the browser and for programs."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase

from annotate.exchange import dataset, label_studio, marks_csv, streams, zip_export
from annotate.formats import spreadsheets
from annotate.models import Study
from annotate.protocol.slices import SliceError, values_by_key

_LINES = "application/jsonl; charset=utf-8"


def _named(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}


def outputs(study: Study, slices: Sequence[str] = ()) -> HttpResponseBase:
    """Stream every response, or those of some slices of the questions."""
    return StreamingHttpResponse(
        streams.output_lines(study, slices=slices),
        content_type=_LINES,
        headers=_named(f"{study.slug}-outputs.jsonl"),
    )


def questions(study: Study, slices: Sequence[str] = ()) -> HttpResponseBase:
    """Stream every question that a file has without answers, with its passages."""
    return StreamingHttpResponse(
        streams.question_lines(study, slices=slices),
        content_type=_LINES,
        headers=_named(f"{study.slug}-questions.jsonl"),
    )


def slices_in(query: QueryDict) -> list[str]:
    """Return the slices in an address (`?slice=`). One without questions gives an empty file."""
    return slices_of(query.getlist("slice"))


def slices_of(named: Sequence[str]) -> list[str]:
    """Return the given slices, or raise BadRequest."""
    slices = [one for one in named if one]
    try:
        values_by_key(slices)
    except SliceError as error:
        raise BadRequest(str(error)) from None
    return slices


RATING_TABLES = {
    "evidence": marks_csv.evidence_csv,
    "flags": marks_csv.flags_csv,
    "claims": marks_csv.claims_csv,
    "notes": marks_csv.notes_csv,
}


def rating_table(
    study: Study,
    what: str,
    reader: str = "",
    *,
    counted: bool = False,
    slices: Sequence[str] = (),
) -> HttpResponseBase:
    """Stream the marked words, flags, claims or notes; with `counted`, only counted ones."""
    name = f"{study.slug}-{what}{'-counted' if counted else ''}"
    return table(RATING_TABLES[what](study, counted=counted, slices=slices), name, reader)


def inquiries(study: Study, slices: Sequence[str] = ()) -> HttpResponseBase:
    """Stream the raters' questions with their answers."""
    return table(marks_csv.inquiries_csv(study, slices=slices), f"{study.slug}-inquiries")


def table(lines: Iterator[str], name: str, reader: str = "") -> HttpResponseBase:
    """Stream a CSV file, optionally in the form for spreadsheets (`?for=`)."""
    if reader == spreadsheets.SPREADSHEET:
        lines, name = spreadsheets.for_spreadsheets(lines), f"{name}-{reader}"
    elif reader:
        raise Http404(f"Tables come as they are, or with ?for={spreadsheets.SPREADSHEET}.")
    return StreamingHttpResponse(
        lines, content_type="text/csv; charset=utf-8", headers=_named(f"{name}.csv")
    )


def judgments(
    study: Study,
    form: str,
    *,
    counted: bool = False,
    reader: str = "",
    slices: Sequence[str] = (),
) -> HttpResponseBase:
    """Export all judgments, or only counted ones, or those of some slices. Text is streamed;
    Parquet is written to a file first."""
    stem = f"{study.slug}-judgments{'-counted' if counted else ''}"
    if form == "csv":
        return table(streams.judgments_csv(study, counted=counted, slices=slices), stem, reader)
    if reader:
        raise Http404("Only csv has a form for spreadsheets.")
    name = f"{stem}.{form}"
    headers = _named(name)
    if form == "jsonl":
        lines = streams.judgments_jsonl(study, counted=counted, slices=slices)
        return StreamingHttpResponse(lines, content_type=_LINES, headers=headers)
    if form == "parquet":
        from annotate.exchange import parquet

        handle = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 (sent, then closed)
        parquet.write_judgments(study, Path(handle.name), counted=counted, slices=slices)
        return FileResponse(handle, as_attachment=True, filename=name)
    raise Http404("Judgments come as csv, jsonl or parquet.")


def archive(
    study: Study,
    what: str,
    *,
    reader: str = "",
    licence: str = "",
    split: str = "",
    slices: Sequence[str] = (),
) -> HttpResponseBase:
    """Export the study as a zip file: `tables`, a `dataset` or `label-studio` projects."""
    if reader not in {"", spreadsheets.SPREADSHEET} or (reader and what != "tables"):
        raise Http404(f"Tables come as they are, or with ?for={spreadsheets.SPREADSHEET}.")
    handle = tempfile.NamedTemporaryFile(suffix=".zip")  # noqa: SIM115 (sent, then closed)
    path = Path(handle.name)
    if what == "tables":
        zip_export.write_tables(study, path, for_spreadsheets=bool(reader), slices=slices)
    elif what == "label-studio":
        label_studio.write_label_studio(study, path, slices=slices)
    else:
        dataset.write_dataset(study, path, licence=licence, split=split, slices=slices)
    return FileResponse(handle, as_attachment=True, filename=f"{study.slug}-{what}.zip")
