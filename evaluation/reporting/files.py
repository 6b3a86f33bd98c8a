"""A report as files: the whole in one of several forms, its tables, its charts, and the bundle."""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any

from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase

from annotate.services.errors import Refused
from evaluation.models import Report
from evaluation.reporting.data_state import changes, data_state, is_readable, same_data
from evaluation.reporting.everything import everything
from evaluation.reporting.page import table_of
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.latex import table_latex as latex_of
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.filters import Filters
from evaluation.reports.shape.report import Report as Body
from evaluation.reports.tables.table import Table

Made = Callable[[Report], str]


def _json(report: Report) -> str:
    """As it was built, whichever version built it."""
    return report.body


def _body(report: Report) -> Body:
    _refuse_another_version(report)
    body: Body = json.loads(report.body)
    return body


def _refuse_another_version(report: Report) -> None:
    """Of another version's words nothing can be made."""
    if not is_readable(report):
        raise Refused(
            "Another version of Attest built this report: of it there is the JSON alone. It is "
            "built again when its page is opened; take the file when the new report is there."
        )


def _with_pictures(report: Report) -> Body:
    body = _body(report)
    if report.charts.filter(is_drawn=False).exists():
        raise Refused("The charts are still being drawn. Try again in some seconds.")
    return body


def _html(report: Report) -> str:
    body = _with_pictures(report)
    return report_html(body, dict(report.charts.values_list("key", "svg")))


@dataclass(frozen=True, slots=True)
class ReportForm:
    """A file that holds the whole report."""

    title: str
    ending: str
    content_type: str
    made: Made


FORMS: Mapping[str, ReportForm] = MappingProxyType(
    {
        "html": ReportForm("HTML, one file with its charts", "html", "text/html", _html),
        "json": ReportForm("JSON, every number", "json", "application/json", _json),
        "latex": ReportForm(
            "LaTeX, tables with booktabs",
            "tex",
            "application/x-tex",
            lambda report: report_latex(_body(report)),
        ),
        "markdown": ReportForm(
            "Markdown",
            "md",
            "text/markdown",
            lambda report: report_markdown(_body(report)),
        ),
        "everything": ReportForm(
            "Everything: one zip of all files here, tables and charts",
            "zip",
            "application/zip",
            _json,
        ),
        "bundle": ReportForm(
            "Bundle: the data, to build the report again elsewhere", "zip", "application/zip", _json
        ),
    }
)
PICTURES = {"svg": "image/svg+xml", "png": "image/png", "json": "application/json"}


def download(report: Report, form: str) -> HttpResponseBase:
    """The whole report in one file."""
    if form == "bundle":
        return _bundle(report)
    if form == "everything":
        name = f"{report.study.slug}-report-files.zip"
        return _zip(everything(report, _with_pictures(report)), name)
    found = FORMS[form]
    return _file(
        found.made(report), f"{report.study.slug}-report.{found.ending}", found.content_type
    )


def _bundle(report: Report) -> HttpResponseBase:
    """The data that the report was made of: they must still be the same."""
    from evaluation.reporting.bundle import write_bundle

    _refuse_another_version(report)
    filters = Filters.from_json(report.filters)
    now = data_state(report.study, filters.batch)
    if not same_data(now, report.data):
        raise Refused(
            f"The data have changed since this report was built ({changes(report.data, now)} "
            "changes). Open the report again, and take the bundle when the new one is there."
        )
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it
    write_bundle(report.study, filters, file, report=report.body)
    file.seek(0)
    return _zip(file, f"{report.study.slug}-report-bundle.zip")


def _zip(file: IO[bytes], name: str) -> FileResponse:
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def table(report: Report, key: str) -> HttpResponse:
    """One table as CSV."""
    return _file(table_csv(found_table(report, key)), f"{report.study.slug}-{key}.csv", "text/csv")


def table_latex(report: Report, key: str) -> HttpResponse:
    """One table as LaTeX, to be put into a paper."""
    found = latex_of(found_table(report, key))
    return _file(found, f"{report.study.slug}-{key}.tex", "application/x-tex")


def found_table(report: Report, key: str) -> Table:
    """One table of the report, which is there."""
    found = table_of(_body(report), key)
    if found is None:
        raise Http404("This report has no such table.")
    return found


def chart(report: Report, key: str, form: str) -> HttpResponse:
    """One chart, as the worker drew it."""
    found = report.charts.filter(key=key).first()
    if found is None or form not in PICTURES:
        raise Http404("This report has no such chart.")
    if form != "json" and not found.is_drawn:
        raise Http404("This chart is still being drawn. Try again in some seconds.")
    content: Any = {"svg": found.svg, "png": bytes(found.png), "json": found.spec}[form]
    answer = _file(content, f"{report.study.slug}-{key}.{form}", PICTURES[form])
    if form != "json":
        # On the page they are pictures; a link says that it is for a download.
        answer["Content-Disposition"] = answer["Content-Disposition"].replace(
            "attachment", "inline"
        )
    return answer


def _file(content: str | bytes, name: str, content_type: str) -> HttpResponse:
    charset = "" if content_type.startswith("image/png") else "; charset=utf-8"
    return HttpResponse(
        content,
        content_type=content_type + charset,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
