"""Documents: a short body, all other tables in the appendix, and nobody's name."""

import pytest

from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.exports.parts import MOST, parts_of
from evaluation.reports.tables.every import tables_of
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
        keys = [table.key for table in (*parts.body, *parts.appendix)]
        assert sorted(keys) == sorted(table.key for table in tables_of(one))
    latex = report_latex(report)
    body, _ = latex.split(r"\appendix")
    assert body.count(r"\begin{table}") <= MOST
    assert body.index(r"\section*{Method}") > 0


def test_no_kind_of_table_takes_all_of_the_body(report):
    parts = parts_of(report)
    body = [table.key for table in parts.body]
    assert {"systems", "people", "agreement", "judge-ranks"} <= set(body)
    assert body[1].startswith("slices-people")
    assert any(table.key.startswith("slices") for table in parts.appendix)


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
    assert 0 not in [row[2] for row in pairs.rows]
    assert f"Left out: {left_out:,} pairs without a common unit." in pairs.notes
