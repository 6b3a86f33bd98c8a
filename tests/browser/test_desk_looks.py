"""The desk on a narrow screen, by touch, for screen readers, and what time it measures."""

import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import expect

from annotate.models import (
    Assignment,
    Judgment,
)
from tests.browser.desk import KEYS, dimension, filled, is_saved, opened, rater_named, start
from tests.browser.faults import AXE, LOOKS, NARROW, RUN, TOO_WIDE

pytestmark = pytest.mark.browser


@pytest.fixture
def batch(study):
    filled(study, 3)
    return opened(study)


def test_time_is_measured_for_each_question(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    Assignment.objects.update(created_at="2020-01-01T00:00:00Z")
    page.wait_for_timeout(1200)
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    is_saved(page)
    page.wait_for_timeout(300)
    seconds: dict[str, Any] = dict(Judgment.objects.values_list("dimension", "seconds"))
    assert seconds["utility"] >= 1
    assert seconds["citation_recall"] < seconds["utility"]


def test_by_touch_on_a_narrow_screen(visit, study, batch):
    page = visit(
        rater_named(study, "anna"),
        "/studies/things/",
        viewport={"width": NARROW, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    page.get_by_role("button", name="Start").tap()
    page.wait_for_url(re.compile(r"/desk/tasks/\d+/"))
    page.locator(".step:not([hidden])").get_by_text("Agree", exact=True).tap()
    page.get_by_role("button", name="Continue", exact=False).tap()
    expect(page.get_by_role("heading", name="Round things")).to_be_visible()
    page.locator(".step:not([hidden])").get_by_text("Yes", exact=True).tap()
    is_saved(page)
    assert Counter(Judgment.objects.values_list("value", flat=True)) == {"4": 1, "yes": 1}


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_step_of_the_form_is_accessible_and_fits(visit, study, batch, scheme, width):
    study.shared_words = True
    study.save()
    page = visit(
        rater_named(study, "anna"),
        "/studies/things/",
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,  # for axe alone
    )
    start(page)
    page.add_script_tag(path=str(AXE))
    faults = []
    while True:
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        if page.locator(".step-end:not([hidden])").count():
            break
        page.keyboard.press(KEYS[dimension(page)][0])
        for key in "scxhw":
            page.keyboard.press(key)
            page.keyboard.press("Escape")
        is_saved(page)
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        page.keyboard.press("Enter")
    for key in "g?":
        page.keyboard.press(key)
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        page.keyboard.press("Escape")
    assert faults == [], "\n".join(faults)


def test_a_screen_reader_hears_the_question_the_choice_and_the_state(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    step = page.locator(".step:focus")
    expect(step).to_have_accessible_name(re.compile("helpful and informative answer"))
    expect(page.get_by_role("radio", name="Agree", exact=True)).to_be_visible()
    page.keyboard.press("4")
    state = page.get_by_role("status").filter(has_text="Saved")
    expect(state).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".step:focus")).to_have_accessible_name(re.compile("fully support"))
