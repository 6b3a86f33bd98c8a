"""Rating in a browser with the keyboard alone: whole batches, undo, skips, notes and evidence."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.management.demo.loading import load_demo
from annotate.models import Assignment, Batch, Evidence, Flag, Inquiry, Judgment, PastJudgment, User
from tests.browser.desk import (
    KEYS,
    counts_are_exact,
    dimension,
    is_saved,
    open_desk,
    press,
    rate_with_keys,
    rater_named,
    start,
)

pytestmark = pytest.mark.browser


def test_three_raters_rate_the_demo_batch_with_the_keyboard_through_an_outage(
    visit, transactional_db
):
    load_demo()
    batch = Batch.objects.get(name="Demo: try the rating form")
    before = PastJudgment.objects.count()
    for number, name in enumerate(("rater1", "rater2", "rater3")):
        user = User.objects.get(username=name)
        page = visit(user, reverse("desk", args=[batch.study.slug, batch.pk]), outages=True)
        start(page)
        for task in range(batch.items.count()):
            if (number, task) == (1, 3):
                rate_through_an_outage(page)
            else:
                rate_with_keys(page)
        expect(
            page.get_by_text(re.compile("You have rated everything|all its ratings"))
        ).to_be_visible()
    counts_are_exact(batch, 3)
    assert PastJudgment.objects.count() == before, "nobody changed an answer"


def rate_through_an_outage(page: Page) -> None:
    """The network goes in the middle, the rater goes on to the end, the network returns."""
    address = page.url.partition("?")[0]
    page.keyboard.press(KEYS[dimension(page)][0])
    page.keyboard.press("Enter")
    is_saved(page)
    before = Judgment.objects.count()
    page.context.set_offline(True)
    given = 0
    while not page.locator(".step-end:not([hidden])").count():
        page.keyboard.press(KEYS[dimension(page)][0])
        page.keyboard.press("Enter")
        given += 1
    assert given > 3
    state = page.locator("[data-outbox-state]")
    expect(state).to_contain_text(f"Offline: {given} answers wait in this browser")
    page.keyboard.press("Enter")  # finishing waits too
    expect(state).to_contain_text("Offline")
    assert Judgment.objects.count() == before
    page.context.set_offline(False)
    page.wait_for_url(lambda url: url.partition("?")[0] != address, timeout=30_000)


def test_a_double_click_on_finish_finishes_one_task(visit, study, batch):
    page = open_desk(visit, study)
    while not page.locator(".step-end:not([hidden])").count():
        page.keyboard.press(KEYS[dimension(page)][0])
        page.keyboard.press("Enter")
    address = page.url.partition("?")[0]
    page.locator("[data-finish]").dblclick()
    page.wait_for_url(lambda url: url.partition("?")[0] != address)
    page.wait_for_load_state()
    assert Assignment.objects.filter(state="done").count() == 1
    assert Assignment.objects.filter(state="active").count() == 1


def test_skip_note_flag_evidence_and_asking_by_keys(visit, study, batch):
    page = open_desk(visit, study)
    page.keyboard.press("s")
    page.keyboard.type("It needs knowledge that I do not have")
    page.keyboard.press("Enter")
    expect(page.locator(".step:not([hidden])")).to_have_attribute("data-step", "s1:citation_recall")
    page.keyboard.press("c")
    page.keyboard.type("It says so in the first sentence.")
    press(page, "Escape", "y", "e", "ArrowDown", "Space", "Escape", "x", "ArrowDown", "Tab")
    page.keyboard.type("It ends in the middle.")
    press(page, "Escape", "h")
    page.keyboard.type("Is a ball round?")
    press(page, "Tab", "Enter")
    expect(page.locator("[data-asked]:visible")).to_contain_text("Question sent.")
    page.keyboard.press("j")
    is_saved(page)
    recall = Judgment.objects.get(dimension="citation_recall")
    assert (recall.value, recall.note) == ("yes", "It says so in the first sentence.")
    utility = Judgment.objects.get(dimension="utility")
    assert utility.skipped_reason == "It needs knowledge that I do not have"
    mark = Evidence.objects.get()
    assert mark.text == "So it rolls."
    flag = Flag.objects.get()
    assert (flag.reason, flag.note) == ("broken", "It ends in the middle.")
    asked = Inquiry.objects.get()
    assert (asked.asked, asked.unit.key, asked.dimension) == (
        "Is a ball round?", "s1", "citation_recall",
    )  # fmt: skip
    page.keyboard.press("k")
    page.reload()
    expect(page.locator(".sentence.evidence")).to_have_text("So it rolls.")


def test_arrow_keys_pass_over_choices_without_saving_each(visit, study, batch):
    page = open_desk(visit, study)
    page.get_by_role("radio", name="Strongly disagree", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    is_saved(page)
    assert Judgment.objects.get().value == "4"
    assert not PastJudgment.objects.exists()


def test_letters_can_be_switched_off(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/account/")
    page.evaluate("localStorage.setItem('attest-keys', 'off')")
    page.goto("/studies/things/")
    start(page)
    press(page, "4", "j")
    expect(page.locator(".step:not([hidden])")).to_have_attribute("data-step", "r:utility")
    page.get_by_role("radio", name="Agree", exact=True).focus()
    press(page, "Space", "Enter")
    is_saved(page)
    assert Judgment.objects.get().value == "4"
