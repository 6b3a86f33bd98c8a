"""Long passages at the desk in a browser: the extract follows the question, the whole is a key
away."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Evidence, Unit
from tests.annotate.test_long_passages import CAVES, HIGH, long_text
from tests.browser.desk import is_saved, open_desk, opened, press, rater_named
from tests.browser.faults import AXE, LOOKS, RUN, TOO_WIDE
from tests.uploads.files import lines, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser


@pytest.fixture
def batch(study):
    known = {"url": "https://example.org/peaks", "published": "May 2020", "page": 7}
    row = response(
        1,
        output="The Zugspitze is the highest peak [1]. It has caves [1][2].",
        passages=[
            {"n": 1, "title": "Mountains", "text": long_text(6_000), **known},
            {"n": 2, "title": "Caves", "text": "Caves are cold. 🦉 sleep in some."},
        ],
    )
    loaded(study, lines(row), "long.jsonl")
    study.shared_words = True
    study.save()
    return opened(study)


def at_the_first_statement(visit, study, **options):
    page = open_desk(visit, study, **options)
    press(page, "4", "Enter")
    return page


def note(page):
    return page.locator(".passage[data-passage='1'] .extract-note > span:not([hidden])")


def test_the_extract_follows_the_question(visit, study, batch):
    page = at_the_first_statement(visit, study)
    sentence = page.locator(".sentence:visible", has_text=HIGH)
    expect(sentence).to_be_visible()
    expect(page.get_by_text(CAVES)).to_be_hidden()
    expect(note(page)).to_have_text(re.compile(r"^Extract: the parts that fit best, \d+ of \d,\d+"))
    press(page, "y", "Enter", "f", "Enter")
    expect(page.get_by_text(CAVES)).to_be_visible()
    expect(sentence).to_be_hidden()


def test_the_whole_is_one_key_away_and_back(visit, study, batch):
    page = at_the_first_statement(visit, study)
    before = page.locator(".sentence:visible").count()
    page.keyboard.press("a")
    expect(note(page)).to_have_text(re.compile(r"^The whole passage, \d,\d+ words\.$"))
    assert page.locator(".sentence:visible").count() > 5 * before
    high = page.locator(".sentence", has_text=HIGH)
    expect(high).to_be_in_viewport()
    high.click()
    expect(high).to_have_class(re.compile("evidence"))
    is_saved(page)
    mark = Evidence.objects.get()
    assert mark.text == HIGH
    page.keyboard.press("a")
    expect(note(page)).to_have_text(re.compile("^Extract"))
    expect(page.locator(".sentence.evidence:visible")).to_have_text(HIGH)
    page.get_by_role("link", name="Show the whole passage").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Show the extract")).to_be_focused()


def test_a_search_looks_through_the_whole(visit, study, batch):
    page = at_the_first_statement(visit, study)
    page.keyboard.press("/")
    page.keyboard.type("four CENTURIES")
    expect(page.locator("#search-count")).to_have_text("1 place")
    expect(note(page)).to_have_text(re.compile("^The whole passage"))
    page.keyboard.press("Enter")
    expect(page.locator(".sentence", has_text="four centuries")).to_be_in_viewport()


def test_shared_words_are_lit_where_they_stand(visit, study, batch):
    page = at_the_first_statement(visit, study)
    lit = "() => [...CSS.highlights.get('shared')].map((range) => range.toString())"
    page.keyboard.press("w")
    found = page.evaluate(lit)
    assert sorted(set(found)) == ["Zugspitze", "highest", "peak"]
    assert len(found) == 6
    page.keyboard.press("a")
    expect(note(page)).to_have_text(re.compile("^The whole passage"))
    assert page.evaluate(lit) == found
    page.goto(page.url.replace("s1-citation_recall", "s2-c2-citation_support"))
    page.keyboard.press("w")
    assert page.evaluate(lit) == ["caves", "Caves"]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_extract_and_whole_are_accessible_and_fit(visit, study, batch, scheme, width):
    page = at_the_first_statement(
        visit,
        study,
        viewport={"width": width, "height": 844},
        color_scheme=scheme,
        bypass_csp=True,  # for axe alone
    )
    page.add_script_tag(path=str(AXE))
    faults = []
    for words in ("^Extract", "^The whole"):
        expect(note(page)).to_have_text(re.compile(words))
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        page.keyboard.press("a")
    assert faults == []


def test_without_script_the_whole_is_a_link_away(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/", java_script_enabled=False)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("radio", name="Agree", exact=True).check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text(CAVES)).to_be_hidden()
    page.get_by_role("link", name="Show the whole passage").click()
    expect(page.get_by_text(CAVES)).to_be_visible()
    page.get_by_role("link", name="Show the extract").click()
    expect(page.get_by_text(HIGH)).to_be_visible()
    expect(page.get_by_text(CAVES)).to_be_hidden()


def test_a_quote_is_said_and_lit_where_the_passage_has_it(visit, study, batch):
    far = "told of the weather on this day of the year. Below it there are"
    Unit.objects.filter(key="s1.c1").update(quote=far)
    Unit.objects.filter(key="s2.c2").update(quote="Caves are warm and full of bears")
    page = at_the_first_statement(visit, study)
    lit = "() => [...CSS.highlights.get('quoted')].map((range) => range.toString())"
    said = page.locator(".step:not([hidden]) .step-quote")
    expect(said).to_have_text(re.compile("The answer quotes passage 1: “told.*found word for word"))
    assert page.evaluate(lit) == [far]
    expect(page.get_by_text(CAVES)).to_be_visible()
    page.goto(page.url.replace("s1-citation_recall", "s2-c2-citation_support"))
    expect(said).to_have_text(re.compile("bears” — not found in this passage"))
    assert page.evaluate(lit) == []
