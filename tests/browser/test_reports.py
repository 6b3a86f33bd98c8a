"""A report in the browser: waited for, read by mouse, key and touch, filtered."""

import re

import pytest
from playwright.sync_api import expect

from annotate.work import jobs
from evaluation.models import Report
from evaluation.report_pages.lifecycle import draw_charts
from tests.evaluation.made_up import build_it, made_up_report
from tests.evaluation.reports.crowd import crowd_report
from tests.uploads.files import judged, judgments, lines, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser


@pytest.fixture
def rated(study):
    loaded(study, lines(*(response(n, system="Alpha", run="42") for n in range(1, 4))), "o.jsonl")
    about = {"system": "Alpha", "run": "42"}
    rows = [judged(n, "s1", "citation_recall", "yes", **about) for n in (1, 2, 3)]
    loaded(study, judgments(*rows), "judgments.csv")
    return study


@pytest.fixture
def made_up(rated):
    report = made_up_report(rated)
    draw_charts(report.pk)
    return report


def read(visit, researcher, **look):
    """The report with all its sections open."""
    page = visit(researcher, "/studies/things/report/", **look)
    open_all(page)
    return page


def open_all(page):
    page.locator(".report-part").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def test_it_appears_by_itself_when_it_is_built(visit, researcher, rated):
    page = visit(researcher, "/studies/things/report/?resamples=20")
    expect(page.get_by_role("heading", name="The report is being built")).to_be_visible()
    expect(page.get_by_text("No worker is running")).to_be_visible()
    jobs.arrive("celery@one", ["default"])
    expect(page.get_by_text("No worker is running")).to_be_hidden()
    build_it(Report.objects.get().pk)
    expect(page.get_by_role("heading", name="Systems", exact=True)).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_numbers_are_asked_for_by_key(visit, researcher, made_up):
    page = read(visit, researcher)
    button = page.get_by_role("button", name="n, interval and signature: post-hoc").first
    button.focus()
    page.keyboard.press("Enter")
    card = page.get_by_role("dialog", name="post-hoc")
    expect(card).to_be_visible()
    expect(card).to_contain_text("n: 30 responses")
    expect(card).to_contain_text("boot|b:2000|seed:7")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(button).to_be_focused()


def first_cells(table):
    return table.locator("tbody tr > th bdi").evaluate_all(
        "all => all.filter((e) => !e.closest('[popover]')).map((e) => e.textContent)"
    )


def test_columns_are_sorted_by_key_and_hidden_for_good(visit, researcher, made_up):
    page = read(visit, researcher)
    box = page.locator('[data-table="systems"]')
    before = first_cells(box)
    button = box.get_by_role("button", name="System", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    head = box.get_by_role("columnheader", name="System", exact=True)
    expect(head).to_have_attribute("aria-sort", "ascending")
    up = first_cells(box)
    assert sorted(up) == sorted(before)
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    assert first_cells(box) == up[::-1]
    box.get_by_text("Columns", exact=True).click()
    box.get_by_role("checkbox", name="Responses", exact=True).uncheck()
    responses = box.get_by_role("columnheader", name="Responses", exact=True)
    expect(responses).to_be_hidden()
    page.reload()
    open_all(page)
    expect(box.get_by_text("Columns: ")).to_be_visible()
    expect(responses).to_be_hidden()


def test_the_answer_fills_the_first_screen_and_sections_open_with_their_finding(
    visit, researcher, made_up
):
    page = visit(researcher, "/studies/things/report/")
    expect(page.locator("#answer .headline").first).to_be_visible()
    expect(page.locator("#answer figure").first).to_be_in_viewport()
    expect(page.locator("#table-systems")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollHeight") < 3 * 900
    part = page.locator(".report-part", has=page.locator("#judges"))
    expect(part.locator(".finding").first).to_be_visible()
    part.locator("> summary").press("Enter")
    expect(part.get_by_role("table").first).to_be_visible()


def test_numbers_are_asked_for_by_touch(visit, researcher, made_up):
    page = read(visit, researcher, has_touch=True, viewport={"width": 390, "height": 800})
    button = page.get_by_role("button", name="n, interval and signature: post-hoc").first
    assert min(button.bounding_box()[side] for side in ("width", "height")) >= 44
    button.tap()
    card = page.get_by_role("dialog", name="post-hoc")
    expect(card).to_be_visible()
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    card.get_by_role("button", name="Close").tap()
    expect(card).to_be_hidden()


def test_charts_are_drawn_with_their_numbers_behind_them(visit, researcher, made_up):
    page = read(visit, researcher)
    figure = page.locator("#correlations figure").first
    figure.scroll_into_view_if_needed()
    expect(figure.locator("svg").first).to_be_visible()
    expect(figure.locator("img")).to_be_hidden()
    figure.get_by_text("Data table").click()
    expect(figure.get_by_role("table")).to_contain_text("post-hoc")


def test_folded_tables_come_when_they_are_opened(visit, researcher, made_up):
    page = read(visit, researcher)
    box = page.locator('[data-table^="comparisons-"]')
    expect(box).to_have_count(0)
    page.locator("#systems summary").get_by_text("Between systems").click()
    expect(box.first.get_by_role("table")).to_contain_text("post-hoc")
    box.first.get_by_role("button", name="Other", exact=True).click()
    head = box.first.get_by_role("columnheader", name="Other", exact=True)
    expect(head).to_have_attribute("aria-sort", "ascending")


NO_ROOM = """
    () => [...document.querySelectorAll(".report-table .scroll")]
      .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth)
      .map((box) => box.id)
"""


def test_tables_of_a_crowd_have_the_width_of_the_window(visit, researcher, rated):
    made_up_report(rated, said=crowd_report())
    page = read(visit, researcher, viewport={"width": 1920, "height": 1000})
    page.locator(".report-more:has([hx-get*='/tables/slices/']) > summary").click()
    expect(page.locator("#table-slices tbody tr")).to_have_count(60)
    assert page.evaluate(NO_ROOM) == []
    page.set_viewport_size({"width": 1280, "height": 1000})
    # Seventeen columns of long names: the first one stays in sight.
    assert page.evaluate(NO_ROOM) == ["table-systems", "table-slices"]
    first = page.locator("#table-systems tbody th").first
    before = first.bounding_box()["x"]
    page.locator("#table-systems").evaluate("box => { box.scrollLeft = 80; }")
    assert first.bounding_box()["x"] == before
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390


SCREENS = 12
HEIGHTS = """
    () => Object.fromEntries(
      [...document.querySelectorAll("#answer, .report-part")]
        .map((one) => [one.querySelector("h2").textContent, one.offsetHeight])
    )
"""


def test_the_whole_report_of_a_crowd_has_twelve_screens(visit, researcher, rated):
    """60 raters, 16 systems and 4 judges, with all sections open and all open charts drawn."""
    report = made_up_report(rated, said=crowd_report())
    draw_charts(report.pk)
    page = read(visit, researcher, viewport={"width": 1280, "height": 900})
    page.evaluate("document.querySelectorAll('img').forEach((one) => { one.loading = 'eager'; })")
    page.wait_for_load_state("networkidle")
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= SCREENS * 900, page.evaluate(HEIGHTS)


CUT_ON_PAPER = """
    () => [...document.querySelectorAll(".report-body :is(table, .chart svg, .chart img)")]
      .filter((one) => one.checkVisibility())
      .filter((one) => one.getBoundingClientRect().right > document.body.clientWidth + 1)
      .map((one) => [one.closest("[data-table]")?.dataset.table, one.getBoundingClientRect().right])
"""

A4_ACROSS = {"width": 1016, "height": 688}


def test_on_paper_no_table_of_a_crowd_is_cut(visit, researcher, rated):
    """They were printed at the size of the screen, upright: the last columns were not there."""
    made_up_report(rated, said=crowd_report())
    page = visit(researcher, "/studies/things/report/", viewport=A4_ACROSS)
    page.emulate_media(media="print")
    assert page.locator("#table-systems").is_visible(), "paper has what is closed on the screen"
    assert page.evaluate(CUT_ON_PAPER) == []
    pdf = page.pdf(prefer_css_page_size=True)
    boxes = set(re.findall(rb"/MediaBox \[([^]]*)\]", pdf))
    assert [tuple(round(float(side)) for side in box.split()) for box in boxes] == [
        (0, 0, 842, 595)
    ]
