"""Every type of answer at the desk: by keyboard, on a phone, after a reload, without network, in two
windows."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Judgment
from tests.browser.desk import is_saved, opened, rater_named, start
from tests.browser.faults import NARROW, TOO_WIDE, WIDE
from tests.evaluation.rubric import EVERY, rubric_study

pytestmark = pytest.mark.browser

STEP = ".step:not([hidden])"
LIT = "(why) => [...CSS.highlights.get(why)].map((range) => range.toString())"


@pytest.fixture
def every(researcher):
    made = rubric_study(researcher, questions=1, file=EVERY)
    opened(made, raters_per_item=1)
    return made


def at(page: Page, key: str) -> None:
    expect(page.locator(STEP)).to_have_attribute("data-step", key)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


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


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_question_is_answered_by_keyboard(visit, every, width):
    page = visit(
        rater_named(every, "anna"), "/studies/rubric/", viewport={"width": width, "height": 800}
    )
    start(page)
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
    is_saved(page)
    assert stored() == SAID
    assert page.evaluate(TOO_WIDE) == []
