"""Light and dark, and everything that must work without script."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Response
from tests.uploads.files import alce, item, lines, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

BACKGROUND = "() => getComputedStyle(document.documentElement).backgroundColor"


def test_the_choice_between_light_and_dark_stays(visit, transactional_db):
    page = visit(None, "/sign-in/", color_scheme="light")
    first = page.evaluate(BACKGROUND)
    page.get_by_role("button", name="Change between light and dark").click()
    other = page.evaluate(BACKGROUND)
    assert other != first
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    assert page.evaluate(BACKGROUND) == other
    page.goto("/formats/")
    assert page.evaluate(BACKGROUND) == other
    page.get_by_role("button", name="Change between light and dark").click()
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


def test_uploading_without_script(visit, researcher, study):
    page = visit(researcher, "/studies/things/uploads/", java_script_enabled=False)
    content = alce(item(1), item(2))
    page.locator("#id_file").set_input_files(
        {"name": "plain.json", "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="Load it?")).to_be_visible()
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_text("2 responses loaded.")).to_be_visible()
    assert Response.objects.current().count() == 2


def test_a_refused_file_without_script(visit, researcher, study, settings):
    settings.ATTEST_MAX_UPLOAD_BYTES = 100
    page = visit(researcher, "/studies/things/uploads/", java_script_enabled=False, refusals=(422,))
    page.locator("#id_file").set_input_files(
        {"name": "big.json", "mimeType": "application/json", "buffer": alce(item(1))}
    )
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator(".error")).to_contain_text("setting ATTEST_MAX_UPLOAD_BYTES")


def test_filtering_and_paging_without_script(visit, researcher, study):
    rows = [response(n, output=f"Says no{n} [1].") for n in range(1, 61)]
    loaded(study, lines(*rows), "r.jsonl")
    page = visit(researcher, "/studies/things/responses/", java_script_enabled=False)
    page.get_by_role("link", name="Later").click()
    expect(page.locator("ol.rows > li").first).to_contain_text("What is thing 26?")
    page.get_by_label("Search").fill("Says no6")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("2 responses")).to_be_visible()
    assert re.search(r"q=Says(\+|%20)no6", page.url)
    page.locator("ol.rows > li a").first.click()
    expect(page.locator("h1.question")).to_have_text("What is thing 6?")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("h1.question")).to_have_text("What is thing 60?")
    chip = page.locator(".answer a.chip").first
    chip.click()
    assert page.url.endswith("#p1")


def test_the_progress_without_script(visit, researcher, study):
    loaded(study, alce(item(1)), "a.json")
    page = visit(researcher, "/studies/things/", java_script_enabled=False)
    page.get_by_role("link", name="Count the judgments…").click()
    expect(page.locator("table")).to_contain_text("Citation recall")
    expect(page.get_by_role("navigation", name="Study")).to_be_visible()


def test_the_progress_comes_by_itself(visit, researcher, study):
    loaded(study, alce(item(1)), "a.json")
    page = visit(researcher, "/studies/things/")
    expect(page.get_by_text("0 of 2 units").first).to_be_visible()
