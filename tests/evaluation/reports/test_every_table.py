"""Every table, of a report made up by hand and of one built from a drawn study."""

import pytest

from evaluation.reports.build import build
from evaluation.reports.exports.markdown import table_text
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import tables_of
from evaluation.reports.tables.names import judge_title
from evaluation.reports.tables.powered import REFUSED, helping
from evaluation.reports.tables.shown import shown, without_empty
from evaluation.reports.tables.table import Value
from tests.evaluation.reports.sample import JUDGE, sample
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
        ("", "Rated"),
        ("People", "Utility"),
        ("People", "Attributable"),
        ("People", "Rank"),
        ("People, with AutoAIS (made up)", "Attributable"),
        ("People, with AutoAIS (made up)", "Attributable: worth as many ratings"),
        ("AutoAIS (made up)", "AutoAIS"),
        ("ALiiCE (made up)", "CVCP"),
        ("Correctness", "Exact match"),
        ("", "Fine-grained citations"),
    ]
    assert texts(found, 1) == {
        "system": "post-hoc",
        "uses_autoais": "no",
        "responses": "30",
        "rated": "30",
        "people/utility": "3.84 [3.60, 4.08]",
        "people/attributable": "83.9 [74.9, 92.9]",
        "people/attributable_rank": "1–4 a",
        "powered/attributable": "52.0 [40.0, 64.0]",
        "effective/attributable": "68",
        "j1/attributable": "84.9 [74.9, 94.9]",
        "j3/cvcp_mean": "0.42 [0.38, 0.46]",
        "j4/exact_match": "77.4 [71.4, 83.4]",
        "fine_grained": "25.0 [23.0, 27.0]",
    }
    assert texts(found, 2)["j1/attributable"] == "undefined: the system uses AutoAIS"
    assert f"AutoAIS (made up): {JUDGE}" in found.notes
    [unequal] = [note for note in found.notes if note.startswith("Ratings per unit differ")]
    assert "“Attributable” from 2.0 (post-hoc) to 3.0 (" in unequal
    assert texts(table(sample(), "ratings"), 1) == {
        "item": "Utility", "system": "post-hoc", "responses": "30", "units": "30",
        "ratings": "60", "each": "2.0", "by_label": "–",
    }  # fmt: skip
    [said] = [note for note in found.notes if note.startswith("People, with a judge: ")]
    assert "helped by the judge where nobody rated (prediction-powered" in said


def test_text_names_the_group_above_its_columns():
    _, groups, titles, *_ = table_text(table(sample(), "systems")).splitlines()
    place = titles.index("AutoAIS (%)")
    assert groups.index("AutoAIS (made up)") < place < groups.index("ALiiCE (made up)")


def test_gwets_coefficient_is_named_by_scale():
    report = sample()
    report["people"][0]["ac1"] = report["people"][0]["ac1"] | {"signature": "ac2|interval:z"}
    rows = {n: texts(table(report, "coefficients"), n) for n in (0, 1)}
    assert [(one["ac1"], one["ac2"]) for one in rows.values()] == [
        ("–", "0.66 [0.60, 0.72]"),
        ("0.66 [0.60, 0.72]", "–"),
    ]


def test_notes_and_groups_of_columns():
    report = sample()
    report["thresholds"][0]["best"] = None
    assert texts(table(report, "thresholds"), 0)["best"] == "–"
    assert any("=closed book" in note for note in table(report, "correlations").notes)
    few = texts(table(sample(2), "correlations"), 0)
    assert few["pearson"] == "undefined: fewer than 3 systems"
    powered = without_empty(table(report, "powered-attributable-j1"))
    groups = [column.group for column in powered.columns if column.group]
    assert groups == ["More ratings for ± 5 points"]  # by people alone there are none
    assert texts(powered, 0)["with_judge-0.05"] == "120 [80, 160]"
    assert texts(powered, 0)["corrected"] == "53.0 [39.0, 67.0]"
    assert "post-hoc: 30 ratings are few." in powered.notes
    groups = [column.group for column in table(report, "side-by-side").columns]
    assert groups == ["", "", *["ALCE"] * 2, *["ALiiCE"] * 4, ""]
    assert "runs" not in [table.key for table in tables_of(sample(1))]


def test_the_judge_that_helps_is_the_leading_one_if_it_has_weight_otherwise_the_heaviest():
    for leading, weights, helps in (
        ("j1", (0.2, 0.9), "j1"),
        ("j1", (0.0, 0.3), "j2"),
        ("j3", (0.2, 0.9), "j2"),
        ("j3", (0.9, 0.9), "j1"),
        ("j1", (0.0, 0.0), None),
    ):
        report = sample()
        report["leading"] = {"judge": leading, "item": "attributable"}
        [entry] = report["powered"]
        report["powered"] = [
            entry | {"judge": judge, "rows": [row | {"weight": weight} for row in entry["rows"]]}
            for judge, weight in zip(("j1", "j2"), weights, strict=True)
        ]
        found = helping(report, "attributable")
        assert found is not None
        assert found["judge"] == (helps or "j1")
        groups = {column.group for column in table(report, "systems").columns}
        expected = {f"People, with {judge_title(report, helps)}"} if helps else set()
        assert {group for group in groups if group.startswith("People, with")} == expected


def test_a_rated_part_that_differs_from_the_rest_is_said_beside_peoples_number():
    report = sample()
    [entry] = report["powered"]
    entry["differs"] = "People rated responses that differ from the rest: …"
    for row in entry["rows"]:
        row["powered"] = number(None, reason="they differ")
    found = table(report, "systems")
    assert not [column.group for column in found.columns if "with" in column.group]
    assert f"Attributable: {entry['differs']}" in found.notes
    notes = table(report, "powered-attributable-j1").notes
    assert f"{entry['differs']} {REFUSED}" in notes


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
