"""A study's own questions at the desk, by keyboard and taken back to the end."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Judgment
from annotate.protocol.steps import NOT_ASKED
from annotate.rating.task_page import choice_keys
from annotate.studies.wordings import save_dimension
from tests.browser.desk import STEP, is_saved, open_desk, opened
from tests.evaluation.rubric import KIND, rubric_study

pytestmark = pytest.mark.browser


@pytest.fixture
def rubric(researcher):
    made = rubric_study(researcher, questions=1)
    opened(made, raters_per_item=1)
    return made


def choose(page: Page, study, key: str, value: str) -> None:
    """Answer the question in sight by its key, and go on."""
    expect(page.locator(STEP)).to_have_attribute("data-step", key)
    asked = study.protocol[key.split(":")[1]]
    values = [choice.value for choice in asked.choices]
    page.keyboard.press(choice_keys(asked.choices)[values.index(value)])
    page.keyboard.press("Enter")


def test_what_hangs_on_an_answer_is_forgotten_to_the_end(visit, rubric):
    page = open_desk(visit, rubric)
    steps = ["r:clarity", "s1:sort", "s1:backing", "s1.c1:passage_helps", "s1.c1:origin@2"]
    for key in steps:
        choose(page, rubric, key, KIND[key.split(":")[1]])
    is_saved(page)
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    choose(page, rubric, "s1:sort", "filler")
    expect(page.locator(STEP)).to_have_attribute("data-step", "s2:sort")
    is_saved(page)
    taken = Judgment.objects.filter(skipped_reason=NOT_ASKED)
    of = set(taken.values_list("dimension", flat=True))
    assert of == {"backing", "passage_helps", "origin@2"}
    page.keyboard.press("ArrowLeft")
    for key, value in (("s1:sort", "opinion"), ("s1:backing", "never")):
        choose(page, rubric, key, value)
    expect(page.locator(STEP)).to_have_attribute("data-step", "s2:sort")
    is_saved(page)
    assert not Judgment.objects.filter(dimension="passage_helps").exclude(value="").exists()
    page.reload()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(STEP)).not_to_have_attribute("data-step", "s1.c1:passage_helps")


def test_an_answer_on_an_older_page_names_the_wording_that_was_read(visit, rubric):
    page = open_desk(visit, rubric)
    other = replace(rubric.protocol["clarity"], question="The answer is clear.")
    save_dimension(rubric, other, replaces="clarity")
    choose(page, rubric, "r:clarity", "3")
    is_saved(page)
    assert Judgment.objects.get().wording == f"{rubric.pk}/clarity:1"
    page.reload()
    page.keyboard.press("ArrowLeft")
    choose(page, rubric, "r:clarity", "2")
    is_saved(page)
    assert Judgment.objects.get(dimension="clarity").wording == f"{rubric.pk}/clarity:2"
