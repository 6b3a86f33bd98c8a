"""Words that are marked on their text in forms: the right answer of an example, a decision."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Example, Judgment, Unit
from tests.annotate.loading import judgment, load_judgments
from tests.browser.desk import LIT, PHONE, press, tap
from tests.browser.faults import NARROW, TOO_WIDE
from tests.evaluation.rubric import EVERY, rubric_study

pytestmark = pytest.mark.browser

QUOTED = ".marked-field [data-quoted]"


@pytest.fixture
def study(researcher):
    return rubric_study(researcher, questions=1, file=EVERY)


def unit(key):
    return Unit.objects.get(response__system__name="Vermilion", key=key)


def example(key, dimension):
    query = f"?unit={unit(key).pk}&dimension={dimension}"
    return reverse("example-new", args=["rubric"]) + query


def saved(page):
    page.get_by_label("Why it is right").fill("So it is.")
    page.get_by_role("button", name="Add to guidelines").click()
    page.wait_for_url("**/examples/")
    return Example.objects.get().value


def test_the_right_answer_is_marked_by_keyboard(visit, study, researcher):
    page = visit(researcher, example("s1", "errors"))
    expect(page.get_by_label("Words", exact=True)).to_have_count(0)
    press(page, "m", "ArrowRight", "Shift+ArrowRight", "1", "3")
    expect(page.locator("[data-spans] q")).to_have_text(["Zugspitze is"])
    assert page.evaluate(LIT, "label-1") == ["Zugspitze is"]
    assert saved(page) == "4-16:made_up:minor"
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("[data-spans] q")).to_have_text(["Zugspitze is"])
    assert page.evaluate(LIT, "label-1") == ["Zugspitze is"]
    page.get_by_role("button", name="Remove mark").click()
    page.get_by_text("Nothing to mark").click()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/examples/")
    assert Example.objects.get().value == "-"


def test_words_of_passages_are_marked_on_a_phone(visit, study, researcher):
    page = visit(researcher, example("s1.c1", "proof"), **PHONE)
    tap(page, ".marked-field .passage-text", "At")
    page.get_by_role("button", name="Speaks against it").tap()
    expect(page.locator("[data-spans] q")).to_have_text(["At"])
    assert page.evaluate(TOO_WIDE) == []
    assert saved(page) == "p1@0-2:against"


def test_a_decision_begins_with_a_raters_marks(visit, study, researcher):
    rows = [("a", "4-13:made_up:major"), ("b", "-")]
    load_judgments(study, [judgment("s1", "errors", value, judge=name) for name, value in rows])
    address = reverse("dispute", args=["rubric", unit("s1").pk, "errors"])
    page = visit(researcher, address, viewport={"width": NARROW, "height": 900})
    card = page.locator(".vote-card", has_text="Zugspitze")
    card.get_by_role("button", name="Use this one").click()
    expect(page.locator("[data-spans] q")).to_have_text(["Zugspitze"])
    page.locator("[data-edit='severity']").select_option("minor")
    assert page.evaluate(TOO_WIDE) == []
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/disputes/")
    assert Judgment.objects.get(judge__kind="adjudicated").value == "4-13:made_up:minor"
