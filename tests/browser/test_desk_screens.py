"""The desk on screens of every size: nothing is cut, covered or too small to hit."""

import re
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.content.judgments import judge_of
from annotate.rating.practice import begin
from tests.annotate.desk import KNOWN, WRONG, do_item, do_next, practice_of
from tests.browser.answers import CHINESE, MARKDOWN, passages
from tests.browser.desk import (
    KEYS,
    dimension,
    filled,
    is_saved,
    open_desk,
    opened,
    press,
    rater_named,
)
from tests.browser.faults import AXE
from tests.uploads.files import lines, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

LOW, PHONE, TABLET, WIDE = (320, 256), (390, 844), (768, 1024), (1280, 800)
"""320 x 256 is a screen of 1280 x 1024 at 400 %."""

LONG_QUESTION = "What is known of the tides, of what moves the water, and of who found it out? " * 4

# Where each holds: every control, at 44 px where fingers are (below 768 px, or a coarse pointer);
# what is in a text, as a sentence to mark or a link, is as large as the text.
FACTS = """([fingers, where, links]) => {
  const faults = [];
  const name = (item) => `${item.tagName}.${item.className} ${item.textContent.slice(0, 30)}`;
  const isSeen = (item) => item.checkVisibility() && !item.closest(".unseen");
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide`);
  for (const item of document.querySelectorAll(`${where} *`)) {
    if (!isSeen(item)) continue;
    const style = getComputedStyle(item);
    if (style.textOverflow !== "clip" || style.webkitLineClamp !== "none")
      faults.push(`an ellipsis: ${name(item)}`);
    const isClipped = ["hidden", "clip"].includes(style.overflowX);
    if (isClipped && item.scrollWidth > item.clientWidth + 1) faults.push(`cut: ${name(item)}`);
  }
  const controls = `${where} :is(${links} button, .button, summary, select, textarea, .choice, ` +
    ".decision-choice, input:not([type=hidden], [type=radio], [type=checkbox]))";
  for (const item of document.querySelectorAll(controls)) {
    if (!fingers || !isSeen(item) || item.closest("p, dialog .prose")) continue;
    const box = item.getBoundingClientRect();
    const size = `${box.width} x ${box.height}`;
    if (box.height < 44 || box.width < 44) faults.push(`${size}: ${name(item)}`);
  }
  for (const choice of document.querySelectorAll(".step:not([hidden]) .choice > span")) {
    const text = choice.firstChild;
    for (const word of text.data.matchAll(/\\S+/g)) {
      const range = new Range();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (range.getClientRects().length > 1) faults.push(`broken: ${word[0]}`);
    }
  }
  return faults;
}"""

# What is needed to judge can be brought into sight, and nothing lies over it.
SEEN = """(selector) => {
  const faults = [];
  for (const item of document.querySelectorAll(selector)) {
    if (!item.checkVisibility()) {
      faults.push(`hidden: ${item.className}`);
      continue;
    }
    item.scrollIntoView({ block: item.offsetHeight > innerHeight / 3 ? "start" : "center" });
    const box = item.getClientRects()[0];
    const [x, y] = [box.left + Math.min(8, box.width / 2), box.top + Math.min(8, box.height / 2)];
    const top = document.elementFromPoint(x, y);
    if (!item.contains(top)) faults.push(`covered: ${item.className} by ${top?.className}`);
  }
  return faults;
}"""

JUDGED = (
    ".step:not([hidden]) :is(.desk-label, .step-wording, .quoted, .choice, "
    ".help:not([hidden], .goes-on, details *))"
)
GO_ON = ".step:not([hidden]) .step-moves .primary"
READ = ".desk-read .question, [data-answer=shown], .passage:not([hidden]) :is(h2, .passage-text)"


@pytest.fixture
def batch(study):
    rows = [
        response(
            1, question={"id": "q1", "text": LONG_QUESTION}, output=MARKDOWN, passages=passages(3)
        ),
    ]
    loaded(study, lines(*rows), "tides.jsonl")
    return opened(study)


def facts(page, fingers, where=":is(.desk-bar, .desk)", links="a[href],"):
    return page.evaluate(FACTS, [fingers, where, links])


def open_desk_of_size(visit, study, size, **options) -> Page:
    return open_desk(visit, study, viewport={"width": size[0], "height": size[1]}, **options)


def toggle(page):
    return page.locator(".step:not([hidden]) [data-sheet-toggle]")


def in_the_open_sheet(page):
    if toggle(page).is_visible() and toggle(page).get_attribute("aria-expanded") == "false":
        toggle(page).click()


@pytest.mark.parametrize("size", [LOW, PHONE, WIDE])
def test_nothing_is_cut_covered_or_too_small(visit, study, batch, size):
    touch = {"has_touch": True, "is_mobile": True} if size == PHONE else {}
    page = open_desk_of_size(visit, study, size, **touch)
    fingers = size != WIDE
    faults = []
    for _ in range(3):
        faults += facts(page, fingers)
        in_the_open_sheet(page)
        faults += facts(page, fingers) + page.evaluate(SEEN, JUDGED)
        faults += page.evaluate(SEEN, GO_ON)
        for key in "scx":
            page.keyboard.press(key)
            page.keyboard.press("Escape")
        faults += facts(page, fingers) + page.evaluate(SEEN, GO_ON)
        if toggle(page).is_visible():
            toggle(page).click()
        faults += page.evaluate(SEEN, READ) + page.evaluate(SEEN, GO_ON)
        page.keyboard.press(KEYS[dimension(page)][0])
        page.keyboard.press("Enter")
    page.keyboard.press("l")
    faults += facts(page, fingers)
    page.keyboard.press("Escape")
    page.goto(page.url.partition("?")[0] + "?step=end")
    in_the_open_sheet(page)
    faults += facts(page, fingers) + page.evaluate(SEEN, ".step-end .questions a")
    faults += page.evaluate(SEEN, GO_ON)
    for key in "g?":
        page.keyboard.press(key)
        faults += facts(page, fingers)
        page.keyboard.press("Escape")
    assert faults == []


# Headings within an answer are its own.
EVERY_IMPACT = """async () => (await axe.run(document, {
  resultTypes: ["violations"],
  rules: {"heading-order": {enabled: false}},
})).violations
  .flatMap(({ id, nodes }) => nodes.map((node) => `${id} ${node.target}: ${node.failureSummary}`))
"""


LOOKS: list[dict[str, Any]] = [
    {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "no-preference"},
    {"color_scheme": "dark", "forced_colors": "none", "reduced_motion": "reduce"},
    {"color_scheme": "light", "forced_colors": "active", "reduced_motion": "reduce"},
]


def test_axe_finds_nothing_on_any_screen_in_any_colours(visit, study):
    filled(study, 1)
    opened(study)
    study.shared_words = True
    study.save()
    page = open_desk_of_size(visit, study, WIDE, bypass_csp=True)  # for axe alone
    press(page, "4", "Enter")
    is_saved(page)
    page.add_script_tag(path=str(AXE))
    faults = []
    for (width, height), look in zip((LOW, PHONE, TABLET, WIDE), cycle(LOOKS), strict=False):
        page.set_viewport_size({"width": width, "height": height})
        in_the_open_sheet(page)
        page.emulate_media(**look)
        faults += [f"{width} {look}: {fault}" for fault in page.evaluate(EVERY_IMPACT)]
    page.keyboard.press("l")
    assert faults + page.evaluate(EVERY_IMPACT) == []


def test_the_sheet_opens_and_closes_by_tap_key_and_swipe(visit, study, batch):
    page = open_desk_of_size(visit, study, PHONE, has_touch=True, is_mobile=True)
    choices = page.locator(".step:not([hidden]) .step-choices")
    expect(choices).to_be_visible()
    toggle(page).tap()
    expect(choices).to_be_hidden()
    expect(toggle(page)).to_have_accessible_name(re.compile(r"^Show dimension 1 of \d+$"))
    toggle(page).tap()
    expect(choices).to_be_visible()
    page.keyboard.press("q")
    expect(choices).to_be_hidden()
    page.get_by_role("button", name="Continue").tap()  # nothing is answered: here is the question
    expect(choices).to_be_visible()
    grip, row = page.locator("[data-sheet-grip]"), page.locator(".step:not([hidden]) .step-moves")
    for edge, way, state in ((grip, 60, "closed"), (row, -60, "open")):
        box = edge.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + 10
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + way, steps=4)
        page.mouse.up()
        expect(page.locator("[data-desk]")).to_have_attribute("data-sheet", state)


ROOM = """() => {
  const room = () => getComputedStyle(document.documentElement).getPropertyValue("--sheet");
  const form = document.getElementById("desk-form");
  document.querySelector(".step:not([hidden]) [data-sheet-toggle]").click();
  return [parseFloat(room()), form.offsetHeight];
}"""


def test_the_room_of_the_sheet_is_known_as_soon_as_it_opens_or_closes(visit, study, batch):
    page = open_desk_of_size(visit, study, LOW)
    heights = []
    for _ in range(2):
        room, height = page.evaluate(ROOM)
        assert room == height
        heights.append(height)
    assert heights[0] > heights[1]


def test_a_low_screen_begins_with_the_text_and_a_wide_one_has_no_sheet(visit, study, batch):
    page = open_desk_of_size(visit, study, LOW)
    expect(page.locator(".step:not([hidden]) .step-choices")).to_be_hidden()
    expect(page.locator("h1.question")).to_be_in_viewport()
    page.keyboard.press("4")  # keys answer without the sheet, too
    page.keyboard.press("Enter")
    expect(page.locator(".passage:not([hidden]) h2").first).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(toggle(page)).to_be_hidden()
    expect(page.locator(".step:not([hidden]) .step-choices")).to_be_visible()


def test_without_script_a_low_screen_has_the_question_below_the_texts(visit, study, batch):
    page = visit(
        rater_named(study, "anna"),
        "/studies/things/",
        viewport={"width": LOW[0], "height": LOW[1]},
        java_script_enabled=False,
    )
    page.get_by_role("button", name="Start").click()
    expect(page.locator("h1.question")).to_be_in_viewport()
    page.get_by_role("radio", name="Agree", exact=True).check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Passage Number 1")).to_be_visible()


MARKS = """() => {
  const boxes = [...document.querySelectorAll("[data-answer=shown] .chip")]
    .map((chip) => [chip.textContent, chip.getBoundingClientRect().left]);
  const text = document.querySelector("[data-answer=shown] .statement").firstChild;
  const range = new Range();
  const at = text.data.indexOf("GPT");
  range.setStart(text, at);
  range.setEnd(text, at + 3);
  return { boxes, word: range.getBoundingClientRect().left };
}"""

LOOSE = """() => {
  const answer = document.querySelector("[data-answer=shown]");
  const found = [];
  answer.style.maxHeight = "none";
  for (let width = 110; width < 420; width += 5) {
    answer.style.width = `${width}px`;
    for (const chip of answer.querySelectorAll(".chip")) {
      const stop = chip.nextSibling;
      if (stop?.nodeType !== 3 || !/^[.,;:!?)。，）؟]/.test(stop.data)) continue;
      const range = new Range();
      range.setStart(stop, 0);
      range.setEnd(stop, 1);
      const mark = [...chip.getClientRects()].at(-1);
      const box = range.getBoundingClientRect();
      const isLoose = box.top > mark.bottom || box.bottom < mark.top;
      if (isLoose) found.push(`${chip.textContent} at ${width}`);
    }
  }
  answer.removeAttribute("style");
  return found;
}"""

HEBREW = "החברה הודיעה על GPT[1]. היא הוקמה בסן פרנסיסקו [2][3]. האם זה נכון?"


def test_marks_stay_at_their_words_and_stops_and_chinese_wraps(visit, researcher, study):
    rows = [
        response(
            1,
            question={"id": "he", "text": "מי?", "language": "he"},
            output=HEBREW,
            passages=passages(3),
        ),
        response(
            2,
            question={"id": "zh", "text": "长江" * 60, "language": "zh"},
            output=CHINESE,
            passages=passages(3),
        ),
        response(3, output=MARKDOWN, passages=passages(3)),
    ]
    loaded(study, lines(*rows), "scripts.jsonl")
    batch = opened(study)
    page = visit(researcher, "/studies/", viewport={"width": 320, "height": 640})
    seen = set()
    for item in range(3):
        page.goto(f"/studies/things/batches/{batch.pk}/preview/?item={item}")
        question = page.locator("h1.question")
        seen.add(language := question.get_attribute("lang"))
        assert facts(page, fingers=True) == []
        assert page.evaluate(LOOSE) == []
        if language == "he":
            page.set_viewport_size({"width": 1280, "height": 640})
            found = page.evaluate(MARKS)
            (_, first), (_, second), (_, third) = found["boxes"]
            assert first < found["word"], "the mark follows its word, to the left of it"
            assert third < second, "of two marks the first is read first, from the right"
            page.set_viewport_size({"width": 320, "height": 640})
    assert seen == {"he", "zh", ""}


@pytest.mark.parametrize("size", [LOW, PHONE])
def test_start_practice_and_disputes_fit_narrow_screens(visit, researcher, study, size):
    filled(study, 1)
    practice = practice_of(study, responses=study.responses.all())
    work = opened(study)
    work.refresh_from_db()
    user = rater_named(study, "anna")
    done = do_next(practice, begin(practice, judge_of(study, user)).trainee)
    for name, values in (("bea", KNOWN), ("cleo", WRONG)):
        do_item(work.items.get(), judge_of(study, rater_named(study, name)), values)
    look = {"viewport": {"width": size[0], "height": size[1]}}
    page = visit(user, f"/studies/things/desk/{work.pk}/", **look)
    faults = facts(page, fingers=True, where="main", links="")
    page.goto(f"/studies/things/desk/tasks/{done.pk}/feedback/")
    faults += facts(page, fingers=True, where="main", links="")
    page = visit(researcher, "/studies/things/disputes/", **look)
    faults += facts(page, fingers=True, where="main", links="")
    page.locator(".rows a").first.click()
    expect(page.get_by_role("button", name="Save")).to_be_visible()
    faults += facts(page, fingers=True, where="main", links="")
    assert faults == []
