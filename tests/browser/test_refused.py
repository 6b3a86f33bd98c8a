"""What the server refuses, or hears later: words are kept, shown with the reason, offered again."""

import json

import pytest
from playwright.sync_api import expect

from annotate.models import Batch, Evidence, InquiryMessage, Judgment
from annotate.rating.batches import close_batch
from tests.browser.desk import filled, is_saved, open_desk, opened, press

pytestmark = pytest.mark.browser

REFUSED = ".step:not([hidden]) [data-refusals] .message"


@pytest.fixture
def batch(study):
    filled(study, 1)
    return opened(study)


@pytest.fixture
def page(visit, study, batch):
    """At the first question with passages."""
    found = open_desk(visit, study, refusals=(422,))
    press(found, "4", "Enter")
    is_saved(found)
    return found


def reopen(batch):
    Batch.objects.filter(pk=batch.pk).update(state=Batch.State.OPEN, closed_at=None)


def ask(page, text):
    page.keyboard.press("h")
    page.keyboard.type(text)


def again(page):
    page.locator(REFUSED).get_by_role("button", name="Send again").click()
    is_saved(page)
    expect(page.locator(REFUSED)).to_have_count(0)


def test_a_refused_question_keeps_its_text_and_is_asked_again(page, batch):
    close_batch(batch)
    for text in ("Is “round” enough?", "And red?"):
        ask(page, text)
        page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(REFUSED)).to_have_count(2)
    expect(page.locator(REFUSED).first).to_contain_text("Is “round” enough?")
    expect(page.locator(REFUSED).first).to_contain_text("The batch is closed")
    reopen(batch)
    page.reload()
    page.locator(REFUSED).first.get_by_role("button", name="Discard").click()
    expect(page.locator(REFUSED)).to_have_count(1)
    again(page)
    assert [m.text for m in InquiryMessage.objects.all()] == ["And red?"]


def test_a_question_that_is_being_written_survives_a_reload(page):
    ask(page, "Is “round” enough?")
    page.reload()
    field = page.locator(".step:not([hidden]) textarea[name='ask']")
    expect(field).to_have_value("Is “round” enough?")
    expect(field).to_be_visible()
    page.get_by_role("button", name="Ask", exact=True).click()
    is_saved(page)
    page.reload()
    expect(field).to_have_value("")


def test_a_refused_mark_keeps_its_words_and_is_marked_again(page, batch):
    close_batch(batch)
    page.locator(".sentence").first.click()
    expect(page.locator(REFUSED)).to_contain_text("Thing 1 is round.")
    marks = page.locator(".step:not([hidden]) [data-marks] [data-lit]")
    expect(marks).to_have_count(0)
    reopen(batch)
    page.reload()
    again(page)
    expect(marks).to_have_count(1)
    assert Evidence.objects.get().text == "Thing 1 is round."
    close_batch(batch)
    marks.get_by_role("button").click()
    expect(page.locator(REFUSED)).to_contain_text("Thing 1 is round.")
    expect(marks).to_have_count(1)


def test_a_refused_answer_is_offered_until_there_is_another(page, batch):
    close_batch(batch)
    page.keyboard.press("y")
    expect(page.locator(REFUSED)).to_contain_text("Yes")
    expect(page.locator(".step:not([hidden]) input:checked")).to_have_count(0)
    reopen(batch)
    page.reload()
    page.keyboard.press("n")
    is_saved(page)
    expect(page.locator(REFUSED)).to_have_count(0)
    assert Judgment.objects.get(dimension="citation_recall").value == "no"


def test_one_refused_mark_takes_no_other_with_it(page):
    """Marks that wait stand beside one another: only the one that lies outside is refused."""
    address = page.locator("[data-desk]").get_attribute("data-evidence-url")
    step = page.locator(".step:not([hidden])").get_attribute("data-step")
    owner = page.locator("[data-outbox]").get_attribute("data-outbox")
    for order, (begin, end) in enumerate(((0, 5), (0, 9999), (6, 9)), 1):
        values = {"step": step, "source": "1", "start": begin, "end": end}
        entry = {
            "kind": "evidence",
            "url": address,
            "step": step,
            "values": values,
            "text": "words",
        }
        key = f"attest-outbox:{owner}:{order:015}:x"
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, json.dumps(entry)])
    page.reload()
    expect(page.locator(REFUSED)).to_contain_text("outside the text")
    while page.evaluate("outbox.waiting().length"):
        page.wait_for_timeout(50)
    is_stored = Evidence.objects.order_by("start").values_list("start", "end")
    assert [*is_stored] == [(0, 5), (6, 9)]
