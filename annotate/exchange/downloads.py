"""Exports as HTTP answers, for the browser and for programs alike."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase

from annotate.exchange import dataset, label_studio, marks_csv, streams, zip_export
from annotate.formats import spreadsheets
from annotate.models import Study
from annotate.protocol.slices import SliceError, by_key

_LINES = "application/jsonl; charset=utf-8"


def _named(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}


def outputs(study: Study, slices: Sequence[str] = ()) -> HttpResponseBase:
    """Every response, or those to questions of some slices; streamed."""
    return StreamingHttpResponse(
        streams.output_lines(study, slices=slices),
        content_type=_LINES,
        headers=_named(f"{study.slug}-outputs.jsonl"),
    )


def questions(study: Study, slices: Sequence[str] = ()) -> HttpResponseBase:
    """Every question that a file has by itself, with its passages; streamed."""
    return StreamingHttpResponse(
        streams.question_lines(study, slices=slices),
        content_type=_LINES,
        headers=_named(f"{study.slug}-questions.jsonl"),
    )


def slices_in(query: QueryDict) -> list[str]:
    """The slices that an address names (`?slice=`), for everything that is taken out of a study.
    One of which there is no question gives an empty file."""
    return slices_of(query.getlist("slice"))


def slices_of(named: Sequence[str]) -> list[str]:
    """Those that are named, where they are slices."""
    slices = [one for one in named if one]
    try:
        by_key(slices)
    except SliceError as error:
        raise BadRequest(str(error)) from None
    return slices


BESIDE = {
    "evidence": marks_csv.evidence_csv,
    "flags": marks_csv.flags_csv,
    "claims": marks_csv.claims_csv,
    "notes": marks_csv.notes_csv,
}


def beside(
    study: Study,
    what: str,
    reader: str = "",
    *,
    counted: bool = False,
    slices: Sequence[str] = (),
) -> HttpResponseBase:
    """Every stretch that a rater marked, every flag, or every claim that somebody wrote, or those
    that are part of ratings that count; streamed."""
    name = f"{study.slug}-{what}{'-counted' if counted else ''}"
    return table(BESIDE[what](study, counted=counted, slices=slices), name, reader)


def inquiries(study: Study, slices: Sequence[str] = ()) -> HttpResponseBase:
    """What raters asked and were answered, streamed."""
    return table(marks_csv.inquiries_csv(study, slices=slices), f"{study.slug}-inquiries")


def table(lines: Iterator[str], name: str, reader: str = "") -> HttpResponseBase:
    """A CSV file, streamed: as it is, or for the reader that the address names (`?for=`)."""
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
    """Every judgment, or those that count, or those of some slices of the
    questions. Text is streamed, Parquet goes to a file first."""
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
    """The whole study in one zip, which goes to a file first: `tables`, a `dataset` or projects of
    `label-studio`."""
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
