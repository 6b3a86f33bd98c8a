"""Rows by a column: numbers by value, words without regard to capitals, undefined ones last."""

from evaluation.reports.tables.table import Column, Table, Value, sorted_by

ROWS = (
    ("b", Value(0.5)), ("A", Value(None, "nothing")), ("c", Value(-1.0)), ("D", None),
)  # fmt: skip
TABLE = Table("t", "T", "", (Column("name", "Name"), Column("x", "X", "number")), ROWS)


def names(column):
    return "".join(str(row[0]) for row in sorted_by(TABLE, column).rows)


def test_by_words_and_by_numbers():
    assert (names(1), names(-1)) == ("AbcD", "DcbA")
    assert (names(2), names(-2)) == ("cbAD", "bcAD")


def test_a_column_that_is_not_there_changes_nothing():
    assert sorted_by(TABLE, 0) is sorted_by(TABLE, 3) is TABLE
