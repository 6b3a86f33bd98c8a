"""A new column of a report table is one field of its declaration, and every format shows it."""

import csv
import io

import pytest

from evaluation.report_pages.blocks import block
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown, table_text
from evaluation.reports.sections.every import tables_of
from evaluation.reports.tables import judges
from evaluation.reports.tables.table import Field
from tests.evaluation.reports.sample import sample

COVERAGE = Field("coverage", "Coverage", "share", 1, source=lambda row: row["units"] / 1000)


@pytest.fixture
def report(monkeypatch):
    monkeypatch.setattr(judges, "AGREEMENT", (*judges.AGREEMENT, COVERAGE))
    return sample()


def count_agreement(report):
    return next(table for table in tables_of(report) if table.key == "agreement")


@pytest.mark.parametrize(
    ("shown", "title", "value"),
    [
        (lambda report: report_html(report, {}), "Coverage (%)</th>", ">12.0</td>"),
        (report_markdown, "| Coverage (%) |", "| 12.0 |"),
        (report_latex, r"{Coverage (\%)}", "$12.0$"),
        (lambda report: table_text(count_agreement(report)), "Coverage (%)", "12.0"),
    ],
    ids=["html", "markdown", "latex", "plain"],
)
def test_documents_show_an_added_column(report, shown, title, value):
    text = shown(report)
    assert title in text
    assert value in text


def test_csv_and_page_show_an_added_column(report):
    table = count_agreement(report)
    [first, *_] = csv.DictReader(io.StringIO(table_csv(table)))
    assert first["coverage"] == "0.12"
    assert block(table).headings[-1] == ("Coverage (%)", True)
    assert block(table).rows[0].cells[-1][0].text == "12.0"
