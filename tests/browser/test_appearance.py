"""Light and dark, and everything that must work without script."""

import pytest
from playwright.sync_api import expect

from tests.uploads.files import alce, item
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

BACKGROUND = "() => getComputedStyle(document.documentElement).backgroundColor"


def test_the_choice_between_light_and_dark_stays(visit, transactional_db):
    page = visit(None, "/sign-in/", color_scheme="light")
    first = page.evaluate(BACKGROUND)
    page.get_by_role("button", name="Switch between light and dark").click()
    other = page.evaluate(BACKGROUND)
    assert other != first
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    assert page.evaluate(BACKGROUND) == other
    page.goto("/formats/")
    assert page.evaluate(BACKGROUND) == other
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(BACKGROUND) == first


def test_the_system_s_choice_holds_until_there_is_another(visit, transactional_db):
    light = visit(None, "/sign-in/", color_scheme="light").evaluate(BACKGROUND)
    dark = visit(None, "/sign-in/", color_scheme="dark").evaluate(BACKGROUND)
    assert light != dark


def test_the_first_link_skips_to_the_content(visit, transactional_db):
    page = visit(None, "/formats/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_progress_comes_by_itself(visit, researcher, study):
    loaded(study, alce(item(1)), "a.json")
    page = visit(researcher, "/studies/things/")
    expect(page.get_by_text("0 of 2 units").first).to_be_visible()
