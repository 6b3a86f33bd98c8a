"""Saying which column of a table is what: each change shows at once how it comes out."""

import pytest
from playwright.sync_api import expect

from annotate import uploads
from annotate.models import Response
from tests.browser.faults import AXE, LOOKS, RUN, TOO_WIDE
from tests.formats.tables.making import as_csv, as_workbook
from tests.uploads.steps import receive

pytestmark = pytest.mark.browser

LONG = "Averylongwordwithoutanyplacetobreakitbecauseitissomekindofidentifier_" * 3
RECORDS = [
    {
        "item": f"q{n}",
        "prompt": f"How high is peak {n}? {LONG if n == 2 else ''}".strip(),
        "model": "example-7b",
        "what it says": f"Peak {n} is 2,96{n} m high [1]. It is the highest of its range [2].",
        "passage_1": f"At 2,96{n} m, peak {n} is the highest of its range.",
        "passage_2": f"The range of peak {n} has many summits. " * 12,
        LONG: n,
    }
    for n in range(1, 6)
]
JUDGED = [{"id": f"q{n}", "model": "example-7b", "unit": "r", "annotator": "Ada", "label": n % 2}
          for n in range(1, 6)]  # fmt: skip


def unmapped(study, content, name="peaks.csv"):
    upload = receive(study, content, name)
    uploads.start(upload)
    return upload


def test_every_change_shows_at_once_how_it_comes_out(visit, researcher, study):
    upload = unmapped(study, as_workbook(RECORDS), "peaks.xlsx")
    page = visit(researcher, f"/studies/things/uploads/{upload.pk}/columns/")
    trial, first = page.locator("#trial"), page.locator("#first")
    expect(trial).to_contain_text("All 5 rows of the file")
    page.get_by_label("prompt").select_option("metadata")
    expect(trial).to_contain_text("Still needed: Question")
    expect(first.locator("h3.question")).to_have_count(0)
    page.get_by_label("prompt").select_option("question")
    expect(first.locator("h3.question")).to_have_text("How high is peak 1?")
    expect(first.locator(".passage")).to_have_count(2)
    page.get_by_label("passage_2").select_option("")
    expect(first.locator(".passage")).to_have_count(1)
    page.get_by_label("passage_2").select_option("passage")
    expect(first.locator(".passage")).to_have_count(2)
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="Load this file?")).to_be_visible()
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_text("5 responses loaded.")).to_be_visible()
    assert Response.objects.current().count() == 5


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_page_is_accessible_and_fits(visit, researcher, study, scheme, width):
    outputs = unmapped(study, as_csv(RECORDS))
    judgments = unmapped(study, as_csv(JUDGED), "judged.csv")
    look = {
        "viewport": {"width": width, "height": 900},
        "color_scheme": scheme,
        "bypass_csp": True,  # for axe alone
    }
    page = visit(researcher, f"/studies/things/uploads/{outputs.pk}/columns/", **look)
    faults = faults_of(page)
    for path in (f"{judgments.pk}/columns/?rows=judgments", f"{judgments.pk}/", f"{outputs.pk}/"):
        page.goto(f"/studies/things/uploads/{path}")
        faults += faults_of(page)
    assert faults == []


def faults_of(page):
    page.add_script_tag(path=str(AXE))
    return page.evaluate(RUN) + page.evaluate(TOO_WIDE)
