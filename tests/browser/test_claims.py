"""Whole ALiiCE batches in which raters write the claims: by keyboard, and by touch on a phone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Batch, Judgment, Study
from annotate.studies.lifecycle import create_study
from tests.annotate.cups import PARSED, parsers_claims
from tests.browser.desk import dimension, is_saved, open_desk, opened, press, rater_named
from tests.browser.faults import AXE, NARROW, RUN, TOO_WIDE
from tests.browser.test_desk_screens import GO_ON, JUDGED, LOW, SEEN, facts
from tests.uploads.files import lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

CUPS = "Cups can be made of glass [1] or plastic [2][1]."
RAIN = "Rain falls [2] and snow melts [1]."
KEYS = {"claim_recall": "y", "claim_support": "f", "utility": "4", "pf_utility": "1"}


@pytest.fixture
def study(researcher) -> Study:
    return create_study(name="Cups", slug="cups", preset="aliice", owner=researcher)


def batch_of(study: Study, *outputs: str) -> Batch:
    passages = [{"n": n, **passage(f"cups of kind {n}")} for n in (1, 2)]
    rows = [response(n, output=text, passages=passages) for n, text in enumerate(outputs, 1)]
    loaded(study, lines(*rows), "cups.jsonl")
    return opened(study, raters_per_item=1)


def shown(page: Page, selector: str) -> Any:
    return page.locator(f".step:not([hidden]) {selector}")


def lit(page: Page) -> list[str]:
    """The words of the claim that are lit in the answer."""
    found: list[str] = page.evaluate("[...CSS.highlights.get('claim')].map(String)")
    return found


def is_at_the_end(page: Page) -> bool:
    return bool(page.locator(".step-end:not([hidden])").count())


def choose_with_keys(page: Page, count: int) -> None:
    """The first words of the sentence: one by the space bar, the others by Shift and the arrow."""
    press(page, "Home", "Space")
    for _ in range(count - 1):
        page.keyboard.press("Shift+ArrowRight")


def test_a_batch_by_keyboard(visit, study):
    batch = batch_of(study, CUPS, RAIN, "All of it is cited for at the end [1].")
    assert batch.items.count() == 2, "the third response has no positional citation"
    page = open_desk(visit, study)
    for _ in range(2):
        address = page.url.partition("?")[0]
        while not is_at_the_end(page):
            if dimension(page) == "claim_words":
                choose_with_keys(page, 2)
            else:
                page.keyboard.press(KEYS[dimension(page)])
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(re.compile(re.escape(address)))
    expect(page.get_by_text("all its ratings")).to_be_visible()
    assert batch.assignments.filter(state="done").count() == 2
    written = Judgment.objects.filter(dimension="claim_words")
    assert sorted(row.claim["text"] for row in written) == ["Cups can"] * 2 + ["Rain falls"] * 2
    assert Judgment.objects.filter(dimension="claim_recall", value="yes").count() == 4


def test_words_are_moved_over_and_the_claim_is_lit_where_it_is_judged(visit, study):
    batch_of(study, CUPS)
    page = open_desk(visit, study)
    press(page, "4", "Enter")
    choose_with_keys(page, 5)
    page.keyboard.press("ArrowRight")  # glass
    page.keyboard.press("Space")
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can be made of glass")
    page.keyboard.press("Enter")
    assert lit(page) == []
    page.keyboard.press("n")  # no claim of its own, so nothing more is asked about it
    page.keyboard.press("Enter")
    expect(shown(page, "[data-quoted]")).to_have_text("Cups can be made of glass")
    assert lit(page) == ["Cups can be made of glass"]
    expect(page.locator(".answer .chip.lit")).to_have_text(["1"])
    page.keyboard.press("y")
    is_saved(page)
    press(page, "Enter", "f", "Enter")
    assert dimension(page) == "pf_utility"
    page.goto(re.sub(r"\?.*", "?step=s1-g1-claim_words", page.url))
    assert lit(page) == ["Cups can be made of glass"]
    page.keyboard.press("Space")  # without its first word it is another claim
    is_saved(page)
    press(page, "Enter", "Enter")
    expect(shown(page, "[data-quoted]")).to_have_text("can be made of glass")
    expect(shown(page, "input:checked")).to_have_count(0)
    page.keyboard.press("u")
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can be made of glass")


def test_the_parsers_proposal_is_taken_by_going_on(visit, study):
    batch_of(study, CUPS)
    parsers_claims(study, *PARSED)
    Batch.objects.update(claims_from="parser")
    page = open_desk(visit, study)
    press(page, "4", "Enter")
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can be made of glass")
    press(page, "Enter", "End")
    page.keyboard.press("Space")  # without plastic
    page.keyboard.press("Enter")
    is_saved(page)
    written = Judgment.objects.filter(dimension="claim_words").order_by("unit")
    assert [(row.claim["text"], row.claim["proposal"]) for row in written] == [
        ("Cups can be made of glass", "Cups can be made of glass"),
        ("Cups can be made of", "Cups can be made of plastic"),
    ]


def test_words_stand_once_passages_came_and_none_is_offered_as_unsupported(visit, study):
    batch_of(study, RAIN)
    study.batches.update(fixes_first=True)
    page = open_desk(visit, study)
    press(page, "4", "Enter")
    for _ in range(2):
        choose_with_keys(page, 2)
        page.keyboard.press("Enter")
    expect(page.locator("#step-s1-g1-claim_recall")).to_be_visible()
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.statement'))")
    page.wait_for_timeout(200)
    expect(page.locator("[data-mark-bar]")).to_be_hidden()
    page.evaluate("getSelection().removeAllRanges()")
    page.keyboard.press("k")
    expect(shown(page, ".claim-word input").first).to_be_disabled()
    shown(page, "[data-all-words]").click()
    expect(page.locator("[data-outbox-state]")).to_contain_text("is locked")
    expect(shown(page, "[data-claim-said]")).to_have_text("Rain falls")


def test_a_claim_in_a_script_without_spaces_reads_as_it_is_stored(visit, study):
    batch_of(study, "杯子由玻璃[1]或塑料[2]制成。")
    page = open_desk(visit, study)
    press(page, "4", "Enter")
    press(page, "Home", "Space", "ArrowRight", "ArrowRight", "Space")
    expect(shown(page, "[data-claim-said]")).to_have_text("杯由")
    page.keyboard.press("Enter")
    is_saved(page)
    assert Judgment.objects.get(dimension="claim_words").claim["text"] == "杯由"


def test_by_touch_on_a_phone(visit, study):
    batch = batch_of(study, CUPS)
    page = visit(
        rater_named(study, "anna"),
        "/studies/cups/",
        viewport={"width": NARROW, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    page.get_by_role("button", name="Start").tap()
    page.wait_for_url(re.compile(r"/desk/tasks/\d+/"))
    words = shown(page, ".claim-word")
    while not is_at_the_end(page):
        asked = dimension(page)
        if asked == "claim_words":
            for at in (0, 1, 1, 2):
                words.nth(at).tap()
            expect(shown(page, "[data-claim-said]")).to_have_text("Cups be")
            sizes = words.evaluate_all("all => all.map(e => e.getBoundingClientRect())")
            assert min(min(size["width"], size["height"]) for size in sizes) >= 44
        else:
            shown(page, f"[data-key-choice='{KEYS[asked]}']").tap()
        shown(page, "[data-go-on]").tap()
    page.locator(".step-end [data-finish]").first.tap()
    expect(page.get_by_text("all its ratings")).to_be_visible()
    assert batch.assignments.filter(state="done").count() == 1


def test_a_mouse_is_drawn_over_words(visit, study):
    batch_of(study, CUPS)
    page = open_desk(visit, study)
    press(page, "4", "Enter")
    words = shown(page, ".claim-word")
    words.nth(0).hover()
    page.mouse.down()
    words.nth(2).hover()
    page.mouse.up()
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can be")
    words.nth(5).click(modifiers=["Shift"])
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can be made of glass")


def test_where_words_run_to_the_left_so_do_the_arrows(visit, study):
    batch_of(study, "الأكواب مصنوعة من الزجاج [1] أو البلاستيك [2].")
    page = open_desk(visit, study)
    press(page, "4", "Enter", "Space", "Shift+ArrowLeft")
    expect(shown(page, "[data-claim-said]")).to_have_text("الأكواب مصنوعة")


SCREENS: list[tuple[tuple[int, int], dict[str, Any]]] = [
    ((1280, 800), {"color_scheme": "light"}),
    ((768, 1024), {"color_scheme": "dark", "reduced_motion": "reduce"}),
    ((390, 844), {"color_scheme": "dark"}),
    (LOW, {"forced_colors": "active"}),
]


@pytest.mark.parametrize(("size", "look"), SCREENS)
def test_writing_a_claim_by_keys_is_accessible_and_fits(visit, study, size, look):
    batch_of(study, CUPS)
    width, height = size
    page = open_desk(
        visit,
        study,
        viewport={"width": width, "height": height},
        bypass_csp=True,  # for axe alone
        **look,
    )
    page.add_script_tag(path=str(AXE))
    if size == LOW:
        page.keyboard.press("q")  # the sheet is closed at first, and its words get the focus
    press(page, "4", "Enter")
    choose_with_keys(page, 3)
    is_saved(page)
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can be")
    faults = found_at(page, width)
    press(page, "Enter", "n", "Enter")
    assert dimension(page) == "claim_recall"
    assert faults + found_at(page, width) == []


def found_at(page: Page, width: int) -> list[str]:
    """What axe finds, what is cut or too small, and what cannot be brought into sight."""
    found: list[str] = page.evaluate(RUN) + page.evaluate(TOO_WIDE) + facts(page, width < 768)
    for selector in (JUDGED, GO_ON, ".step:not([hidden]) .claim-word"):
        found += page.evaluate(SEEN, selector)
    return found


def test_words_take_the_keys_when_the_question_is_shown(visit, study):
    """On a low screen the question is hidden at first: arrows then change it, and choose words once
    it is shown, by `q` and by its button."""
    batch_of(study, CUPS)
    page = open_desk(visit, study, viewport={"width": LOW[0], "height": LOW[1]})
    press(page, "4", "Enter")
    assert dimension(page) == "claim_words"
    page.keyboard.press("q")
    choose_with_keys(page, 2)
    expect(shown(page, "[data-claim-said]")).to_have_text("Cups can")
    is_saved(page)
    page.keyboard.press("q")
    expect(shown(page, ".claim-words")).to_be_hidden()
    press(page, "ArrowRight", "ArrowLeft")
    assert dimension(page) == "claim_words"
    for _ in range(200):  # words are sent a moment after they were chosen
        page.wait_for_timeout(50)
        written = Judgment.objects.filter(dimension="claim_words").first()
        if written and written.claim["text"] == "Cups can":
            return
    raise AssertionError(written and written.claim)


def test_what_is_asked_about_is_seen_in_the_systems_own_colours(visit, study):
    batch_of(study, CUPS)
    page = open_desk(visit, study, forced_colors="active")
    press(page, "4", "Enter")
    look = """(item) => {
        const { backgroundColor, textDecorationLine } = getComputedStyle(item);
        return [backgroundColor, textDecorationLine];
    }"""
    for place in (".answer", ".step:not([hidden]) .claim-words"):
        own, other = (page.locator(f"{place} .chip{lit}").first for lit in (".lit", ":not(.lit)"))
        assert own.evaluate(look) != other.evaluate(look), place
    assert page.locator(".answer .statement.lit").first.evaluate(look)[1] == "underline"
