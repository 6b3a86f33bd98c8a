"""Finding a response, and reading it with its passages."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Response
from tests.uploads.files import alce as as_alce
from tests.uploads.files import item, lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser


@pytest.fixture
def filled(study):
    """Two systems, sixty responses, three pages."""
    for system in ("Alpha", "Beta"):
        rows = [
            response(n, system=system, output=f"{system} says no{n}. [1] And more [2][9].")
            for n in range(1, 31)
        ]
        loaded(study, lines(*rows), f"{system}.jsonl")
    return study


def test_filtering_changes_the_list_and_the_address(visit, researcher, filled):
    page = visit(researcher, "/studies/things/responses/")
    expect(page.get_by_text("60 responses")).to_be_visible()
    expect(page.locator("ol.rows > li")).to_have_count(25)
    loads = []
    page.on("request", lambda r: loads.append(r.url) if r.is_navigation_request() else None)

    page.get_by_label("System").select_option(label="Beta")
    expect(page.get_by_text("30 responses")).to_be_visible()
    page.wait_for_url(re.compile(r"system=\d+"))
    page.get_by_label("Search").press_sequentially("no17")
    expect(page.get_by_text("1 response", exact=False).first).to_contain_text("1 response ")
    page.wait_for_url(re.compile(r"q=no17"))
    expect(page.locator("ol.rows > li")).to_have_count(1)
    assert loads == [], "in place, without loading the page anew"

    page.go_back()
    expect(page.locator("ol.rows > li")).to_have_count(25)
    expect(page.get_by_text("30 responses")).to_be_visible()
    expect(page.get_by_label("System")).to_have_value(re.compile(r"\d+"))


LIT = re.compile(r"\blit\b")


def opened(visit, researcher, study):
    first = Response.objects.order_by("pk").first()
    assert first
    return visit(researcher, f"/studies/things/responses/{first.pk}/")


def test_hovering_a_chip_lights_its_passage_and_its_statement(visit, researcher, filled):
    page = opened(visit, researcher, filled)
    chip = page.locator(".answer a.chip").nth(1)
    chip.hover()
    expect(page.locator("#p2")).to_have_class(LIT)
    expect(page.locator("#p1")).not_to_have_class(LIT)
    expect(page.locator(".answer .statement[data-unit=s2]")).to_have_class(LIT)
    expect(page.locator(".answer .statement[data-unit=s1]")).not_to_have_class(LIT)
    expect(page.locator(".statement-row[data-unit=s2]")).to_have_class(LIT)
    page.locator("h1").hover()
    expect(page.locator(".lit")).to_have_count(0)


def test_focusing_a_chip_lights_the_same(visit, researcher, filled):
    page = opened(visit, researcher, filled)
    page.locator(".answer a.chip").first.focus()
    expect(page.locator("#p1")).to_have_class(LIT)
    expect(page.locator(".answer .statement[data-unit=s1]")).to_have_class(LIT)
    page.keyboard.press("Tab")
    expect(page.locator("#p2")).to_have_class(LIT)
    expect(page.locator("#p1")).not_to_have_class(LIT)
    page.locator("#id_q, h1").first.evaluate("() => document.activeElement.blur()")
    expect(page.locator(".lit")).to_have_count(0)


def test_a_chip_scrolls_its_passage_into_view(visit, researcher, study):
    docs = [passage(f"thing {n} " + "long text " * 300) for n in range(1, 6)]
    loaded(study, as_alce(item(1, output="Round [5].", docs=docs)), "a.json")
    page = opened(visit, researcher, study)
    page.locator(".answer a.chip").click()
    expect(page.locator("#p5")).to_be_in_viewport()
    expect(page.locator("#p5")).to_have_class(LIT)


@pytest.mark.parametrize("place", [".answer", ".statement-row[data-unit=s2]"])
def test_following_a_mark_and_coming_back(visit, researcher, filled, place):
    page = opened(visit, researcher, filled)
    chip = page.locator(f"{place} a.chip[data-passage='2']")
    chip.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#p2")).to_be_focused()
    expect(page.locator("#p2")).to_have_class(LIT)
    hint = "(e) => getComputedStyle(e, '::after').content"
    assert "Esc" in page.locator("#p2 h3").evaluate(hint)
    page.keyboard.press("Tab")
    expect(page.locator("#p2 .passage-text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()


def test_j_and_k_go_to_the_neighbours(visit, researcher, filled):
    page = opened(visit, researcher, filled)
    heading = page.locator("h1.question")
    expect(heading).to_have_text("What is thing 1?")
    page.keyboard.press("j")
    expect(heading).to_have_text("What is thing 2?")
    page.keyboard.press("j")
    expect(heading).to_have_text("What is thing 3?")
    page.keyboard.press("k")
    expect(heading).to_have_text("What is thing 2?")
    page.keyboard.press("Control+k")
    expect(heading).to_have_text("What is thing 2?")
