"""Reports and comparisons as files: several formats, tables, charts, and the bundle."""

import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any

from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase

from annotate.web.errors import Refused
from evaluation.models import Report, ReportChart, ReportComparison
from evaluation.report_pages.data_state import (
    changes,
    data_state,
    is_readable,
    kept_filters,
    same_data,
)
from evaluation.report_pages.page import table_of
from evaluation.report_pages.readers import ReportReader
from evaluation.reports.comparing.tables import tables_in
from evaluation.reports.exports.csv_tables import file_name, table_csv
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex, table_latex
from evaluation.reports.exports.markdown import report_markdown, table_markdown
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import tables_of
from evaluation.reports.shape.report import Report as Body
from evaluation.reports.tables.shown import without_empty
from evaluation.reports.tables.table import Table

BUNDLE = "bundle"

CSV, LATEX = "text/csv", "application/x-tex"
PICTURES = {"svg": "image/svg+xml", "png": "image/png", "json": "application/json"}
Content = str | bytes | IO[bytes]


def _json(report: Report, reader: ReportReader) -> str:
    """Return the report as JSON; readers who may see all of it also get other versions."""
    return report.body if reader.names else dumps(_body(report, reader))


def _body(report: Report, reader: ReportReader) -> Body:
    _refuse_another_version(report)
    body: Body = json.loads(report.body)
    return reader.visible(body)


def _refuse_another_version(report: Report) -> None:
    """Refuse a report of another version, which can only be read as JSON."""
    if not is_readable(report):
        raise Refused(
            "Another version of Attest built this report: of it there is the JSON alone. It is "
            "built again when its page is opened; take the file when the new report is there."
        )


def _with_pictures(report: Report, reader: ReportReader) -> tuple[Body, list[ReportChart]]:
    body = _body(report, reader)
    charts = list(reader.charts(report.charts.all()))
    if not all(chart.is_drawn for chart in charts):
        raise Refused("The charts are still being drawn. Try again in some seconds.")
    return body, charts


def _html(report: Report, reader: ReportReader) -> str:
    body, charts = _with_pictures(report, reader)
    return report_html(body, {chart.key: chart.svg for chart in charts})


def _everything(report: Report, reader: ReportReader) -> IO[bytes]:
    body, charts = _with_pictures(report, reader)
    return everything(_json(report, reader), body, charts)


def _bundle(report: Report, reader: ReportReader) -> IO[bytes]:
    """Return a bundle of the report's data, which must not have changed."""
    from evaluation.report_pages.bundle import write_bundle

    _refuse_another_version(report)
    filters = kept_filters(report)
    now = data_state(report.study, filters.batch)
    if not same_data(now, report.data):
        raise Refused(
            f"The data have changed since this report was built ({changes(report.data, now)} "
            "changes). Open the report again, and take the bundle when the new one is there."
        )
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it
    write_bundle(report.study, filters, file, report=report.body)
    file.seek(0)
    return file


@dataclass(frozen=True, slots=True)
class FileForm:
    """A format of files with a whole report, or a whole comparison."""

    title: str
    ending: str
    content_type: str
    made: Callable[..., Content]
    """A function of a report and its reader, or of a comparison."""

    name: str = "report"


FORMS: Mapping[str, FileForm] = MappingProxyType(
    {
        "html": FileForm("HTML, one file with its charts", "html", "text/html", _html),
        "json": FileForm("JSON, every number", "json", "application/json", _json),
        "latex": FileForm(
            "LaTeX, tables with booktabs",
            "tex",
            LATEX,
            lambda report, reader: report_latex(_body(report, reader)),
        ),
        "markdown": FileForm(
            "Markdown",
            "md",
            "text/markdown",
            lambda report, reader: report_markdown(_body(report, reader)),
        ),
        "everything": FileForm(
            "Everything: one zip of all files here, tables and charts",
            "zip",
            "application/zip",
            _everything,
            "report-files",
        ),
        BUNDLE: FileForm(
            "Bundle: the data, to build the report again elsewhere",
            "zip",
            "application/zip",
            _bundle,
            "report-bundle",
        ),
    }
)


def forms_for(reader: ReportReader) -> Mapping[str, FileForm]:
    """Return the formats for a reader: the bundle has the answers of each rater."""
    return {key: form for key, form in FORMS.items() if reader.names or key != BUNDLE}


def download(report: Report, form: str, reader: ReportReader) -> HttpResponseBase:
    """Return the whole report in one file."""
    forms = forms_for(reader)
    if form not in forms:
        raise Http404(f"Reports come as {', '.join(forms)}.")
    return _taken(forms[form], report.study.slug, forms[form].made(report, reader))


def table_file(table: Table, slug: str, form: str) -> HttpResponse:
    """Return one table as CSV, or as LaTeX for a paper."""
    if form == "csv":
        return _file(table_csv(table), f"{slug}-{table.key}.csv", CSV)
    return _file(table_latex(without_empty(table)), f"{slug}-{table.key}.tex", LATEX)


def found_table(report: Report, key: str, reader: ReportReader) -> Table:
    """Return one table of the report, or answer 404."""
    found = table_of(_body(report, reader), key)
    if found is None:
        raise Http404("This report has no such table.")
    return found


def chart(report: Report, key: str, form: str, reader: ReportReader) -> HttpResponse:
    """Return one chart as drawn by the worker."""
    found = reader.charts(report.charts.all()).filter(key=key).first()
    if found is None or form not in PICTURES:
        raise Http404("This report has no such chart.")
    if form != "json" and not found.is_drawn:
        raise Http404("This chart is still being drawn. Try again in some seconds.")
    content: Any = {"svg": found.svg, "png": bytes(found.png), "json": found.spec}[form]
    answer = _file(content, f"{report.study.slug}-{key}.{form}", PICTURES[form])
    if form != "json":
        # Pages embed the pictures; links to files have the attribute `download`.
        answer["Content-Disposition"] = answer["Content-Disposition"].replace(
            "attachment", "inline"
        )
    return answer


def _taken(form: FileForm, slug: str, made: Content) -> HttpResponseBase:
    name = f"{slug}-{form.name}.{form.ending}"
    if isinstance(made, str | bytes):
        return _file(made, name, form.content_type)
    return FileResponse(made, as_attachment=True, filename=name, content_type=form.content_type)


def _file(content: str | bytes, name: str, content_type: str) -> HttpResponse:
    charset = "; charset=utf-8" if isinstance(content, str) else ""
    return HttpResponse(
        content,
        content_type=content_type + charset,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


# All files in one zip -----------------------------------------------------------------------------


def everything(as_json: str, body: Body, charts: Sequence[ReportChart]) -> IO[bytes]:
    """Return a zip of all files of a report with drawn charts."""
    return _zip(_files(as_json, body, charts))


def _zip(files: Iterable[tuple[str, str | bytes]]) -> IO[bytes]:
    """Return a zip of files, ready to read from its beginning."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files:
            # Without the time: the same files give the same zip.
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            made.writestr(info, content)
    file.seek(0)
    return file


def _files(
    as_json: str, body: Body, charts: Sequence[ReportChart]
) -> Iterator[tuple[str, str | bytes]]:
    yield "report.json", as_json
    yield "report.html", report_html(body, {chart.key: chart.svg for chart in charts})
    yield "report.tex", report_latex(body)
    yield "report.md", report_markdown(body)
    for table in tables_of(body):
        yield f"tables/{file_name(table.key)}.csv", table_csv(table)
        yield f"tables/{file_name(table.key)}.tex", table_latex(table)
    for chart in charts:
        yield f"charts/{file_name(chart.key)}.svg", chart.svg
        yield f"charts/{file_name(chart.key)}.png", bytes(chart.png)


# Comparisons of two reports -----------------------------------------------------------------------

COMPARISON_FORMS: Mapping[str, FileForm] = MappingProxyType(
    {
        "json": FileForm(
            "JSON, every number", "json", "application/json", lambda row: row.body, "compared"
        ),
        "latex": FileForm(
            "LaTeX, tables with booktabs",
            "tex",
            LATEX,
            lambda row: "\n".join(map(table_latex, compared_tables(row))),
            "compared",
        ),
        "markdown": FileForm(
            "Markdown",
            "md",
            "text/markdown",
            lambda row: "\n".join(map(table_markdown, compared_tables(row))),
            "compared",
        ),
        "csv": FileForm(
            "CSV, a file for each table",
            "zip",
            "application/zip",
            lambda row: _zip(
                (f"{file_name(table.key)}.csv", table_csv(table)) for table in compared_tables(row)
            ).read(),
            "compared",
        ),
    }
)


def compared_tables(row: ReportComparison) -> list[Table]:
    """Return the tables of a finished comparison."""
    return tables_in(json.loads(row.body))


def compared_download(row: ReportComparison, slug: str, form: str) -> HttpResponseBase:
    """Return the whole comparison in one file."""
    if form not in COMPARISON_FORMS:
        raise Http404(f"Comparisons come as {', '.join(COMPARISON_FORMS)}.")
    found = COMPARISON_FORMS[form]
    return _taken(found, slug, found.made(row))
