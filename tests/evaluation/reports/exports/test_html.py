"""The page alone: well formed, nothing from elsewhere, text stays text."""

from html.parser import HTMLParser

import pytest

from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.images import pictures
from evaluation.reports.exports.parts import document_parts, names_no_rater
from tests.evaluation.reports.sample import empty, sample

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Reading(HTMLParser):
    """Which elements there are; every one that is opened must be closed in its turn."""

    def __init__(self):
        super().__init__()
        self.open, self.found, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += [(tag, *each) for each in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += [(tag, *each) for each in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reading = Reading()
    reading.feed(page)
    assert reading.open == []
    return reading


@pytest.fixture(scope="module")
def drawn():
    return pictures(sample())


def test_every_table_and_chart_once(drawn):
    page = read(report_html(sample(), drawn))
    parts = document_parts(sample())
    tables = [part.table for part in (*parts.body, *parts.appendix)]
    assert page.found.count("table") == len(tables)
    nameless = [key for key in drawn if names_no_rater(sample(), key)]
    assert page.found.count("svg") == page.found.count("figure") == len(nameless) > 8
    text = "".join(page.text)
    for table in tables:
        assert table.caption in text


def test_nothing_is_loaded_and_nothing_runs(drawn):
    page = read(report_html(sample(), drawn))
    assert {"script", "link", "iframe", "img"}.isdisjoint(page.found)
    for _, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "xlink:href"):
            assert value.startswith("#")
    assert "url(http" not in report_html(sample(), drawn)
    assert "@import" not in report_html(sample(), drawn)


def test_names_stay_text():
    report = sample()
    evil = '<script>alert("1")</script>'
    report["study"]["name"] = evil
    report["systems"]["rows"][0]["system"] = evil
    report["correlations"]["systems"][0]["title"] = evil
    report["correlations"]["systems"][0]["points"][0]["system"] = evil
    page = read(report_html(report))
    assert "script" not in page.found
    assert "".join(page.text).count(evil) >= 4


def test_an_empty_report_is_a_page_too():
    page = read(report_html(empty(), {}))
    assert "table" not in page.found
