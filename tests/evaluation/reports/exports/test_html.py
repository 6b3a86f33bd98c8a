"""The page alone: well formed, nothing from elsewhere, text stays text."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from evaluation.reports.charts.theme import colours
from evaluation.reports.exports.html import report_html, table_html
from evaluation.reports.exports.images import pictures
from evaluation.reports.exports.parts import may_stand, parts_of
from evaluation.reports.tables.table import Column, Table, Value
from tests.evaluation.reports.crowd import crowd_report
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
    parts = parts_of(sample())
    tables = [part.table for part in (*parts.body, *parts.appendix)]
    assert page.found.count("table") == len(tables)
    nameless = [key for key in drawn if may_stand(sample(), key)]
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


def test_charts_take_the_colours_of_the_page(drawn):
    page = report_html(sample(), drawn)
    body = page[page.index("</style>") :]
    assert "var(--first)" in body
    assert not [colour for colour in colours().values() if colour in body]


def test_a_chart_stands_with_the_table_behind_it(drawn):
    page = report_html(sample(), drawn)
    titles = re.findall(r"<figcaption>(.*?)</figcaption>|<h2>(.*?)</h2>", page)
    order = [one or other for one, other in titles]
    assert order.index("Systems") < order.index("Systems: Attributable") < order.index("Runs")
    box = page[page.index("<figcaption>Answers: Utility") :]
    assert box.index("The numbers behind") < box.index("</section>")


def test_on_paper_a_table_that_needs_it_has_a_page_across():
    narrow, wide = (
        Table("t", "T", "", tuple(Column(f"c{n}", "Some", "share") for n in range(count)),
              (tuple(Value(0.5) for _ in range(count)),))
        for count in (10, 40)
    )  # fmt: skip
    assert '<section class="wide">' in table_html(wide)
    assert "wide" not in table_html(narrow)


def test_charts_of_a_table_across_stand_before_it():
    """On the upright page of the headline, which had it for itself alone."""
    report = crowd_report()
    drawn = '<svg width="480" data-table="systems"><title>Drawn</title></svg>'
    page = report_html(report, {"systems-utility": drawn})
    headline, chart = page.index('class="headline"'), page.index("<title>Drawn")
    assert headline < chart < page.index('<section class="wide"><h2>Systems</h2>')
    assert '<figure class="narrow">' in page


def test_on_paper_only_long_tables_go_on_from_page_to_page():
    short, long = (
        Table("t", "T", "", (Column("c", "C"),), tuple((str(n),) for n in range(rows)))
        for rows in (60, 61)
    )
    assert "<section>" in table_html(short)
    assert '<section class="long">' in table_html(long)
    assert "section:not(.long, .of-charts) { break-inside: avoid; }" in report_html(empty(), {})


def test_an_empty_report_is_a_page_too():
    page = read(report_html(empty(), {}))
    assert "table" not in page.found


def test_numbers_say_more_on_demand(drawn):
    page = read(report_html(sample(), drawn))
    titles = [value for tag, name, value in page.attributes if (tag, name) == ("td", "title")]
    assert any("n = 30 responses; 95 % interval" in title for title in titles)


def test_tables_and_files_load_no_drawing_library():
    program = (
        "import sys\n"
        "from evaluation.reports.sections import every\n"
        "from evaluation.reports.exports import csv_tables, html, images, latex, markdown\n"
        "from tests.evaluation.reports.sample import sample\n"
        "html.report_html(sample(), {})\n"
        "print({'altair', 'vl_convert', 'pandas', 'django'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


@pytest.mark.parametrize("raters", [3, 60])
def test_the_heading_of_the_appendix_stands_on_the_page_of_its_first_table(raters):
    """A matrix of sixty raters lies across the page: of another page than the heading's."""
    report = sample()
    names = [f"A rater of a long name {n}" for n in range(raters)]
    cells = [[None if i == j else 0.5 for j in range(raters)] for i in range(raters)]
    units = [[5] * raters for _ in range(raters)]
    for row in report["people"]:
        row["matrix"] = {"raters": names, "kappas": cells, "units": units}
    made = report_html(report, {})
    begins = r'<h2 class="appendix( wide)?">Appendix</h2>\s*<section([^>]*)>'
    [(heading, first)] = re.findall(begins, made)
    assert bool(heading) == ("wide" in first) == (raters == 60)
    assert "h2.appendix { break-before: page;" in made
