"""The desk as a new rater finds it: one key a judgment, undo across tasks, pause, the tour."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Assignment, Judgment, PastJudgment
from tests.browser.desk import (
    STEP,
    counts_are_exact,
    filled,
    is_saved,
    judge_task,
    open_desk,
    opened,
    press,
)
from tests.browser.faults import LOOKS

pytestmark = pytest.mark.browser


@pytest.fixture
def batch(study):
    filled(study, 2)
    return opened(study, raters_per_item=1)


@pytest.fixture
def page(visit, study, batch) -> Page:
    made: Page = open_desk(visit, study, fresh=True, outages=True)
    return made


def test_each_judgment_takes_one_key_and_the_last_one_finishes(page, batch):
    pressed = judge_task(page) + judge_task(page)
    expect(page.get_by_text("Everything in this batch has all its ratings")).to_be_visible()
    assert pressed == Judgment.objects.count()
    counts_are_exact(batch, 1)


def test_undo_in_the_next_task_leads_back_to_the_last_answer(page, batch):
    first = page.url.partition("?")[0]
    judge_task(page)
    second = page.url.partition("?")[0]
    page.keyboard.press("z")
    page.wait_for_url(lambda url: url.partition("?")[0] == first)
    expect(page.locator(STEP)).to_have_attribute("data-step", re.compile("citation_support"))
    expect(page.get_by_role("radio", name="Partial support")).to_be_checked()
    assert Assignment.objects.filter(state="done").count() == 1
    page.keyboard.press("n")  # another answer, and on to the task that was left
    page.wait_for_url(lambda url: url.partition("?")[0] == second)
    assert PastJudgment.objects.get().value == "partial"
    assert Assignment.objects.filter(state="done").count() == 1
    page.keyboard.press("u")
    page.wait_for_url(lambda url: url.partition("?")[0] == first)
    page.keyboard.press("p")
    page.wait_for_url(lambda url: url.partition("?")[0] == second)
    judge_task(page)
    counts_are_exact(batch, 1)


def test_keys_while_a_task_finishes_change_nothing_and_undo_keeps_the_task(page, batch):
    press(page, *"4yfyf")
    first, state = page.url.partition("?")[0], page.locator("[data-outbox-state]")
    is_saved(page)
    page.context.set_offline(True)
    for key in ("p", "f"):  # the last answer, and a key that comes early
        page.keyboard.press(key)
    expect(page.get_by_role("radio", name="Partial support")).to_be_checked()
    expect(state).to_contain_text("To change an answer, undo first")
    page.keyboard.press("u")  # takes the end back, too
    expect(page.locator(STEP).get_by_role("radio", checked=True)).to_have_count(0)
    page.context.set_offline(False)
    is_saved(page)
    assert not Assignment.objects.filter(state="done").exists()
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url.partition("?")[0] != first)
    assert Judgment.objects.latest("created_at").value == "none"
    expect(page.locator("#step-r-utility")).to_be_visible()
    page.context.set_offline(True)
    page.keyboard.press("u")
    expect(state).to_contain_text("Undo of the last task works when you are online again")
    page.context.set_offline(False)
    page.keyboard.press("4")
    page.evaluate("sessionStorage.clear()")
    is_saved(page)
    page.reload()
    page.keyboard.press("u")  # in another browser: an answer of this task is not jumped over
    expect(state).to_contain_text("Nothing to undo")


def test_a_contradiction_of_a_held_answer_is_shown_before_going_on(page):
    press(page, "4", "n")
    page.get_by_role("radio", name="Full support").focus()
    press(page, "ArrowDown", "ArrowUp", "Enter")
    expect(page.locator("[data-contradiction]")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#step-s2-citation_recall")).to_be_visible()


def test_a_pause_frees_the_place_and_resuming_goes_on(page, batch):
    page.keyboard.press("4")
    is_saved(page)
    address = page.url.partition("?")[0]
    page.keyboard.press("k")
    page.get_by_role("radio", name="Agree", exact=True).press("ArrowUp")  # held for a moment
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused. Your answers are saved")).to_be_visible()
    assert Judgment.objects.get().value != "4"
    assert not Assignment.objects.get().holds_place
    page.get_by_role("button", name="Resume").press("Enter")
    page.wait_for_url(lambda url: url.partition("?")[0] == address)
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1:citation_recall")
    assert Assignment.objects.get().holds_place


@pytest.mark.parametrize("width", [1280, 390])
def test_the_tour_is_shown_once_and_blocks_no_key(page, width):
    page.set_viewport_size({"width": width, "height": 844})
    tour = page.get_by_role("region", name="How to rate")
    for place in ("1 of 4", "2 of 4"):
        expect(tour).to_contain_text(place)
        expect(page.locator(".toured")).to_have_count(1)
        expect(tour.get_by_role("status")).to_contain_text("Read" if place[0] == "1" else "Answer")
        expect(page.locator(STEP)).to_be_focused()
        note, read, asked = (
            page.locator(place).bounding_box() or {}
            for place in ("[data-tour]", ".answer >> nth=0", STEP)
        )
        assert note["y"] + note["height"] <= min(read["y"], asked["y"])
        tour.get_by_role("button", name="Next").click()
        page.locator(STEP).focus()
    page.keyboard.press("4")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s1:citation_recall")
    expect(tour).to_contain_text("3 of 4")
    page.keyboard.press("Escape")
    expect(tour).to_be_hidden()
    expect(page.locator(STEP)).to_be_focused()
    page.reload()
    expect(page.locator(STEP)).to_be_focused()
    expect(tour).to_be_hidden()


LINES = """() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .flatMap((rule) => /::highlight\\(([^)]+)\\)/.exec(rule.selectorText ?? "")?.[1] ?? [])
  .map((name) => {
    const style = getComputedStyle(document.body, `::highlight(${name})`);
    const { textDecorationLine: line, textDecorationStyle: kind } = style;
    const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgb = (colour) => {
      probe.fillStyle = colour;
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (colour) => rgb(colour)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
    const contrast = (a, b) => {
      const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    const under = style.backgroundColor;
    return {
      name, pattern: `${line} ${kind} ${style.textDecorationThickness}`,
      line: contrast(style.textDecorationColor, under), text: contrast(style.color, under),
    };
  })"""


@pytest.mark.parametrize("scheme", sorted({scheme for _, scheme in LOOKS}))
def test_highlights_are_told_apart_without_colour(page, scheme):
    page.emulate_media(color_scheme=scheme)
    found = page.evaluate(LINES)
    own = [one["pattern"] for one in found if not one["name"].startswith("label-")]
    labels = [one["pattern"] for one in found if one["name"].startswith("label-")]
    assert (len(own), len(labels)) == (6, 8)
    assert len({*own}) == len(own), own
    assert len({*labels}) == len(labels), labels
    assert not any(one["pattern"].startswith("none") for one in found)
    assert {one["name"]: one["line"] for one in found if one["line"] < 3} == {}
    assert {one["name"]: one["text"] for one in found if one["text"] < 4.5} == {}
