"""Attributed QA's LLM-as-retriever."""

import pytest

from annotate.retrieval.found import Found
from evaluation.generating.llm_as_retriever import title_of
from tests.evaluation.generating.talking import TOWER, as_before, talked

SECOND = Found("t4", "By night the tower is lit.", 0.5, "Tower", "https://x.org/wiki/Tower")


def test_its_prompt_is_the_golden_one():
    same, _ = as_before("llm_as_retriever")
    assert same


def named(page, **more):
    said = f"Answer: at night\nPage: {page}"
    return talked("llm_as_retriever", lambda prompt: said, **more)[0]


@pytest.mark.parametrize(
    "page",
    ["https://x.org/wiki/Tower", "http://www.x.org/wiki/Tower/", "https://other.org/wiki/Tower",
     "Tower", "tower"],
)  # fmt: skip
def test_of_the_page_the_paragraph_that_fits_best(page):
    written = named(page, search=lambda query, k: [TOWER, SECOND])
    assert written.output == "at night"
    assert written.passages == (SECOND, TOWER)


@pytest.mark.parametrize("page", ["https://x.org/wiki/Castle", "", "https://x.org/"])
def test_a_page_that_is_not_there_attributes_nothing(page):
    written = named(page)
    assert written.passages == ()
    assert written.noted["page_found"] is False


def test_the_page_s_title_leads_the_query():
    asked = []

    def search(query, k):
        asked.append((query, k))
        return []

    named("https://x.org/wiki/Eiffel_Tower", search=search)
    assert asked[0][0].startswith("Eiffel Tower When was the tower opened")
    assert asked[0][1] == 50


def test_titles():
    assert title_of("https://en.wikipedia.org/wiki/Caf%C3%A9_au_lait") == "Café au lait"
    assert title_of(" ") == ""
