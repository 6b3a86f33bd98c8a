"""All files of a report in one zip: the whole in each form, each table, each chart."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

from evaluation.models import ReportChart
from evaluation.reports.every_table import tables_of
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.exports.file_names import file_name
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex, table_latex
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.shape.report import Report as Body


def everything(as_json: str, body: Body, charts: Sequence[ReportChart]) -> IO[bytes]:
    """The zip, from its beginning. Its charts are drawn."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever answers with it closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in _files(as_json, body, charts):
            # Without a time of writing: the same report is the same zip.
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
