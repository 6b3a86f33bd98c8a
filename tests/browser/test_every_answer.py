"""Every type of answer at the desk: by keyboard, on a phone, after a reload, without network, in
two windows."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Judgment
from tests.browser.desk import LIT, PHONE, STEP, open_desk, opened, press, rater_named, start, tap
from tests.browser.faults import TOO_WIDE, WIDE
from tests.evaluation.rubric import EVERY, rubric_study

pytestmark = pytest.mark.browser

TEXT = f"{STEP} textarea[name='value']"


@pytest.fixture
def every(researcher):
    made = rubric_study(researcher, questions=1, file=EVERY)
    opened(made, raters_per_item=1)
    return made


def at(page: Page, key: str) -> None:
    expect(page.locator(STEP)).to_have_attribute("data-step", key)


KEPT = """() => {
  const step = task.step();
  const isGiven = !step || fields.of(step).typed(step) === task.valueOf(step);
  return isGiven && !outbox.waiting().length;
}"""


def is_kept(page: Page) -> None:
    """What the fields in sight say has reached the server."""
    page.wait_for_function(KEPT)


def stored() -> dict[str, str]:
    found = Judgment.objects.values_list("unit__key", "dimension", "value")
    return {f"{unit}:{key}": value for unit, key, value in found}


SAID = {
    "r:sure": "12.5",
    "r:harms": "advice|private",
    "r:worst": "mild",
    "s1:errors": "0-13:made_up:major",
    "s1:repair": "It is higher.\nMuch.",
    "s1.c1:proof": "p1@0-2:against",
    "s2:errors": "-",
    "s2.c1:proof": "-",
    "s2.c2:proof": "-",
}


def by_keyboard(page: Page) -> None:
    """Answers a task as `SAID`, to its end."""
    at(page, "r:sure")
    press(page, *"12.5", "Enter")
    at(page, "r:harms")
    press(page, "Enter")  # what is not said is not taken for “none of these”
    at(page, "r:harms")
    press(page, "3", "2", "Enter")
    at(page, "r:worst")
    press(page, "1", "Enter")
    at(page, "s1:errors")
    press(page, "m", "Shift+ArrowRight", "1")
    press(page, "4", "Enter")
    at(page, "s1:repair")
    press(page, "t")
    page.keyboard.type("It is higher.")
    press(page, "Enter")
    page.keyboard.type("Much. ")
    press(page, "Control+Enter")
    at(page, "s1.c1:proof")
    press(page, "e", "ArrowRight", "2", "Escape", "Escape", "Enter")
    for key in ("s2:errors", "s2.c1:proof", "s2.c2:proof"):
        at(page, key)
        press(page, "0", "Enter")
    expect(page.locator(".step-end")).to_be_visible()
    is_kept(page)


def test_every_question_is_answered_by_keyboard(visit, every):
    page = open_desk(visit, every, viewport={"width": WIDE, "height": 800})
    by_keyboard(page)
    assert stored() == SAID
    assert page.evaluate(TOO_WIDE) == []


QUOTED = f"{STEP} [data-quoted]"
PASSAGE = ".passage:not([hidden]) .passage-text"


def button(page: Page, words: str):
    return page.get_by_role("button", name=words)


def go_on(page: Page) -> None:
    page.locator(f"{STEP} [data-go-on]").tap()


def test_every_question_is_answered_on_a_phone(visit, every):
    page = visit(rater_named(every, "anna"), "/studies/rubric/", **PHONE)
    page.get_by_role("button", name="Start").first.tap()
    at(page, "r:sure")
    slider = page.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "no number yet")
    expect(page.locator(f"{STEP} [data-number]")).to_have_value("")
    slider.tap()  # in the middle
    expect(page.locator(f"{STEP} [data-number]")).to_have_value("50")
    page.locator(f"{STEP} [data-number]").fill("12,5")
    expect(slider).to_have_js_property("value", "12.5")
    go_on(page)
    page.get_by_text("None of these", exact=True).tap()
    page.get_by_text("Dangerous advice").tap()
    page.get_by_text("Private matters").tap()
    expect(page.get_by_label("None of these")).not_to_be_checked()
    go_on(page)
    page.get_by_text("Mild").tap()
    go_on(page)
    at(page, "s1:errors")
    tap(page, QUOTED, "The")
    tap(page, QUOTED, "Zugspitze")
    button(page, "Made up").tap()
    button(page, "Major").tap()
    go_on(page)
    page.locator(TEXT).fill("It is higher.\nMuch.")
    go_on(page)
    at(page, "s1.c1:proof")
    tap(page, PASSAGE, "At")
    button(page, "Speaks against it").tap()
    assert page.evaluate(TOO_SMALL) == []
    go_on(page)
    for key in ("s2:errors", "s2.c1:proof", "s2.c2:proof"):
        at(page, key)
        page.locator(f"{STEP} .nothing").tap()
        go_on(page)
    expect(page.locator(".step-end")).to_be_visible()
    is_kept(page)
    assert stored() == SAID
    assert page.evaluate(TOO_WIDE) == []


TOO_SMALL = """() => [...document.querySelectorAll(".step button, .step select, .step .choice")]
  .filter((one) => one.offsetParent)
  .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
  .filter(([, box]) => box.height < 44 || box.width < 44)
  .map(([words, box]) => `${words}: ${box.width} × ${box.height}`)"""


def to(page: Page, name: str) -> None:
    page.keyboard.press("l")
    page.locator(f"[data-jump] a[data-to='{name}']").click()


def test_what_is_being_answered_is_there_after_a_reload(visit, every):
    """A text that was not left yet, ticks and a number that had no time to be saved."""
    page = open_desk(visit, every)
    press(page, "7")
    page.reload()
    expect(page.locator(f"{STEP} [data-number]")).to_have_value("7")
    press(page, "Enter", "1", "2")
    page.reload()
    expect(page.locator(f"{STEP} input:checked")).to_have_count(2)
    to(page, "s1-errors")
    press(page, "m", "1", "4", "Enter", "t")
    page.keyboard.type("Half a sen")
    page.reload()
    at(page, "s1:repair")
    field = page.locator(TEXT)
    expect(field).to_have_value("Half a sen")
    to(page, "s1-errors")
    expect(page.locator(f"{STEP} [data-spans] q")).to_have_text(["The"])
    assert page.evaluate(LIT, "label-1") == ["The", "The"]  # in the answer and in the form
    is_kept(page)
    assert stored() == {
        "r:sure": "7", "r:harms": "insult|advice", "s1:errors": "0-3:made_up:major",
        "s1:repair": "Half a sen",
    }  # fmt: skip


def test_a_draft_is_there_where_the_page_had_no_time_to_save(visit, every):
    page = open_desk(visit, every)
    to(page, "s1-errors")
    press(page, "m", "1", "4", "Enter", "t")
    page.keyboard.type("Half a sen")
    page.wait_for_function("() => !outbox.waiting().length")
    other = page.context.new_page()  # as after a crash: the first one has not been left
    other.goto(page.url)
    expect(other.locator(TEXT)).to_have_value("Half a sen")
    expect(other.get_by_text("not saved yet")).to_be_visible()
    assert "s1:repair" not in stored()
    press(other, "t", "Control+End")
    other.keyboard.type("tence")
    press(other, "Control+Enter")
    is_saved_as(other, "s1:repair", "Half a sentence")


def test_without_network_nothing_is_lost(visit, every):
    page = open_desk(visit, every, outages=True)
    page.context.set_offline(True)
    press(page, *"31.5", "Enter", "2", "Enter", "1", "Enter")
    press(page, "m", "Shift+ArrowRight", "2", "4", "Enter", "t")
    page.keyboard.type("Written offline")
    press(page, "Control+Enter", "k")
    expect(page.locator("[data-outbox-state]")).to_contain_text("Offline: 5 answers wait")
    address = page.url
    page.close()
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(address)
    expect(again.locator(TEXT)).to_have_value("Written offline")
    is_kept(again)
    assert stored() == {
        "r:sure": "31.5", "r:harms": "advice", "r:worst": "mild",
        "s1:errors": "0-13:left_out:major", "s1:repair": "Written offline",
    }  # fmt: skip


def test_undo_takes_back_each_kind_and_removing_the_last_mark_is_no_answer(visit, every):
    page = open_desk(visit, every)
    press(page, *"5", "Enter", "1", "2")
    page.wait_for_function("() => task.valueOf(task.step()) === 'insult|advice'")
    press(page, "3")
    page.wait_for_function("() => task.valueOf(task.step()) === 'insult|advice|private'")
    press(page, "u")
    expect(page.locator(f"{STEP} input:checked")).to_have_count(2)
    to(page, "s1-errors")
    press(page, "m", "1", "4")
    page.wait_for_function("() => task.valueOf(task.step()) === '0-3:made_up:major'")
    page.locator(f"{STEP} [data-edit='label']").select_option("left_out")
    page.wait_for_function("() => task.valueOf(task.step()) === '0-3:left_out:major'")
    assert page.evaluate(LIT, "label-2") == ["The", "The"]
    press(page, "Escape")
    page.locator(f"{STEP}").focus()
    press(page, "u")
    expect(page.locator(f"{STEP} [data-edit='label']")).to_have_value("made_up")
    button(page, "Remove mark").click()
    expect(page.locator(f"{STEP} [data-spans] li")).to_have_count(0)
    press(page, "Enter")
    at(page, "s1:errors")
    expect(page.locator("[data-outbox-state]")).to_contain_text("nothing to mark")
    is_saved_as(page, "s1:errors", "")


def test_what_the_desk_asks_for_stays_when_an_earlier_answer_is_saved(visit, every):
    page = open_desk(visit, every)
    held = []
    page.route("**/answer/", lambda route: held.append(route), times=1)
    to(page, "s1-errors")
    press(page, "m", "1", "4")
    page.wait_for_function("() => outbox.waiting().length === 1")
    button(page, "Remove mark").click()
    press(page, "Enter")
    asked = page.locator("[data-outbox-state][data-state='notice']")
    expect(asked).to_contain_text("nothing to mark")
    held[0].continue_()
    is_saved_as(page, "s1:errors", "")
    page.wait_for_timeout(300)
    expect(asked).to_contain_text("nothing to mark")


def is_saved_as(page: Page, step: str, value: str) -> None:
    page.wait_for_function("() => outbox.waiting().length === 0")
    assert stored()[step] == value


def test_two_windows_show_the_other_answer_in_words(visit, every, live_server):
    first, second = two_windows_of(visit, every, live_server)
    for page in (first, second):
        to(page, "s1-errors")
    press(first, "m", "1", "4")
    is_kept(first)
    press(second, "m", "ArrowRight", "2", "3")
    theirs = second.get_by_role("button", name="Keep ““The”: Made up, Major”")
    expect(theirs).to_be_visible()
    second.get_by_role("button", name="Use ““Zugspitze”: Misses a condition, Minor”").click()
    expect(second.locator(f"{STEP} [data-spans] q")).to_have_text(["Zugspitze"])
    is_saved_as(second, "s1:errors", "4-13:left_out:minor")


def two_windows_of(visit, study, live_server):
    user = rater_named(study, "anna")
    first = visit(user, "/studies/rubric/", refusals=(409,))
    start(first)
    address = first.url.removeprefix(live_server.url)
    return first, visit(user, address, refusals=(409,))


def test_a_text_that_another_window_has_answered_is_kept(visit, every, live_server):
    first, second = two_windows_of(visit, every, live_server)
    to(first, "s1-errors")
    press(first, "m", "1", "4", "Enter")
    is_kept(first)
    second.reload()
    for page, words in ((first, "One way"), (second, "Another way")):
        to(page, "s1-repair")
        press(page, "t")
        page.keyboard.type(words)
    press(first, "Control+Enter")
    is_kept(first)
    press(second, "Control+Enter")
    expect(second.get_by_role("button", name="Keep “One way”")).to_be_visible()
    second.reload()
    expect(second.locator(TEXT)).to_have_value("Another way")
    is_saved_as(second, "s1:repair", "One way")


def test_what_was_said_before_passages_stands_in_every_field(visit, researcher):
    study = rubric_study(researcher, questions=1, file=EVERY)
    opened(study, raters_per_item=1, fixes_first=True)
    page = open_desk(visit, study)
    press(page, *"5", "Enter", "1", "Enter")
    at(page, "s1:errors")
    for name in ("r-sure", "r-harms"):
        to(page, name)
        expect(page.locator(f"{STEP} [data-first-after]")).to_be_visible()
        expect(page.locator(f"{STEP} [name='value']:enabled")).to_have_count(0)
        press(page, "2", "Enter")
    is_kept(page)
    assert stored() == {"r:sure": "5", "r:harms": "insult"}
    page.reload()
    to(page, "r-harms")
    expect(page.locator(f"{STEP} [name='value']:enabled")).to_have_count(0)
