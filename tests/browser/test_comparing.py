"""Two reports side by side in the browser: chosen, waited for, read; and nothing wrong with it."""

import re

import pytest
from playwright.sync_api import expect

from annotate.work import jobs
from evaluation.models import Report, ReportComparison
from evaluation.report_pages import comparing
from tests.browser.faults import AXE, NARROW, RUN, TOO_WIDE, WIDE
from tests.evaluation.made_up import made_up_report
from tests.uploads.files import judged, judgments, lines, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser


@pytest.fixture
def rated(study):
    outputs = [
        response(n, system=system, run="42") for n in range(1, 5) for system in ("Alpha", "Beta")
    ]
    loaded(study, lines(*outputs), "o.jsonl")
    rows = [
        judged(n, "s1", "citation_recall", "yes" if n % 2 else "no", system=system, run="42")
        for n in range(1, 5)
        for system in ("Alpha", "Beta")
    ]
    loaded(study, judgments(*rows), "judgments.csv")
    return study


def faults(page):
    found = []
    for scheme, width in (("light", WIDE), ("dark", NARROW)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(AXE.read_text())
        found += [*page.evaluate(RUN), *page.evaluate(TOO_WIDE)]
    page.set_viewport_size({"width": WIDE, "height": 900})
    return found


def test_two_are_chosen_waited_for_and_read(visit, researcher, rated):
    made_up_report(rated)
    page = visit(researcher, "/studies/things/report/", bypass_csp=True)
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="Choose reports")).to_be_visible()
    page.get_by_text("Filters of B").click()
    expect(page.get_by_label("A", exact=True).first).to_have_value(re.compile("report-"))
    assert faults(page) == []
    Report.objects.all().delete()  # it was made up: numbers are to be those of the data
    page.get_by_label("A", exact=True).first.select_option("now")
    page.locator('input[name="other-systems"][value="Alpha"]').check()
    page.get_by_role("button", name="Compare", exact=True).click()
    waits = page.get_by_role("heading", name="Comparing the reports")
    expect(waits).to_be_visible()
    expect(page.get_by_text("No worker is running")).to_be_visible()
    assert faults(page) == []
    jobs.arrive("celery@one", ["default"])
    comparing.work(ReportComparison.objects.get().pk)
    box = page.locator('[data-table="against-systems-people-citation_recall"]')
    expect(box).to_contain_text("Alpha")
    expect(waits).to_be_hidden()
    expect(page.get_by_text("4 questions are in both")).to_be_visible()
    assert faults(page) == []
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.get_by_text("Download", exact=True).click()
    files = page.get_by_role("link", name="JSON, every number")
    assert files.bounding_box()["x"] >= 0
    page.get_by_text("Download", exact=True).click()
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.get_by_role("button", name="n, interval and signature: Alpha").first.click()
    card = page.get_by_role("dialog", name="Alpha").first
    expect(card).to_contain_text("difference|paired|bootstrap")
    page.keyboard.press("Escape")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard',"
        " {value: {writeText: async (text) => { window.copied = text; }}})"
    )
    box.get_by_role("button", name="Copy LaTeX").click()
    expect(box.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("window.copied").startswith("\\begin{table}")
