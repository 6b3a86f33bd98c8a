"""Every table, of a report made up by hand and of one built from a drawn study."""

from itertools import pairwise

import pytest

from evaluation.reports.build import build
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import table_latex
from evaluation.reports.exports.markdown import table_markdown
from evaluation.reports.exports.parts import parts_of
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import tables_of
from evaluation.reports.tables.shown import shown
from evaluation.reports.tables.table import Value
from tests.evaluation.reports.sample import JUDGE, empty, sample
from tests.evaluation.reports.sample_of_systems import number
from tests.evaluation.reports.studies import made_study


@pytest.fixture(scope="module")
def built():
    return build(made_study(), Filters(resamples=50))


def table(report, key):
    return next(table for table in tables_of(report) if table.key == key)


def texts(found, row):
    """The row as read, by the key of its column."""
    cells = zip(found.columns, found.rows[row], strict=True)
    return {column.key: shown(column, cell).plain for column, cell in cells}


def test_the_systems_table_has_people_and_judges_side_by_side():
    found = table(sample(), "systems")
    assert [(column.group, column.title) for column in found.columns] == [
        ("", "System"),
        ("", "Uses AutoAIS"),
        ("", "Responses"),
        ("People", "Utility"),
        ("People", "Attributable"),
        ("People, with a judge", "Attributable"),
        ("People, with a judge", "Attributable: worth as many ratings"),
        ("AutoAIS (made up)", "AutoAIS"),
        ("ALiiCE (made up)", "CVCP"),
        ("Correctness", "Exact match"),
        ("", "Fine-grained citations"),
    ]
    assert texts(found, 1) == {
        "system": "post-hoc",
        "uses_autoais": "no",
        "responses": "30",
        "people/utility": "3.84 ± 0.12",
        "people/attributable": "83.9 ± 4.5",
        "powered/attributable": "52.0 [40.0, 64.0]",
        "effective/attributable": "68",
        "j1/attributable": "84.9 ± 5.0",
        "j3/cvcp_mean": "0.42 ± 0.02",
        "j4/exact_match": "77.4 ± 3.0",
        "fine_grained": "25.0 ± 1.0",
    }
    assert texts(found, 2)["j1/attributable"] == "undefined: the system uses AutoAIS"
    assert f"AutoAIS (made up): {JUDGE}" in found.notes
    [said] = [note for note in found.notes if note.startswith("People, with a judge: ")]
    assert "nobody rated by AutoAIS (made up) (prediction-powered" in said


def test_where_people_rated_everything_nothing_is_corrected():
    report = sample()
    report["powered"] = []
    found = table(report, "systems")
    assert not [column for column in found.columns if column.group == "People, with a judge"]
    assert not [note for note in found.notes if note.startswith("People, with a judge")]


def test_a_number_that_no_system_has_is_a_note_and_no_column():
    report = sample()
    report["systems"]["automatic"] += [
        {"judge": "j4", "key": "em_hit", "title": "EM hit"},
        {"judge": "j4", "key": "em_recall", "title": "EM recall"},
    ]
    for row in report["systems"]["rows"]:
        row["automatic"]["j4/em_hit"] = number(None, reason="no reference: qa_pairs")
    found = table(report, "systems")
    assert "j4/em_hit" not in [column.key for column in found.columns]
    assert "Correctness: no system has EM hit, EM recall." in found.notes


def test_a_column_about_autoais_only_where_a_system_uses_it():
    assert "uses_autoais" not in [c.key for c in table(sample(2), "systems").columns]


def test_a_system_is_called_by_its_display_name_everywhere():
    report = sample()
    report["systems"]["rows"][1]["title"] = "Ours"
    tables = tables_of(report)
    cells = {cell for table in tables for row in table.rows for cell in row}
    assert "Ours" in cells
    assert "post-hoc" not in cells
    assert "Ours is the system “post-hoc”." in table(report, "systems").notes


def test_a_number_that_a_system_does_not_have_says_so():
    report = sample()
    del report["systems"]["rows"][0]["people"]["attributable"]
    assert texts(table(report, "systems"), 0)["people/attributable"] == "undefined: not rated"


@pytest.mark.parametrize(
    ("key", "row", "cells"),
    [
        ("runs", 0, {"system": "post-hoc", "runs": "2", "people/attributable": "50.0 ± 2.0"}),
        (
            "people",
            0,
            {"percent": "81.0 [79.0, 83.0]", "ac1": "0.66 [0.60, 0.72]", "mean": "3.50 ± 0.10"},
        ),
        ("people", 1, {"mean": "–"}),
        ("pairs-utility", 0, {"one": "rita", "other": "rob", "units": "40", "kappa": "0.35"}),
        ("pairs-utility", 2, {"kappa": "undefined: constant answers"}),
        (
            "agreement",
            0,
            {
                "accuracy": "78.3 [72.3, 84.3]",
                "kappa": "0.54 [0.44, 0.64]",
                "negative": "not attributable answer",
                "recall": "82.0 [72.0, 92.0]",
            },
        ),
        ("confusion-j1-attributable", 0, {"people": "No", "no": "37", "yes": "8"}),
        ("confusion-j1-attributable", 1, {"people": "Yes", "no": "18", "yes": "57"}),
        ("thresholds", 0, {"fixed": "0.500", "fixed_kappa": "0.58"}),
        ("correlations", 0, {"pearson": "0.97 [0.95, 0.99]"}),
        (
            "comparisons-people-attributable",
            0,
            {"difference": "12.3 [4.3, 20.3]", "bootstrap_p": "< 0.001"},
        ),
        ("comparisons-people-attributable", -1, {"t": "undefined: no shared question"}),
        (
            "powered-attributable-j1",
            0,
            {"with-0.05": "120", "alone-0.05": "undefined: more are needed"},
        ),
        ("disagreements", 0, {"people": "Yes", "votes": "3 yes, 1 no", "judge_value": "No"}),
    ],
)
def test_cells_of_a_row(key, row, cells):
    found = texts(table(sample(), key), row)
    assert {name: found[name] for name in cells} == cells


def test_notes_and_groups_of_columns():
    report = sample()
    report["thresholds"][0]["best"] = None
    assert texts(table(report, "thresholds"), 0)["best"] == "–"
    assert any("=closed book" in note for note in table(report, "correlations").notes)
    few = texts(table(sample(2), "correlations"), 0)
    assert few["pearson"] == "undefined: fewer than 3 systems"
    powered = table(report, "powered-attributable-j1")
    groups = [column.group for column in powered.columns if column.group]
    assert groups == ["More ratings for ± 5 points"] * 2
    assert "post-hoc: 30 ratings are few." in powered.notes
    groups = [column.group for column in table(report, "side-by-side").columns]
    assert groups == ["", "", *["ALCE"] * 2, *["ALiiCE"] * 4, ""]
    assert "runs" not in [table.key for table in tables_of(sample(1))]


def test_nothing_judged_has_no_tables():
    assert tables_of(empty()) == []


def test_keys_are_unique_and_details_stand_after_a_table_to_read(built):
    for report in (sample(), built):
        keys = [table.key for table in tables_of(report)]
        assert len(set(keys)) == len(keys) > 10
        assert not tables_of(report)[0].detail


def test_a_built_report_has_a_reason_for_all_that_is_undefined(built):
    cells = [
        cell
        for found in tables_of(built)
        for row in found.rows
        for cell in row
        if isinstance(cell, Value)
    ]
    assert any(cell.value is None for cell in cells)
    assert not [cell for cell in cells if cell.value is None and cell.reason in ("", "undefined")]


def test_tables_say_what_the_report_says(built):
    found = table(built, "systems")
    names = [row["system"] for row in built["systems"]["rows"]]
    assert [row[0] for row in found.rows] == names
    place = [column.key for column in found.columns].index("people/attributable")
    for row, known in zip(found.rows, built["systems"]["rows"], strict=True):
        assert row[place].value == known["people"]["attributable"]["value"]
        assert row[place].se == known["people"]["attributable"]["se"]


def test_columns_of_a_group_stand_together(built):
    for found in tables_of(built):
        groups = [column.group for column in found.columns if column.group]
        changes = sum(one != other for one, other in pairwise(groups))
        assert changes == max(0, len(set(groups)) - 1), found.key


def test_units_without_a_score_are_spoken_of_beside_thresholds():
    """Where nothing is cited, a judge says no without a score: its kappas are of fewer units."""
    report = sample()
    row = report["thresholds"][0]
    compared = next(
        each for each in report["agreement"]
        if (each["item"], each["judge"]) == (row["item"], row["judge"])
    )  # fmt: skip
    row["units"], row["questions"] = compared["units"], 50
    assert len(table(report, "thresholds").notes) == 2
    row["units"] -= 1
    assert table(report, "thresholds").notes[2].startswith("Only units with a score are counted")


def test_wherever_a_judge_that_counts_words_stands_it_is_said(built):
    """In every export, with each of its tables; and with none of the others."""
    found = {one.key.partition("-")[0]: one for one in tables_of(built)}
    for key in ("systems", "agreement", "confusion", "thresholds", "calibration", "correlations"):
        [caution] = found[key].cautions
        assert "cannot see contradiction" in caution
        assert caution in table_markdown(found[key])
        assert "cannot see contradiction" in table_latex(found[key])
        assert caution in table_csv(found[key]).splitlines()[1]
    assert not found["people"].cautions
    parts = parts_of(built)
    cautioned = sum(bool(part.table.cautions) for part in (*parts.body, *parts.appendix))
    assert report_html(built).count(caution) >= cautioned > 8
    assert any("AutoAIS" in t.title and not t.cautions for t in tables_of(sample()))


def test_pairs_of_systems_begin_with_those_that_follow_each_other():
    report = sample()
    [found] = [one for one in report["comparisons"] if one["column"]["key"] == "attributable"][:1]
    values = {("low", "high"): -0.9, ("low", "middle"): -0.4, ("high", "middle"): 0.5,
              ("low", "apart"): None}  # fmt: skip
    found["pairs"] = [
        {**found["pairs"][0], "one": one, "other": other,
         "difference": {**found["pairs"][0]["difference"], "value": value}}
        for (one, other), value in values.items()
    ]  # fmt: skip
    rows = [row[:2] for row in table(report, "comparisons-people-attributable").rows]
    assert rows == [("high", "middle"), ("low", "middle"), ("low", "high"), ("low", "apart")]
