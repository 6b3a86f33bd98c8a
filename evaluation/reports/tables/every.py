"""All tables of a report, in the order in which they are read."""

from evaluation.reports.tables.comparisons import comparisons, powered
from evaluation.reports.tables.correlations import correlations
from evaluation.reports.tables.disagreements import disagreements
from evaluation.reports.tables.judges import judges
from evaluation.reports.tables.people import people
from evaluation.reports.tables.side_by_side import side_by_side
from evaluation.reports.tables.systems import systems
from evaluation.reports.tables.table import Report, Table

FAMILIES = (
    systems,
    people,
    judges,
    correlations,
    comparisons,
    powered,
    side_by_side,
    disagreements,
)


def tables_of(report: Report) -> list[Table]:
    """Every table that the report has anything for."""
    return [table for family in FAMILIES for table in family(report)]
