"""Marking in a browser, by mouse, by touch and by keys: sentences and words as evidence, words of
the answer as unsupported."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Evidence, Unit
from annotate.studies.lifecycle import create_study
from tests.browser.desk import LIT, filled, is_saved, open_desk, opened, press, rate_with_keys
from tests.uploads.files import lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

MARKED = [
    (None, "Thing 1"),
    (1, "Thing 1 is round."),
    (1, "So it rolls."),
    (1, "it rolls"),
]

WORDS = """([selector, words]) => {
  const element = [...document.querySelectorAll(selector)].find((one) => one.offsetParent);
  const { text, range } = lit.readable(element);
  const at = text.indexOf(words);
  return range(at, at + words.length);
}"""
BOX = f"(given) => {{ const box = ({WORDS})(given).getBoundingClientRect(); return box.toJSON(); }}"
SELECT = f"""(given) => {{
  const made = ({WORDS})(given);
  document.getSelection().setBaseAndExtent(
    made.startContainer, made.startOffset, made.endContainer, made.endOffset
  );
}}"""
PASSAGE = ".passage-text"
ANSWER = ".answer .statement.lit"
QUOTED = ".step:not([hidden]) [data-quoted]"


@pytest.fixture
def batch(study):
    filled(study, 1)
    return opened(study)


def at_the_first_statement(visit, study, **options):
    page = open_desk(visit, study, **options)
    press(page, "4", "Enter")
    is_saved(page)
    return page


def stored():
    marks = sorted(Evidence.objects.all(), key=lambda m: (m.source is not None, m.start, m.end))
    return [(m.source and m.source.n, m.text) for m in marks]


def drag_over(page, selector, words):
    box = page.evaluate(BOX, [selector, words])
    middle = (box["top"] + box["bottom"]) / 2
    page.mouse.move(box["left"] + 1, middle)
    page.mouse.down()
    page.mouse.move(box["right"] - 1, middle, steps=4)
    page.mouse.up()


def sentence(page, words):
    return page.locator(".sentence:visible", has_text=words)


def button(page, kind):
    return page.get_by_role("button", name=f"Mark as {kind}")


def by_mouse(page):
    sentence(page, "is round").click()
    sentence(page, "So it").click()
    drag_over(page, PASSAGE, "it rolls")
    button(page, "evidence").click()
    drag_over(page, ANSWER, "Thing 1")
    button(page, "unsupported").click()


def by_touch(page):
    sentence(page, "is round").tap()
    sentence(page, "So it").tap()
    page.evaluate(SELECT, [PASSAGE, "it rolls"])
    button(page, "evidence").tap()
    page.evaluate(SELECT, [ANSWER, "Thing 1"])
    button(page, "unsupported").tap()


def by_keys(page):
    press(page, "e", "Space", "ArrowDown", "Space")
    press(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Space", "Escape")
    press(page, "m", "Shift+ArrowRight", "e")


@pytest.mark.parametrize(
    ("way", "options"),
    [
        (by_mouse, {}),
        (by_touch, {"has_touch": True, "viewport": {"width": 820, "height": 1100}}),
        (by_keys, {}),
    ],
)
def test_sentences_and_words_are_marked_and_stay(visit, study, batch, researcher, way, options):
    page = at_the_first_statement(visit, study, **options)
    way(page)
    is_saved(page)
    assert stored() == MARKED
    page.reload()
    marks = page.locator(".marks:visible li q")
    expect(marks).to_have_text(["Thing 1", "Thing 1 is round.", "So it rolls.", "it rolls"])
    expect(page.locator(".sentence.evidence:visible")).to_have_text(
        ["Thing 1 is round.", "So it rolls."]
    )
    assert page.evaluate(LIT, "unsupported") == ["Thing 1", "Thing 1"]  # in the answer, in the form
    address = page.url
    rate_with_keys(page)  # answers count once the task is finished
    statement = Unit.objects.get(key="s1")
    dispute = visit(
        researcher, reverse("dispute", args=["things", statement.pk, "citation_recall"])
    )
    expect(dispute.locator("blockquote mark.unsupported")).to_have_text("Thing 1")
    expect(dispute.locator(".vote-card .quoted")).to_have_count(4)
    page.goto(address)
    page.get_by_role("button", name="Remove mark").first.click()
    sentence(page, "is round").click()
    is_saved(page)
    assert stored() == [(1, "So it rolls."), (1, "it rolls")]


def test_marks_that_wait_are_shown_again_and_a_selection_is_given_up(visit, study, batch):
    page = at_the_first_statement(visit, study, refusals=(503,))
    page.route("**/evidence/", lambda route: route.fulfill(status=503, body=""))
    page.evaluate(SELECT, [QUOTED, "round"])
    sentence(page, "So it").click()  # ends the selection, marks nothing
    expect(page.locator(".marks:visible")).to_have_count(0)
    page.evaluate(SELECT, [QUOTED, "round"])
    page.keyboard.press("e")
    expect(page.locator("[data-outbox-state]")).to_contain_text("1 answer waits")
    page.reload()
    expect(page.locator(".marks:visible li q")).to_have_text("round")
    page.unroute_all()
    page.reload()
    is_saved(page)
    assert stored() == [(None, "round")]


MARKDOWN = """# Round things

- **Thing 1** is round and `red`, *as it* seems [1] to \\*all\\* 🦉 owls [1].
- Thing 2 is not.
"""


def test_words_of_a_rendered_answer_are_found_in_the_text_that_is_judged(visit, study):
    rows = [response(1, output=MARKDOWN, passages=[{"n": 1, **passage("Owls")}])]
    loaded(study, lines(*rows), "markdown.jsonl")
    opened(study)
    page = at_the_first_statement(visit, study)
    said = Unit.objects.get(key="s1").text
    for words in ("1 is round and red, as", "seems\xa0 to", "owls"):
        page.evaluate(SELECT, [ANSWER, words])
        button(page, "unsupported").click()
    is_saved(page)
    marks = list(Evidence.objects.all())
    assert [mark.text for mark in marks] == ["1 is round and red, as", "seems to", "owls"]
    assert [said[mark.start : mark.end] for mark in marks] == [mark.text for mark in marks]
    page.reload()
    assert "owls" in page.evaluate(LIT, "unsupported")


def test_an_answer_that_is_judged_as_a_whole(visit, researcher):
    made = create_study(name="Short", slug="short", preset="ais", owner=researcher)
    rows = [response(1, output="It is *very* round", passages=[{"n": 1, **passage("T")}])]
    loaded(made, lines(*rows), "short.jsonl")
    opened(made, raters_per_item=1)
    page = open_desk(visit, made)
    page.keyboard.press("m")  # no passage is in sight: nothing is marked
    expect(page.locator("[data-mark-bar]")).to_be_hidden()
    press(page, "y", "Enter")
    press(page, "m", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Space")
    is_saved(page)
    expect(page.locator(".marks:visible li q")).to_have_text("very* round")
    assert stored() == [(None, "very* round")]
