"""A claim that is rewritten: what was said and marked about the old words is gone in every window,
and after a reload, also while the new words still wait."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Evidence, Judgment
from annotate.studies.lifecycle import create_study
from tests.browser.desk import is_saved, open_desk, press, rater_named, start
from tests.browser.test_claims import CUPS, batch_of, choose_with_keys, shown

pytestmark = pytest.mark.browser

SAID = "[data-said='s1-g1-claim_recall']"


@pytest.fixture
def study(researcher):
    return create_study(name="Cups", slug="cups", preset="aliice", owner=researcher)


@pytest.fixture
def page(visit, study):
    """Its first claim is written and judged, with a mark; recall is in sight."""
    batch_of(study, CUPS)
    page = open_desk(visit, study, outages=True)
    press(page, "4", "Enter")
    choose_with_keys(page, 6)
    press(page, "Enter", "n", "Enter", "y")
    page.locator(".sentence").first.click()
    is_saved(page)
    return page


def rewrite(page):
    page.goto(re.sub(r"\?.*", "?step=s1-g1-claim_words", page.url))
    press(page, "End", "Space")


def at_recall(page):
    page.goto(re.sub(r"\?.*", "?step=s1-g1-claim_recall", page.url))


def asks_again(page):
    expect(shown(page, "[data-quoted]")).to_have_text("Cups can be made of glass plastic.")
    expect(shown(page, "input:checked")).to_have_count(0)
    expect(page.locator(SAID).first).to_have_text("not answered yet")
    expect(shown(page, "[data-marks] [data-lit]")).to_have_count(0)
    expect(page.locator(".sentence.evidence")).to_have_count(0)


def test_rewritten_claim_is_asked_again_in_a_second_window(page):
    second = page.context.new_page()
    second.goto(page.url)
    expect(shown(second, "input:checked")).to_have_count(1)
    expect(second.locator(".sentence.evidence")).to_have_count(1)
    rewrite(page)
    is_saved(page)
    asks_again(second)
    assert not Evidence.objects.exists()
    second.keyboard.press("n")
    is_saved(second)
    at_recall(page)
    expect(shown(page, "input:checked")).to_have_value("no")


def test_rewritten_claim_is_asked_again_after_a_reload(page):
    sent = re.compile(r"/answer/$")
    page.route(sent, lambda route: route.abort())
    rewrite(page)
    expect(page.locator("[data-outbox-state]")).to_contain_text("Offline")
    at_recall(page)
    asks_again(page)
    page.locator(".sentence").first.click()
    page.keyboard.press("n")
    page.reload()
    expect(shown(page, "input:checked")).to_have_value("no")
    expect(shown(page, "[data-marks] [data-lit]")).to_have_count(1)
    page.unroute(sent)
    page.reload()
    is_saved(page)
    recall = Judgment.objects.get(dimension="claim_recall")
    assert (recall.value, recall.history.filter(value="yes").count()) == ("no", 1)
    assert Evidence.objects.count() == 1


def test_what_waited_elsewhere_about_the_old_words_is_not_taken(visit, study):
    batch_of(study, CUPS)
    anna = rater_named(study, "anna")
    here = visit(anna, "/studies/cups/")
    start(here)
    press(here, "4", "Enter")
    choose_with_keys(here, 6)
    here.keyboard.press("Enter")
    is_saved(here)
    at_recall = re.sub(r"\?.*", "?step=s1-g1-claim_recall", here.url)
    there = visit(anna, at_recall, refusals=(422,), outages=True)
    sent = re.compile(r"/(answer|evidence)/$")
    there.route(sent, lambda route: route.abort())
    there.locator(".sentence").first.click()
    there.keyboard.press("y")
    expect(there.locator("[data-outbox-state]")).to_contain_text("Offline: 2 answers")
    rewrite(here)
    is_saved(here)
    there.unroute(sent)
    there.reload()
    refusals = shown(there, "[data-refusals] .message")
    expect(refusals).to_have_count(2)
    expect(refusals.last).to_contain_text("now reads “Cups can be made of glass plastic.”")
    expect(refusals.last.locator("[data-refused-words]")).to_have_text("Yes")
    assert not Evidence.objects.exists()
    there.reload()
    asks_again(there)
    there.keyboard.press("n")
    is_saved(there)
    assert Judgment.objects.get(dimension="claim_recall").value == "no"
