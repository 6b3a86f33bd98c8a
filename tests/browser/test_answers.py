"""Answers of every kind in a browser: lit in all their places, as raw text, light, dark, narrow."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Response
from tests.browser.answers import ARABIC, MARKDOWN, every_kind
from tests.browser.desk import opened, press
from tests.browser.test_pages import look
from tests.uploads.files import lines
from tests.uploads.steps import check, loaded

pytestmark = pytest.mark.browser

LIT = re.compile(r"\blit\b")


@pytest.fixture
def filled(study):
    loaded(study, lines(*every_kind()), "kinds.jsonl")
    return study


def address_of(output: str) -> str:
    return f"/studies/things/responses/{Response.objects.get(text=output).pk}/"


def test_a_row_of_a_table_is_lit_in_all_its_cells(visit, researcher, filled):
    page = visit(researcher, address_of(MARKDOWN))
    row = page.locator(".statement-row", has_text="Bay of Fundy")
    row.hover()
    unit = row.get_attribute("data-unit")
    places = page.locator(f".answer .statement[data-unit={unit}]")
    expect(places).to_have_count(3)
    for place in places.all():
        expect(place).to_have_class(LIT)
    expect(page.locator(".answer .statement.lit")).to_have_count(3)
    places.nth(2).hover()
    expect(row).to_have_class(LIT)
    expect(page.locator("#p1")).to_have_class(LIT)
    expect(page.locator("#p2")).not_to_have_class(LIT)


def test_the_raw_text_is_kept_in_sight_until_it_is_asked_for_no_more(visit, researcher, filled):
    page = visit(researcher, address_of(MARKDOWN))
    raw, shown = page.locator(".raw-answer"), page.locator("[data-answer=shown]")
    button = page.get_by_role("button", name="Raw text")
    expect(raw).to_be_hidden()
    page.keyboard.press("r")
    expect(raw).to_be_visible()
    expect(shown).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert raw.text_content() == MARKDOWN
    page.goto(address_of(ARABIC))
    expect(raw).to_be_visible()
    button.click()
    expect(shown).to_be_visible()
    page.reload()
    expect(shown).to_be_visible()


def test_the_desk_lights_a_statement_and_shows_the_raw_text(visit, researcher, filled):
    batch = opened(filled)
    page = visit(researcher, f"/studies/things/batches/{batch.pk}/preview/?item=0")
    page.keyboard.press("j")
    step = page.locator(".step:not([hidden])")
    unit = step.get_attribute("data-statement")
    lit = page.locator(".answer .statement.lit")
    assert {place.get_attribute("data-unit") for place in lit.all()} == {unit}
    expect(lit.first).to_be_in_viewport()
    page.keyboard.press("r")
    expect(page.locator(".raw-answer")).to_be_visible()
    press(page, "j", "r")
    expect(page.locator(".answer .statement.lit").first).to_be_in_viewport()
    page.keyboard.press("?")
    expect(page.get_by_role("row", name="r the raw text of the answer")).to_be_visible()


def test_the_last_statement_of_a_long_answer_is_brought_into_sight(visit, researcher, filled):
    batch = opened(filled)
    page = visit(researcher, f"/studies/things/batches/{batch.pk}/preview/?item=0")
    steps = page.locator(".step[data-statement]:not([data-statement=''])")
    name = steps.last.get_attribute("data-name")
    page.keyboard.press("l")
    page.locator(f".desk-steps a[data-to='{name}']").click()
    expect(page.locator(".answer .statement.lit").first).to_be_in_viewport()


def test_right_to_left_text_stands_right(visit, researcher, filled):
    page = visit(researcher, address_of(ARABIC))
    direction = "(item) => getComputedStyle(item).direction"
    for part in ("h1.question", ".answer p", ".answer ul", ".answer table", ".answer blockquote"):
        assert page.locator(part).first.evaluate(direction) == "rtl", part
    expect(page.locator("[data-answer=shown]")).to_have_attribute("lang", "ar")


def test_every_kind_is_accessible_and_fits(visit, researcher, study):
    upload = check(study, lines(*every_kind()), "kinds.jsonl")
    page = visit(researcher, f"/studies/things/uploads/{upload.pk}/", bypass_csp=True)
    faults = faults_of(page)
    loaded(study, lines(*every_kind()), "again.jsonl")
    batch = opened(study)
    paths = [address_of(MARKDOWN), address_of(ARABIC)]
    paths += [f"/studies/things/batches/{batch.pk}/preview/?item={at}" for at in (0, 1, 3)]
    for path in paths:
        page.goto(path)
        if "preview" in path:
            page.keyboard.press("j")
        faults += faults_of(page)
        page.keyboard.press("r")
        faults += faults_of(page)
        page.keyboard.press("r")
    assert faults == [], "\n".join(faults)


def faults_of(page):
    return look(page, page.url)
