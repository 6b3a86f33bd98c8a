"""A page or document shows no column without a value; files for programs keep all of them."""

import pytest

from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.tables.shown import without_empty
from evaluation.reports.tables.table import Column, Table, Value

FEW = "fewer than two raters"
NAME = Column("name", "Name")
ALPHA = Column("alpha", "Alpha", "number")
KAPPA = Column("kappa", "Kappa", "number", group="Raters")
GROUP = Column("group", "Group")


@pytest.mark.parametrize(
    ("rows", "columns", "notes"),
    [
        ([("A", Value(0.5), Value(None, FEW), "a")], "name alpha group", True),
        ([("A", Value(0.5), Value(0.1), "a"), ("B", None, Value(None, FEW), "")],
         "name alpha kappa group", False),
        ([("A", Value(0.5), Value(0.0), ""), ("B", Value(0.1), None, "")],
         "name alpha kappa", False),
        ([("", None, None, "")], "name", False),
        ([], "name alpha kappa group", False),
    ],
)  # fmt: skip
def test_columns_without_a_value_are_not_shown(rows, columns, notes):
    table = Table("t", "T", "", (NAME, ALPHA, KAPPA, GROUP), tuple(rows), ("First.",))
    shown = without_empty(table)
    assert [column.key for column in shown.columns] == columns.split()
    note = f"Not shown, since undefined in every row: Raters: Kappa: {FEW}."
    assert shown.notes == (("First.", note) if notes else ("First.",))
    assert without_empty(shown) == shown
    assert len(table_csv(table).splitlines()[0].split(",")) >= len(table.columns)
