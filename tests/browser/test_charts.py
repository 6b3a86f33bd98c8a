"""Charts on a page with Attest's own policy: drawn, told about, drawn again, or left alone."""

import json
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from config.security import POLICY
from evaluation.reports.charts.chart import WIDE
from evaluation.reports.sections.every import charts_of
from tests.background_server import in_background
from tests.browser.conftest import Watch
from tests.evaluation.reports.crowd import crowd_report
from tests.evaluation.reports.sample import sample

pytestmark = pytest.mark.browser

STATIC = Path(__file__).resolve().parents[2] / "static"
SCRIPTS = ("vega", "vega-lite", "vega-embed")
IMAGE = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


class Pages(SimpleHTTPRequestHandler):
    """Attest's static files, and what a test adds, under Attest's policy."""

    def __init__(self, *arguments, added, **options):
        self.added = added
        super().__init__(*arguments, directory=str(STATIC), **options)

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def do_GET(self):
        if self.path not in self.added:
            super().do_GET()
            return
        kind, text = self.added[self.path]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *arguments):
        pass


@pytest.fixture
def added():
    """What the server has besides static files: path -> type and text."""
    return {"/favicon.ico": ("image/x-icon", "")}


@pytest.fixture
def server(added):
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, added=added))) as found:
        yield f"http://127.0.0.1:{found.server_port}"


@pytest.fixture
def show(browser, server, added):
    """Opens a page with these charts; at the end nothing may have gone wrong on it."""
    contexts, watches = [], []

    def open_page(charts, *, refusals=(), without=(), **options):
        added["/page"] = ("text/html; charset=utf-8", page_of(charts, without))
        for chart in charts:
            added[f"/{chart.key}.json"] = ("application/json", json.dumps(chart.spec))
        for key in without:
            added.pop(f"/{key}.json", None)
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        watch = Watch(server, refusals=set(refusals))
        watch.over(page)
        watches.append(watch)
        page.goto(f"{server}/page")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for watch in watches for fault in watch.faults] == []


def page_of(charts, without):
    libraries = " ".join(f"/vendor/{name}.min.js" for name in SCRIPTS)
    boxes = "".join(
        f'<div class="chart" id="{chart.key}" data-chart="/{chart.key}.json">'
        f'<img src="{IMAGE}" alt="as it was"></div>'
        for chart in charts
    )
    return (
        '<!doctype html><html lang="en"><head><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><title>Charts</title>'
        '<link rel="stylesheet" href="/attest.css"><link rel="stylesheet" href="/charts.css">'
        f'<script src="/charts.js" defer data-draws-with="{libraries}"></script>'
        f"</head><body><main>{boxes}</main></body>"
    )


def box(page, chart):
    return page.locator(f"#{chart.key}")


def colour(page, chart):
    return box(page, chart).locator(".mark-symbol path").first.get_attribute("fill")


def test_every_chart_is_drawn_under_the_policy(show):
    charts = list(charts_of(sample()).values())
    page = show(charts, viewport={"width": 1280, "height": 900})
    for chart in charts:
        box(page, chart).scroll_into_view_if_needed()
        box(page, chart).locator("svg").wait_for()
        assert (
            box(page, chart).get_by_role("img").get_attribute("aria-label")
            == (chart.spec["description"])
        )
        assert box(page, chart).locator("img").is_hidden()


def scatter(number=4):
    return next(c for key, c in charts_of(sample(number)).items() if key.startswith("scatter"))


def test_what_a_system_is_called_is_told_as_text(show):
    report = sample()
    evil = '<img src="/nothing" alt="x">'
    report["correlations"]["systems"][0]["points"][1]["system"] = evil
    chart = next(c for key, c in charts_of(report).items() if key.startswith("scatter"))
    page = show([chart])
    box(page, chart).locator("svg").wait_for()
    box(page, chart).locator(".mark-symbol.role-mark path").nth(1).hover()
    page.locator(".chart-tip:not([hidden])").wait_for()
    assert evil in page.locator(".chart-tip").inner_text()
    assert page.locator(".chart-tip img").count() == 0


def test_colours_follow_the_system_and_the_readers_choice(show):
    chart = scatter()
    page = show([chart], color_scheme="light")
    box(page, chart).locator("svg").wait_for()
    colours = chart.spec["usermeta"]["theme"]["colours"]
    # The first colour is people's, the second the first judge's.
    assert colour(page, chart) == colours["light"]["second"]
    page.emulate_media(color_scheme="dark")
    path = f'.mark-symbol path[fill="{colours["dark"]["second"]}"]'
    box(page, chart).locator(path).first.wait_for()
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    path = f'.mark-symbol path[fill="{colours["light"]["second"]}"]'
    box(page, chart).locator(path).first.wait_for()
    assert box(page, chart).locator("svg").count() == 1


def test_a_narrow_page_has_narrow_charts(show):
    charts = list(charts_of(sample(40)).values())
    page = show(charts, viewport={"width": 390, "height": 800})
    for chart in charts:
        box(page, chart).scroll_into_view_if_needed()
        box(page, chart).locator("svg").wait_for()
    widest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('svg')].map(e => +e.getAttribute('width')))"
    )
    assert widest <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 900, "height": 800})
    wide = next(chart for chart in charts if chart.spec["width"] == WIDE)
    box(page, wide).scroll_into_view_if_needed()
    page.wait_for_function(
        "id => +document.getElementById(id).querySelector('svg').getAttribute('width') > 500",
        arg=wide.key,
    )


CUT = """
    () => [...document.querySelectorAll("svg")].flatMap((svg) => {
      const edge = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")]
        .filter((text) => {
          const { left, right } = text.getBoundingClientRect();
          return left < edge.left - 1 || right > edge.right + 1;
        })
        .map((text) => text.textContent);
    })
"""


def test_no_word_of_a_crowds_charts_is_cut_on_a_phone(show):
    """In a card of a report's page, 390 pixels wide."""
    every = charts_of(crowd_report())
    systems = (f"systems-{key}" for key in ("attributable", "citation_recall", "pf_utility"))
    scatter = next(key for key in every if key.startswith("scatter-"))
    keys = [*systems, "judges-kappa-attributable", scatter]
    page = show([every[key] for key in keys], viewport={"width": 325, "height": 800})
    for key in keys:
        box(page, every[key]).scroll_into_view_if_needed()
        box(page, every[key]).locator("svg").wait_for()
    assert page.evaluate(CUT) == []


def test_what_stood_there_stays_where_a_chart_cannot_be_had(show):
    one, other = list(charts_of(sample()).values())[:2]
    page = show([one, other], refusals=(404,), without=(one.key,))
    box(page, other).locator("svg").wait_for()
    assert box(page, one).locator("img").is_visible()
    assert box(page, one).locator("svg").count() == 0
