"""All tables of a report, in the order in which they are read."""

from evaluation.reports.sections.every import sections
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.table import Table


def tables_of(report: Report) -> list[Table]:
    """Every table that the report has anything for."""
    return [table for section in sections() for table in section.tables_of(report)]
