"""Attributed QA's LLM-as-retriever."""

import pytest

from annotate.retrieval.found import Found
from evaluation.entailment import Asker
from evaluation.generating.llm_as_retriever import is_of, title_of
from evaluation.generating.spec import AUTOAIS
from evaluation.generating.systems import SYSTEMS
from evaluation.generating.writing import Decoding, ResponseWriter
from evaluation.judges.autoais import AutoAIS
from evaluation.postediting.passages import ByAutoAIS
from tests.evaluation.generating.talking import (
    CHEESE,
    SUBJECT,
    TOWER,
    Answering,
    as_before,
    caller,
    how,
    talked,
)

SECOND = Found("t4", "By night the tower is lit.", 0.5, "Tower", "https://x.org/wiki/Tower")


def test_its_prompt_is_the_golden_one():
    same, _ = as_before("llm_as_retriever")
    assert same


def named(page, **more):
    said = f"Answer: at night [1]\nPage: {page}"
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


MANY = [Found(f"n{n}", f"Tower {n} is high.", 9.0, f"Tower {n}") for n in range(80)]


def test_the_page_is_looked_for_by_its_title_deep_in_the_corpus():
    asked = []

    def search(query, k):
        asked.append((query, k))
        return [*MANY, SECOND, TOWER][:k]

    written = named("https://x.org/wiki/Tower", search=search)
    assert written.passages == (SECOND, TOWER)
    assert asked[0] == ("Tower", 1_000)
    assert asked[1][0].startswith("Tower When was the tower opened")
    assert asked[1][1] == 50


def test_where_pages_can_be_looked_up_nothing_is_searched():
    asked = []

    def of_page(title, address):
        asked.append((title, address))
        return [TOWER, CHEESE, SECOND]  # CHEESE has a digest like it

    def search(query, k):
        raise AssertionError(query)

    written = named("[Tower](https://x.org/wiki/Tower)", search=search, of_page=of_page)
    assert written.passages == (SECOND, TOWER)
    assert asked == [("Tower", "https://x.org/wiki/Tower")]
    assert named("Castle", search=search, of_page=lambda *page: []).noted["page_found"] is False


BY_WORDS = Found(
    "t5", "When was the tower, the tower, opened? Of the tower one asks.", 1.0, "Tower"
)
SAYS_SO = Found(
    "t6", "It stands by a river, is 300 m high, and was opened in 1889 for a fair.", 1.0, "Tower"
)


class OfTheFair:
    """Scores by what a paragraph says, whichever words it shares with the question."""

    threshold = 0.5
    fingerprint = "of-the-fair"

    def probabilities(self, pairs):
        return [0.9 if "fair" in premise else 0.2 for premise, _ in pairs]


@pytest.mark.parametrize(("afterwards", "first"), [("", BY_WORDS), (AUTOAIS, SAYS_SO)])
def test_with_autoais_the_paragraph_of_the_page_with_the_highest_score(afterwards, first):
    model = Answering(lambda prompt: "Answer: 1889\nPage: https://x.org/wiki/Tower")
    page = [BY_WORDS, SAYS_SO]
    made = ResponseWriter(
        SYSTEMS["llm_as_retriever"],
        how("llm_as_retriever", search=lambda query, k: page),
        caller(model),
        Decoding(),
        afterwards,
        ByAutoAIS(AutoAIS(Asker(OfTheFair()))) if afterwards else None,
    )
    (record,) = made.write([SUBJECT])
    assert record.output == "1889"
    assert [(one.n, one.text) for one in record.passages] == [(1, first.text)]
    assert len(model.asked) == 1


def test_of_a_long_page_every_paragraph_is_ranked_and_k_are_candidates():
    page = [Found(f"p{n}", "Of other things.", 1.0, "Tower") for n in range(120)]
    written = named("Tower", search=lambda query, k: [*page, SECOND][:k])
    assert written.passages[0] == SECOND
    assert len(written.passages) == 50


@pytest.mark.parametrize(
    "page",
    ["[Tower](https://x.org/wiki/Tower)", "<https://x.org/wiki/Tower>.", '"Tower".', "**Tower**",
     "https://x.m.org/wiki/Tower", "It is https://x.org/wiki/Tower", "`https://x.org/wiki/Tower`",
     "https://x.org/index.php?title=Tower", "https://x.org/wiki/Tower#History"],
)  # fmt: skip
def test_what_models_write_around_an_address(page):
    assert named(page, search=lambda query, k: [TOWER, CHEESE]).passages == (TOWER,)


def test_pages_that_differ_in_what_they_ask_for_are_two():
    one = Found("c1", "Cheese.", 1.0, "", "https://x.org/index.php?title=Cheese")
    assert not is_of(one, "https://x.org/index.php?title=Tower")
    assert is_of(one, "https://x.org/index.php?title=Cheese")


@pytest.mark.parametrize("page", ["https://[en.wikipedia.org]/wiki/Tower", "http://[::1/x"])
def test_an_address_that_is_none_is_not_found(page):
    assert named(page).noted == {"page": page, "page_found": False}


def test_a_passage_whose_address_is_none_is_of_no_page_by_it():
    broken = Found("b", "By night.", 1.0, "Night", "http://[bad/x")
    assert named("http://[bad/x", search=lambda query, k: [broken]).passages == ()
    found = named("https://x.org/wiki/Tower", search=lambda query, k: [broken, TOWER])
    assert found.passages == (TOWER,)


def test_titles():
    assert title_of("https://en.wikipedia.org/wiki/Caf%C3%A9_au_lait") == "Café au lait"
    assert title_of("https://en.wikipedia.org/wiki/Washington,_D.C.") == "Washington, D.C"
    assert is_of(Found("w", "x", 1.0, "Washington, D.C."), "Washington, D.C.")
    assert title_of(" ") == ""
