"""A comparison of two reports as files: the whole in one of several forms, and its tables."""

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType
from typing import Any

from evaluation.models import ReportComparison
from evaluation.reports.comparing.tables import tables_in
from evaluation.reports.exports.csv_tables import file_name, table_csv
from evaluation.reports.exports.latex import table_latex
from evaluation.reports.exports.markdown import table_markdown
from evaluation.reports.tables.table import Table


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """A file that holds the whole comparison."""

    title: str
    ending: str
    content_type: str
    made: Callable[[str, list[Table]], str | bytes]


FORMS: Mapping[str, ComparisonForm] = MappingProxyType(
    {
        "json": ComparisonForm(
            "JSON, every number", "json", "application/json", lambda body, _: body
        ),
        "latex": ComparisonForm(
            "LaTeX, tables with booktabs",
            "tex",
            "application/x-tex",
            lambda _, tables: "\n".join(map(table_latex, tables)),
        ),
        "markdown": ComparisonForm(
            "Markdown",
            "md",
            "text/markdown",
            lambda _, tables: "\n".join(map(table_markdown, tables)),
        ),
        "csv": ComparisonForm(
            "CSV, a file for each table", "zip", "application/zip", lambda _, tables: _zip(tables)
        ),
    }
)


def body_of(comparison: ReportComparison) -> dict[str, Any]:
    """Of one that is done."""
    found: dict[str, Any] = json.loads(comparison.body)
    return found


def tables_of(comparison: ReportComparison) -> list[Table]:
    return tables_in(body_of(comparison))


def _zip(tables: list[Table]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for table in tables:
            # Without a time of writing: the same comparison is the same zip.
            info = zipfile.ZipInfo(f"{file_name(table.key)}.csv")
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            packed.writestr(info, table_csv(table))
    return made.getvalue()
