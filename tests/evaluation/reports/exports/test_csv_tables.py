import csv
import io
from dataclasses import replace

import pytest

from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.sections.every import tables_of
from evaluation.reports.tables.table import Column, Table, Value
from tests.evaluation.reports.sample import sample


def rows(table):
    return list(csv.DictReader(io.StringIO(table_csv(table))))


def test_each_part_of_a_number_has_a_column_of_its_own():
    columns = (Column("system", "System"), Column("ais", "AIS", "share", 1, "se"))
    cells = (("a", Value(0.52843, se=0.01, low=0.5, high=0.55, n=30)), ("b", Value(None, "why")))
    assert rows(Table("t", "", "", columns, cells)) == [
        {
            "system": "a",
            "ais": "0.52843",
            "ais se": "0.01",
            "ais low": "0.5",
            "ais high": "0.55",
            "ais n": "30",
            "ais reason": "",
        },
        {
            "system": "b",
            "ais": "",
            "ais se": "",
            "ais low": "",
            "ais high": "",
            "ais n": "",
            "ais reason": "why",
        },
    ]


def test_counts_and_numbers_without_error_bars_stand_alone():
    columns = (Column("n", "n", "count"), Column("t", "t", "number"))
    assert table_csv(Table("t", "", "", columns, ((12_345, Value(-2.5)),))) == (
        "n,t\r\n12345,-2.5\r\n"
    )


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", " =", '"='])
def test_no_text_is_a_formula(begin):
    columns = (Column("name", "Name"), Column(f"{begin}rater", "More", "number"))
    table = Table("t", "", "", columns, ((f"{begin}1+1", Value(None, f"{begin}why")),))
    header, row = csv.reader(io.StringIO(table_csv(table), newline=""))
    assert header[1] == f"'{begin}rater"
    assert row == [f"'{begin}1+1", "", f"'{begin}why"]


def test_all_tables_of_a_report_are_rectangular():
    for table in tables_of(sample()):
        lines = list(csv.reader(io.StringIO(table_csv(table), newline="")))
        assert {len(line) for line in lines} == {len(lines[0])}, table.key
        assert len(set(lines[0])) == len(lines[0]), table.key
        assert len(lines) == len(table.rows) + 1


def test_what_must_be_known_of_a_judge_goes_with_its_numbers():
    table = Table("t", "", "", (Column("judge", "Judge"),), (("word coverage",),))
    cautious = replace(table, cautions=("Counts words.",))
    assert rows(cautious) == [{"judge": "word coverage", "note": "Counts words."}]
    assert rows(table) == [{"judge": "word coverage"}]


def test_what_stands_beside_a_mean_over_runs_is_its_standard_deviation():
    [runs] = [one for one in tables_of(sample()) if one.key == "runs"]
    header = next(csv.reader(io.StringIO(table_csv(runs), newline="")))
    assert header[2:5] == ["people/attributable", "people/attributable sd", "people/attributable n"]
    row = list(csv.reader(io.StringIO(table_csv(runs), newline="")))[1]
    assert (row[2], row[3]) == ("0.5", "0.02")
