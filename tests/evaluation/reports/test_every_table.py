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


def test_runs_have_a_table_where_a_system_has_several():
    found = table(sample(), "runs")
    assert texts(found, 0) == {
        "system": "post-hoc",
        "runs": "2",
        "people/attributable": "50.0 ± 2.0",
    }
    assert "runs" not in [table.key for table in tables_of(sample(1))]


def test_agreement_between_people():
    row = texts(table(sample(), "people"), 0)
    assert row["percent"] == "81.0 [79.0, 83.0]"
    assert row["ac1"] == "0.66 [0.60, 0.72]"
    assert row["mean"] == "3.50 ± 0.10"
    assert texts(table(sample(), "people"), 1)["mean"] == "–"


def test_each_pair_of_raters_once():
    found = table(sample(), "pairs-utility")
    assert len(found.rows) == 6
    assert texts(found, 0) == {"one": "rita", "other": "rob", "units": "40", "kappa": "0.35"}
    assert texts(found, 2)["kappa"] == "undefined: constant answers"


def test_agreement_with_judges_is_laid_out_as_in_alces_table():
    row = texts(table(sample(), "agreement"), 0)
    assert row["accuracy"] == "78.3 [72.3, 84.3]"
    assert row["kappa"] == "0.54 [0.44, 0.64]"
    assert row["negative"] == "not attributable answer"
    assert row["recall"] == "82.0 [72.0, 92.0]"


def test_confusion_tables_have_people_downwards():
    found = table(sample(), "confusion-j1-attributable")
    assert found.rows == (("No", 37, 8), ("Yes", 18, 57))
    assert [column.title for column in found.columns] == ["People say", "No", "Yes"]


def test_thresholds_without_one_of_their_own():
    report = sample()
    report["thresholds"][0]["best"] = None
    row = texts(table(report, "thresholds"), 0)
    assert (row["fixed"], row["fixed_kappa"], row["best"]) == ("0.500", "0.58", "–")


def test_correlations_name_what_they_leave_out():
    found = table(sample(), "correlations")
    assert texts(found, 0)["pearson"] == "0.97 [0.95, 0.99]"
    assert any("=closed book" in note for note in found.notes)
    few = texts(table(sample(2), "correlations"), 0)
    assert few["pearson"] == "undefined: fewer than 3 systems"


def test_comparisons_without_shared_questions():
    found = table(sample(), "comparisons-people-attributable")
    assert texts(found, 0)["difference"] == "12.3 [4.3, 20.3]"
    assert texts(found, 0)["bootstrap_p"] == "< 0.001"
    assert texts(found, len(found.rows) - 1)["t"] == "undefined: no shared question"


def test_how_many_more_ratings():
    found = table(sample(), "powered-attributable-j1")
    groups = [column.group for column in found.columns if column.group]
    assert groups == ["More ratings for ± 5 points"] * 2
    row = texts(found, 0)
    assert (row["with-0.05"], row["alone-0.05"]) == ("120", "undefined: more are needed")
    assert "post-hoc: 30 ratings are few." in found.notes


def test_alce_beside_aliice():
    found = table(sample(), "side-by-side")
    assert [c.group for c in found.columns] == ["", "", *["ALCE"] * 2, *["ALiiCE"] * 4, ""]


def test_disagreements_are_in_words():
    row = texts(table(sample(), "disagreements"), 0)
    assert (row["people"], row["votes"], row["judge_value"]) == ("Yes", "3 yes, 1 no", "No")


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
