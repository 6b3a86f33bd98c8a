"""Words marked as an answer: with signs beyond the first plane, from right to left, in the whole
answer and in extracts of long passages."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Judgment, Unit
from annotate.protocol.answers import parse_spans
from annotate.protocol.written import read
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import import_file
from tests.annotate.loading import load, response
from tests.browser.desk import LIT, STEP, open_desk, opened, press
from tests.browser.faults import AXE, RUN
from tests.browser.test_every_answer import is_kept, to

pytestmark = pytest.mark.browser

FILE = """\
protocol: marks
version: 1
title: Marks
summary: Words of answers and passages.
dimensions:
  - key: odd
    about: response
    title: Odd
    question: Mark what is odd in the answer.
    answer: spans
    choices:
      - {value: odd, label: Odd}
      - {value: wrong, label: Wrong}
    sight: nothing
  - key: proof
    about: citation
    title: Proof
    question: Mark what speaks for it.
    answer: spans
    choices:
      - {value: speaks_for, label: Speaks for it}
    marks: passages
    sight: cited
guidelines: |
  Mark.
"""

OWLS = "The 🦉 and the 👩‍🔬 see **cafe\u0301** tables [1]. The 🦉 hears, too [1]."
ARABIC = "نهر النيل هو أطول 🐪 أنهار أفريقيا [1]."
PASSAGE = "An 🦉 sits there. It sees a cafe\u0301 🐪 by night."
FILLER = " ".join(f"Line {n} has nothing 🦉 to say of anything." for n in range(300))

SELECT = """([selector, words, nth]) => {
  const element = [...document.querySelectorAll(selector)].find((one) => one.offsetParent);
  const { text, range } = lit.readable(element);
  let at = -1;
  for (let n = 0; n <= nth; n += 1) at = text.indexOf(words, at + 1);
  const made = range(at, at + words.length);
  document.getSelection().setBaseAndExtent(
    made.startContainer, made.startOffset, made.endContainer, made.endOffset
  );
}"""
ANSWER = "[data-answer='shown']"


def desk_with_answer(visit, owner, output: str, passage: str) -> Page:
    study = create_study(name="Marks", slug="marks", preset="alce", owner=owner)
    import_file(study, read(FILE))
    load(study, [response(output, passages=(("Passage", passage),))])
    opened(study, raters_per_item=1)
    page: Page = open_desk(visit, study, bypass_csp=True)
    return page


def mark(page: Page, selector: str, words: str, label: str, nth: int = 0) -> None:
    page.evaluate(SELECT, [selector, words, nth])
    page.get_by_role("button", name=label).click()


def marked(dimension: str) -> list[tuple[str, str]]:
    """The words that are stored as marked, read from the texts by their code points."""
    found = Judgment.objects.get(dimension=dimension)
    texts = {0: found.unit.judged_text}
    texts |= {one.n: one.passage.text for one in found.unit.response.sources.all()}
    spans = parse_spans(found.value)
    return [(texts[span.passage][span.start : span.end], span.label) for span in spans]


def test_signs_of_two_units_and_combining_ones_in_the_whole_answer(visit, researcher):
    page = desk_with_answer(visit, researcher, OWLS, PASSAGE)
    mark(page, ANSWER, "🦉 hears", "Odd")
    mark(page, ANSWER, "👩‍🔬 see cafe\u0301", "Wrong")
    is_kept(page)
    assert "cafe\u0301" in Unit.objects.get(key="r").text
    assert marked("odd") == [("👩‍🔬 see **cafe\u0301", "wrong"), ("🦉 hears", "odd")]
    page.reload()
    to(page, "r-odd")
    assert page.evaluate(LIT, "label-1") == ["🦉 hears"]
    assert page.evaluate(LIT, "label-2") == ["👩‍🔬 see cafe\u0301"]
    expect(page.locator(f"{STEP} [data-spans] q")).to_have_text(
        ["👩‍🔬 see **cafe\u0301", "🦉 hears"]
    )
    page.add_script_tag(path=AXE)
    assert page.evaluate(RUN) == []


def test_words_from_right_to_left_by_keys(visit, researcher):
    """Arrows go where they point."""
    page = desk_with_answer(visit, researcher, ARABIC, PASSAGE)
    press(page, "m", "ArrowLeft", "Shift+ArrowLeft", "1")
    press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight", "2")
    is_kept(page)
    assert marked("odd") == [("النيل هو", "odd"), ("أنهار", "wrong")]
    assert page.evaluate(LIT, "label-1") == ["النيل هو"]


def test_the_lines_of_a_long_answer_are_walked_up_and_down(visit, researcher):
    page = desk_with_answer(visit, researcher, f"{FILLER} It ends here [1].", PASSAGE)
    press(page, "m", "ArrowDown", "ArrowDown", "ArrowUp", "1", "End", "2")
    is_kept(page)
    first, last = marked("odd")
    assert last == ("here", "wrong")
    place = parse_spans(Judgment.objects.get().value)[0].start
    assert first[1] == "odd"
    assert 0 < place < 200


def test_an_extract_gives_places_in_the_whole_passage(visit, researcher):
    passage = f"{FILLER} {PASSAGE} {FILLER}"
    page = desk_with_answer(visit, researcher, "The 🦉 sees a camel by night [1].", passage)
    to(page, "s1-c1-proof")
    expect(page.locator(".extract-note:visible")).to_contain_text("Extract")
    part = ".passage:not([hidden]) .part:not([hidden]):has-text('by night') [data-stretch]"
    handle = page.locator(part)
    handle.evaluate("one => one.id = 'part'")
    mark(page, "#part", "cafe\u0301 🐪", "Speaks for it")
    press(page, "e", "Space", "1")  # a whole sentence
    is_kept(page)
    assert ("cafe\u0301 🐪", "speaks_for") in marked("proof")
    assert any(words.endswith(".") and len(words) > 10 for words, _ in marked("proof"))
    page.reload()
    to(page, "s1-c1-proof")
    assert "cafe\u0301 🐪" in page.evaluate(LIT, "label-1")
    page.get_by_role("link", name="Show the whole passage").click()
    expect(page.locator(".extract-note:visible")).to_contain_text("The whole passage")
    assert "cafe\u0301 🐪" in page.evaluate(LIT, "label-1")
    page.get_by_role("button", name="Remove mark").last.click()
    page.wait_for_function("() => !task.valueOf(task.step()).includes('|')")
    is_kept(page)
    assert len(marked("proof")) == 1
