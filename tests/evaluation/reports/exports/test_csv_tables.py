import csv
import io

from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.tables.table import Column, Table, Value


def rows(table):
    return list(csv.DictReader(io.StringIO(table_csv(table))))


def test_each_part_of_a_number_has_a_column_of_its_own():
    columns = (Column("system", "System"), Column("ais", "AIS", "share", 1, "interval"))
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


def test_no_text_is_a_formula(subtests):
    for begin in ["=", "+", "-", "@", "\t", "\r", "\n", "＝", " =", '"=']:
        with subtests.test(begin=begin):
            columns = (Column("name", "Name"), Column(f"{begin}rater", "More", "number"))
            table = Table("t", "", "", columns, ((f"{begin}1+1", Value(None, f"{begin}why")),))
            header, row = csv.reader(io.StringIO(table_csv(table), newline=""))
            assert header[1] == f"'{begin}rater"
            assert row == [f"'{begin}1+1", "", f"'{begin}why"]
