"""Keys at the desk: held ones, arrows, jumping, and undoing after a reload."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment
from tests.browser.answers import MARKDOWN, passages
from tests.browser.desk import STEP, is_saved, open_desk, opened, press
from tests.uploads.files import lines, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

TICK = "(place) => getComputedStyle(place, '::before').content"


@pytest.fixture
def page(visit, study):
    """A task of thirty questions, the first of them in sight."""
    loaded(study, lines(response(1, output=MARKDOWN, passages=passages(3))), "tides.jsonl")
    opened(study)
    made = open_desk(visit, study)
    return made


def question(page):
    return page.locator(STEP).get_attribute("data-step")


def hold(page, key, times=12):
    for _ in range(times):
        page.keyboard.down(key)
    page.keyboard.up(key)


def scrolls(page, place):
    """Browsers scroll a moment after the key."""
    for _ in range(100):
        if page.evaluate(place) > 0:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"nothing scrolls: {place}")


def test_a_held_key_answers_once(page):
    page.evaluate("localStorage.setItem('attest-go-on', 'on')")
    page.reload()
    hold(page, "4")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1:citation_recall")
    hold(page, "y")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1.c1:citation_support")
    hold(page, "Enter")
    hold(page, "e")
    hold(page, "Space")
    is_saved(page)
    assert Judgment.objects.count() == 2
    expect(page.locator(".sentence.evidence")).to_have_count(1)


def test_arrows_scroll_where_people_expect_and_choose_among_the_choices(page):
    page.set_viewport_size({"width": 1280, "height": 300})
    first = question(page)
    page.keyboard.press("ArrowDown")
    scrolls(page, "() => scrollY + document.querySelector('.desk-form').scrollTop")
    page.locator("[data-answer=shown]").focus()
    page.keyboard.press("ArrowDown")
    scrolls(page, "() => document.querySelector('[data-answer=shown]').scrollTop")
    page.locator(".answer .scroll").focus()
    page.keyboard.press("ArrowRight")
    assert question(page) == first
    page.get_by_role("radio", name="Disagree", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Neutral", exact=True)).to_be_checked()
    assert question(page) == first
    page.locator(STEP).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1:citation_recall")
    is_saved(page)
    assert [j.value for j in Judgment.objects.all()] == ["3"]


def test_undo_survives_a_reload_and_undoes_no_answer_of_another_window(page):
    press(page, "2", "4", "Enter", "y")
    is_saved(page)
    page.reload()
    press(page, "u", "u")
    expect(page.get_by_role("radio", name="Disagree", exact=True)).to_be_checked()
    is_saved(page)
    values = {j.dimension: (j.value, j.skipped_reason) for j in Judgment.objects.all()}
    assert values == {"utility": ("2", ""), "citation_recall": ("", "withdrawn")}
    other = page.context.new_page()
    other.goto(page.url)
    other.keyboard.press("5")
    is_saved(other)
    expect(page.get_by_role("radio", name="Strongly agree", exact=True)).to_be_checked()
    page.keyboard.press("u")
    expect(page.locator("[data-outbox-state]")).to_contain_text("Nothing to undo")
    expect(page.get_by_role("radio", name="Strongly agree", exact=True)).to_be_checked()


def test_what_is_wrong_wears_no_green_tick(page):
    page.keyboard.press("4")
    is_saved(page)
    place = page.locator("[data-outbox-state]")
    assert "✓" in place.evaluate(TICK)
    press(page, "Enter", "Enter")
    expect(place).to_contain_text("Choose an answer")
    assert place.evaluate(TICK) == "none"


def test_the_list_jumps_to_a_question(page):
    page.keyboard.press("l")
    expect(page.locator(".desk-steps a[aria-current]")).to_be_focused()
    press(page, "ArrowDown", "ArrowDown", "Enter")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1.c1:citation_support")
    expect(page.get_by_text("Dimension 3 of 30", exact=True)).to_be_visible()
    expect(page.locator(".desk-steps a").first).to_be_hidden()
    press(page, "f", "l")
    expect(page.locator(".desk-steps [aria-current]")).to_contain_text("Full support")
    page.keyboard.press("Escape")
    expect(page.locator(STEP)).to_be_focused()


def test_the_keys_that_follow_on_the_list_need_not_wait_for_it(page):
    """The browser tells that the list has opened a moment later."""
    pressed = """(keys) => keys.map((key) => {
        const made = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(made);
        const { name, to } = document.activeElement.dataset;
        return name ?? `to ${to}`;
    })"""
    first, second = "r-utility", "s1-citation_recall"
    assert page.evaluate(pressed, ["l", "ArrowDown", "Escape"]) == [
        f"to {first}",
        f"to {second}",
        first,
    ]
    page.wait_for_timeout(200)
    expect(page.locator(STEP)).to_be_focused()
    assert page.evaluate(pressed, ["l", "ArrowDown"]) == [f"to {first}", f"to {second}"]
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1:citation_recall")
