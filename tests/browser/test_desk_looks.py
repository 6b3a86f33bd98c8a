"""The desk on a narrow screen, by touch, for screen readers, and what time it measures."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from annotate.models import Assignment, Judgment
from tests.browser.desk import KEYS, dimension, is_saved, open_desk, press
from tests.browser.faults import AXE, LOOKS, RUN, TOO_WIDE

pytestmark = pytest.mark.browser


def test_time_is_measured_for_each_question(visit, study, batch):
    page = open_desk(visit, study)
    Assignment.objects.update(created_at="2020-01-01T00:00:00Z")
    page.wait_for_timeout(1200)
    press(page, "4", "Enter", "y")
    is_saved(page)
    page.wait_for_timeout(300)
    seconds: dict[str, Any] = dict(Judgment.objects.values_list("dimension", "seconds"))
    assert seconds["utility"] >= 1
    assert seconds["citation_recall"] < seconds["utility"]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_step_of_the_form_is_accessible_and_fits(visit, study, batch, scheme, width):
    study.shared_words = True
    study.save()
    page = open_desk(
        visit,
        study,
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,  # for axe alone
    )
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
    page = open_desk(visit, study)
    step = page.locator(".step:focus")
    expect(step).to_have_accessible_name(re.compile("helpful and informative answer"))
    expect(page.get_by_role("radio", name="Agree", exact=True)).to_be_visible()
    page.keyboard.press("4")
    state = page.get_by_role("status").filter(has_text="Saved")
    expect(state).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".step:focus")).to_have_accessible_name(re.compile("fully support"))
