"""Documents: a short body, all other tables in the appendix, and nobody's name."""

import re

import pytest

from evaluation.reports.exports.csv_tables import file_name
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.images import pictures
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.exports.parts import MOST, parts_of
from evaluation.reports.sections.every import tables_of
from evaluation.reports.tables.table import Value
from tests.evaluation.reports.crowd import JUDGES, RATERS, crowd_report
from tests.evaluation.reports.sample import RATERS as FEW
from tests.evaluation.reports.sample import sample


@pytest.fixture(scope="module")
def report():
    return crowd_report()


def test_it_is_a_crowd(report):
    assert len(report["systems"]["rows"]) == 16
    assert {judge["name"] for judge in report["judges"]} == set(JUDGES)
    assert report["counts"]["raters"] == len(RATERS) == 60


def test_the_body_is_short_and_no_table_is_lost(report):
    for one in (report, sample()):
        parts = parts_of(one)
        assert 3 < len(parts.body) <= MOST
        keys = [key for part in (*parts.body, *parts.appendix) for key in part.keys]
        every = [table.key for table in tables_of(one)]
        # The list of pairs says what the matrix says, and stands in files alone.
        assert sorted(keys) == sorted(key for key in every if not key.startswith("pairs-"))
    latex = report_latex(report)
    body, _ = latex.split(r"\appendix")
    assert floats(body) <= MOST
    assert body.index(r"\section*{Method}") > 0


def floats(latex):
    return len(re.findall(r"\\begin\{(?:sideways)?table\}", latex))


def test_a_document_of_a_crowd_can_be_read(report):
    parts = parts_of(report)
    assert len(parts.body) == 8
    matrices = [part for part in parts.appendix if part.table.shaded]
    assert len(matrices) == len(report["people"])
    assert len(parts.appendix) - len(matrices) <= 16
    assert floats(report_latex(report)) <= 40
    assert len(report_html(report, pictures(report)).encode()) < 1_400_000
    assert len(report_markdown(report).splitlines()) < 1_700


def test_what_is_cut_says_where_it_is_whole(report):
    files = {f"tables/{file_name(table.key)}.csv": table for table in tables_of(report)}
    cut = {
        part.keys: part.table.notes[0]
        for part in parts_of(report).appendix
        if part.table.notes and part.table.notes[0].startswith("The first rows")
    }
    assert {keys[0].split("-")[0] for keys in cut} == {"comparisons", "disagreements"}
    for keys, said in cut.items():
        begins = said.rpartition("tables/")[2].partition("…")[0].removesuffix(".csv.")
        named = [table for name, table in files.items() if name.startswith(f"tables/{begins}")]
        assert {table.key for table in named} >= set(keys)


def test_pictures_that_name_raters_stand_in_no_document():
    drawn = {"kappas-utility": '<svg width="9"><title>Pairs</title><text>rita</text></svg>'}
    assert "rita" not in report_html(sample(), drawn)
    report = sample()
    report["study"]["anonymous"] = True
    assert "rita" in report_html(report, drawn)


def test_no_kind_of_table_takes_all_of_the_body(report):
    parts = parts_of(report)
    body = [part.table.key for part in parts.body]
    assert {"systems", "slices", "people", "agreement", "judge-ranks"} <= set(body)


@pytest.mark.parametrize("made", [report_latex, report_markdown, lambda r: report_html(r, {})])
def test_raters_have_numbers_in_documents(report, made):
    for one, names in ((sample(), FEW), (report, RATERS)):
        document = made(one)
        assert not [name for name in names if f"{name}<" in document or f" {name} " in document]
        assert "rater 1" in document


def test_pairs_that_share_nothing_are_counted_and_not_listed(report):
    [pairs] = [table for table in tables_of(report) if table.key == "pairs-utility"]
    listed, left_out = len(pairs.rows), 60 * 59 // 2 - len(pairs.rows)
    assert 0 < listed < 1770
    shared = [row[2] for row in pairs.rows if isinstance(row[2], int)]
    assert shared == sorted(shared, reverse=True)
    assert shared[-1] == 1
    assert f"Left out: {left_out:,} pairs without a common unit." in pairs.notes


def value_in(cell):
    return cell.value if isinstance(cell, Value) else cell


def test_each_pair_stands_once_in_the_matrix(report):
    tables = {table.key: table for table in tables_of(report)}
    matrix, pairs = tables["matrix-utility"], tables["pairs-utility"]
    assert len(matrix.rows) == len(matrix.columns) - 1 == 59
    listed = {(one, other): value_in(kappa) for one, other, _, kappa in pairs.rows}
    found = {}
    for row in matrix.rows:
        for column, cell in zip(matrix.columns[1:], row[1:], strict=True):
            if cell != "":
                found[column.title, row[0]] = value_in(cell)
    assert found == listed
    # Whoever reads the document alone finds each rater under a number, in a row and in a column.
    [part] = [p for p in parts_of(report).appendix if p.keys == ("matrix-utility",)]
    assert part.table.columns[1].title == "rater 1"
    assert part.table.rows[-1][0] == "rater 60"
