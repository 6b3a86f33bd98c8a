"""Two answers at the desk: by keyboard, on a phone, in practice and as gold, with what is marked
and found in the passages of both."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Evidence, Judgment
from annotate.rating import gold
from annotate.rating.batches import Selection, create_batch, open_batch
from annotate.studies.lifecycle import create_study
from tests.browser.desk import PHONE, STEP, is_saved, open_desk, opened, press, rater_named, start
from tests.browser.faults import NARROW, TOO_WIDE
from tests.uploads.files import lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

SIDE = ".pair-side:nth-of-type({})"


@pytest.fixture
def pairs(researcher):
    made = create_study(name="Pairs", slug="pairs", preset="pairwise", owner=researcher)
    rows = [
        response(
            1,
            system=system,
            output=f"The thing is {colour} [1]. It rolls [2].",
            passages=[
                {"n": 1, **passage(f"Of {colour}"), "text": f"The thing is {colour}. It is old."},
                {"n": 2, **passage("Rolling"), "text": "What is round rolls."},
            ],
        )
        for system, colour in (("Amber", "red"), ("Bronze", "blue"))
    ]
    loaded(made, lines(*rows), "pairs.jsonl")
    return made


def colours(page):
    """Those that the answers tell, in the order in which they stand."""
    texts = page.locator(".pair-side [data-answer='shown']").all_inner_texts()
    return ["red" if "red" in text else "blue" for text in texts]


def stored():
    return dict(Judgment.objects.values_list("dimension", "value"))


def said_by_keys(page):
    """What choosing Answer 1 twice is kept as."""
    first = colours(page)[0] == "red"
    return {"better_answer": "better" if first else "worse",
            "better_supported": "first" if first else "second"}  # fmt: skip


def test_a_pair_is_judged_and_marked_by_keyboard(visit, pairs, researcher):
    opened(pairs, raters_per_item=1)
    options = {"viewport": {"width": NARROW, "height": 900}}
    page = open_desk(visit, pairs, **options)
    expect(page.locator(".pair-passages").first).to_be_hidden()
    press(page, "2", "Enter")
    expect(page.locator(".pair-passages").first).to_be_visible()
    press(page, "m")  # of two answers, words of passages alone are marked
    expect(page.locator("[data-mark-bar]")).to_be_hidden()
    press(page, "e", "Space", "ArrowDown", "ArrowDown", "ArrowDown", "Space", "Escape")
    one, other = colours(page)
    expect(page.locator(f"{STEP} .marks li q")).to_have_text(
        [f"The thing is {one}.", f"The thing is {other}."]
    )
    places = page.locator(f"{STEP} .marks li [data-mark-place]")
    expect(places).to_have_text(["Answer 1: 1", "Answer 2: 1"])
    is_saved(page)
    page.reload()
    expect(places).to_have_text(["Answer 1: 1", "Answer 2: 1"])
    press(page, "/")
    page.keyboard.type("rolls")
    expect(page.locator("#search-count")).to_have_text("2 places")
    expect(page.locator(".sentence:visible", has_text="rolls")).to_have_count(2)
    assert page.evaluate(TOO_WIDE) == []
    page.locator(STEP).focus()
    press(page, "1")
    is_saved(page)
    assert stored() == said_by_keys(page)
    marked = Evidence.objects.values_list("source__response__system__name", "start", "end")
    assert set(marked) == {("Amber", 0, 17), ("Bronze", 0, 18)}
    press(page, "Enter")
    page.wait_for_url(lambda url: "/desk/tasks/" not in url)
    unit = Judgment.objects.earliest("pk").unit
    dispute = visit(researcher, reverse("dispute", args=["pairs", unit.pk, "better_supported"]))
    expect(dispute.locator(".pair-side mark")).to_have_count(2)
    expect(dispute.locator(".vote-card .quoted .chip")).to_have_text(["Answer 1: 1", "Answer 2: 1"])
    assert dispute.evaluate(TOO_WIDE) == []


def test_a_pair_is_judged_on_a_phone(visit, pairs):
    opened(pairs, raters_per_item=1)
    page = visit(rater_named(pairs, "anna"), "/studies/pairs/", **PHONE)
    page.get_by_role("button", name="Start").first.tap()
    page.get_by_text("Answer 1 is better", exact=True).tap()
    page.locator(f"{STEP} [data-go-on]").tap()
    page.get_by_text("Passages of answer 2").tap()
    sentence = page.locator(".pair-side").nth(1).locator(".sentence").first
    sentence.tap()
    expect(page.locator(f"{STEP} .marks li [data-mark-place]")).to_have_text(["Answer 2: 1"])
    page.locator(STEP).get_by_text("Answer 1 is better supported").tap()
    is_saved(page)
    assert page.evaluate(TOO_WIDE) == []
    assert stored() == said_by_keys(page)
    whose = Evidence.objects.values_list("source__response__system__name", flat=True)
    assert list(whose) == ["Bronze" if colours(page)[0] == "red" else "Amber"]


def test_practice_tells_what_is_known_in_the_order_that_was_seen(visit, pairs, researcher):
    batch = create_batch(pairs, name="Practice", purpose="practice", selection=Selection())
    gold.make_judge(batch)
    writing = visit(researcher, reverse("batch-gold", args=["pairs", batch.pk]))
    writing.get_by_role("button", name="Write the known answers").first.click()
    writing.wait_for_url(lambda url: "/desk/tasks/" in url)
    press(writing, "2", "Enter", "1")
    is_saved(writing)
    known = said_by_keys(writing)
    press(writing, "Enter")
    writing.wait_for_url(lambda url: "/gold/" in url)
    assert stored() == known
    open_batch(batch)
    page = visit(rater_named(pairs, "anna"), reverse("desk", args=["pairs", batch.pk]))
    start(page)
    press(page, "3", "Enter", "2")
    is_saved(page)
    at = 1 + (said_by_keys(page) != known)
    press(page, "Enter")
    page.wait_for_url(lambda url: "feedback" in url)
    expect(page.get_by_role("main")).to_contain_text(f"Answer {at} is better")
    expect(page.get_by_role("main")).to_contain_text(f"Answer {at} is better supported")
    assert page.evaluate(TOO_WIDE) == []
