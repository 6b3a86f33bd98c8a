"""Documents: a short body, all other tables in the appendix, and nobody's name."""

import re

import pytest

from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.exports.parts import MOST, document_parts
from evaluation.reports.sections.every import tables_of
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
        parts = document_parts(one)
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


def test_pictures_that_name_raters_stand_in_no_document():
    drawn = {"kappas-utility": '<svg width="9"><title>Pairs</title><text>rita</text></svg>'}
    assert "rita" not in report_html(sample(), drawn)
    report = sample()
    report["study"]["anonymous"] = True
    assert "rita" in report_html(report, drawn)


@pytest.mark.parametrize("made", [report_latex, report_markdown, lambda r: report_html(r, {})])
def test_raters_have_numbers_in_documents(report, made):
    for one, names in ((sample(), FEW), (report, RATERS)):
        document = made(one)
        assert not [name for name in names if f"{name}<" in document or f" {name} " in document]
        assert "rater 1" in document
