"""Answers that bear on each other: contradictions, proposals, what stands once passages came."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment
from tests.browser.desk import filled, is_saved, open_desk, opened, press

pytestmark = pytest.mark.browser


@pytest.fixture
def batch(study):
    filled(study, 1)
    return opened(study, fixes_first=True, proposes_support=True)


def test_utility_stands_support_is_proposed_and_a_contradiction_may_stay(visit, study, batch):
    page = open_desk(visit, study)
    expect(page.get_by_text("This answer is locked once you see the passages")).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("[data-outbox-state]")).to_contain_text("before you see any passage")
    expect(page.locator("#step-r-utility")).to_be_visible()
    press(page, "4", "Enter", "y", "Enter")
    expect(page.locator("#step-s1-c1-citation_support [data-proposal]")).to_contain_text(
        "Full support"
    )
    page.keyboard.press("Enter")  # takes what is proposed
    expect(page.locator("#step-s2-citation_recall")).to_be_visible()
    press(page, "n", "Enter", "f")
    note = page.locator("[data-contradiction]")
    expect(note).to_contain_text("one passage alone fully supports the text")
    note.get_by_role("button", name="Show the other answer").click()
    expect(page.locator("#step-s2-citation_recall")).to_be_visible()
    expect(note).to_be_visible()
    note.get_by_role("button", name="Keep both").click()
    page.keyboard.press("p")
    expect(note).to_be_hidden()
    is_saved(page)
    for _ in range(5):
        page.keyboard.press("k")
    expect(page.locator("[data-first-after]")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="Agree", exact=True)).to_be_checked()
    page.reload()
    expect(page.get_by_role("radio", name="Agree", exact=True)).to_be_disabled()
    values = Judgment.objects.values_list("unit__key", "value")
    assert dict(values) == {"r": "4", "s1": "yes", "s1.c1": "full", "s2": "no", "s2.c1": "partial"}


def test_going_on_by_itself_waits_at_a_contradiction(visit, study):
    filled(study, 1)
    opened(study)
    page = open_desk(visit, study)
    page.evaluate("localStorage.setItem('attest-go-on', 'on')")
    page.reload()
    press(page, "4", "n", "f")
    expect(page.locator("[data-contradiction]")).to_be_visible()
    expect(page.locator("#step-s1-c1-citation_support")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#step-s2-citation_recall")).to_be_visible()
    expect(page.locator("[data-contradiction]")).to_be_hidden()
    is_saved(page)


def test_the_guidelines_are_searched_without_leaving_the_task(visit, study):
    filled(study, 1)
    opened(study)
    page = open_desk(visit, study)
    page.keyboard.press("g")
    dialog = page.locator("#guidelines-dialog")
    dialog.get_by_label("Search in the guidelines").fill("passages")
    expect(dialog.get_by_role("status")).to_contain_text("with “passages”")
    expect(dialog.locator("mark").first).to_have_text("passages")
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    assert "/desk/tasks/" in page.url
