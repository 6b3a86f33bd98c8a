"""Tables of judgments: one a row, or one in each of several columns."""

from tests.formats.reading import outcome
from tests.formats.tables.making import RATED, RATING, as_csv, as_workbook


def test_one_in_each_column_of_values(tmp_path):
    for content in (as_csv(RATED), as_workbook(RATED)):
        found = outcome(tmp_path / "j", content, "table-judgments", mapping=RATING)
        assert found.problems == []
        told = [
            (row.question_id, one.unit, one.dimension, one.judge, one.value)
            for row in found.rows
            for one in [row.judgment]
        ]
        assert told == [
            ("q1", "r", "utility", "Cleo", "4"),
            ("q1", "s1", "citation_recall", "Ada", "yes"),
            ("q1", "s1", "citation_recall", "Bo", "no"),
            ("q2", "r", "utility", "Cleo", "5"),
            ("q2", "s1", "citation_recall", "Ada", "yes"),
        ]


def test_places_name_the_column(tmp_path):
    rows = [{**RATED[0], "Bo: citation recall": "maybe"}, {**RATED[1], "utility": 9}]
    found = outcome(tmp_path / "j.csv", as_csv(rows), "table-judgments", mapping=RATING)
    assert len(found.rows) == 3
    assert [str(each.where) for each in found.problems] == [
        "line 2, field Bo: citation recall",
        "line 3, field utility",
    ]
    twice = outcome(tmp_path / "j.csv", as_csv(RATED * 2), "table-judgments", mapping=RATING)
    assert twice.problems[0].found.endswith("the first is at line 2")
