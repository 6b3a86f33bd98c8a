import pytest

from evaluation.reports.tables.table import Column, Table, Value, value_of


def test_a_row_has_a_cell_for_each_column():
    with pytest.raises(ValueError, match="Table odd: 1 cells in a row of 2 columns"):
        Table("odd", "", "", (Column("a", "A"), Column("b", "B")), (("x",),))


def test_the_cell_of_a_number_has_all_that_the_report_says_of_it():
    number = {"value": 0.5, "reason": "", "n": 7, "of": "units", "se": 0.1, "low": 0.3, "high": 0.7}
    cell = value_of(number | {"interval_reason": "", "signature": "s"})
    assert cell == Value(0.5, "", 0.1, 0.3, 0.7, 7, "units", "", "s")


def test_a_missing_number_has_a_reason():
    assert value_of(None, reason="not rated") == Value(None, "not rated")
    assert value_of({"value": None, "reason": "constant"}) == Value(None, "constant")
    assert value_of(0) == Value(0.0)
