"""Retrieve-then-read, post-hoc retrieval and LLM-as-retriever: one passage says so."""

from dataclasses import replace

import pytest

from annotate.formats.records import QuestionRecord
from annotate.text.search_result import Found
from evaluation.generating.postediting.passages import ByAutoAIS
from evaluation.generating.postediting.ranking import Embeddings
from evaluation.generating.systems.conversations import Subject
from evaluation.generating.systems.demonstrations import Pair, own_pairs, pairs_for
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AUTOAIS, BM25
from evaluation.generating.systems.writing import Decoding, ResponseWriter
from evaluation.judges.autoais import AutoAIS
from evaluation.judges.entailment import Asker
from evaluation.judges.entailment.weights import base_folder
from tests.evaluation.generating.talking import (
    CHEESE,
    ENGINEER,
    SUBJECT,
    TOWER,
    Answering,
    caller,
    inputs,
    talked,
)

NO_POINTER = {"no_pointer": True}


def read(labelled_lines, **options):
    return talked("retrieve_then_read", lambda prompt: labelled_lines, **options)


def test_answers_and_pointers_are_read(subtests):
    for labelled_lines, output, first, notes in [
        # without a pointer to one of the first two, the first passage is attributed
        ("Answer: 1889\nDocument: 3", "1889", TOWER, NO_POINTER),
        ("Answer: 1889", "1889", TOWER, NO_POINTER),
        ("1889\nwhich it says", "1889", TOWER, NO_POINTER),
        ("", "", TOWER, NO_POINTER),
        # a mark is no part of the answer, and points where nothing else does
        ("Answer: Gustave Eiffel [2]\nDocument: 1", "Gustave Eiffel", TOWER, {}),
        ("Answer: Gustave Eiffel [2].", "Gustave Eiffel.", ENGINEER, {}),
        ("Gustave Eiffel [2]", "Gustave Eiffel", ENGINEER, {}),
        ("Answer: Gustave Eiffel [9]", "Gustave Eiffel", TOWER, NO_POINTER),
        # other forms
        ("**Answer:** 1889\n**Document:** 2", "1889", ENGINEER, {}),
        ("Answer:\n1889\nDocument:\n[2]", "1889", ENGINEER, {}),
        ("**Answer: 1889**\n\n* Document: 2", "1889", ENGINEER, {}),
    ]:
        with subtests.test(labelled_lines=labelled_lines, output=output):
            written, _ = read(labelled_lines, point=2)
            assert (written.output, written.passages[0], written.notes) == (output, first, notes)


class Backwards:
    """Finds the last passage best."""

    signature = "backwards"

    def scores(self, passages, texts):
        return [[float(one.number) for one in passages] for _ in texts]


def test_candidates_are_put_in_order_before_the_first_are_read():
    written, calls = read("Answer: Gustave Eiffel\nDocument: 1", ranker=Backwards(), k=2, read=1)
    assert calls[0][0].prompt.user.endswith(f"Document [1](Title: Engineer): {ENGINEER.text}")
    assert written.passages == (ENGINEER, TOWER)  # what was not among the first k is no candidate
    subject = replace(SUBJECT, found=(CHEESE, ENGINEER, TOWER))
    assert read("Answer: 1889\nDocument: 1", subject=subject)[0].passages == subject.found
    for ranker in (BM25, Embeddings(str(base_folder()))):
        written, _ = read("Answer: 1889\nDocument: 1", subject=subject, ranker=ranker)
        assert written.passages == (TOWER, ENGINEER, CHEESE), ranker


# Post-hoc retrieval -------------------------------------------------------------------------------


def posthoc(text, subject=SUBJECT, **more):
    return talked("posthoc", lambda prompt: text, subject, **more)[0]


def test_the_first_passage_that_contains_the_answer_is_its_attribution():
    written = posthoc("The Gustave Eiffel.\nHe was one.")
    assert (written.output, written.passages[0]) == ("The Gustave Eiffel.", ENGINEER)
    written = posthoc("Gustave Eiffel [3]")
    assert (written.output, written.passages[0]) == ("Gustave Eiffel", ENGINEER)
    assert posthoc("1902").passages[0] == posthoc("").passages[0] == TOWER
    assert posthoc("So", Subject(QuestionRecord("Why?", "q9"))).passages == ()
    alike = (Found("a", "x", 0.0), Found("b", "y", 0.0))
    assert posthoc("z", Subject(QuestionRecord("Why?", "q9"), alike)).passages == alike


def test_the_most_similar_pairs_come_last_and_the_question_is_none_of_its_own_examples():
    pairs = [Pair("Which river flows through Paris?", "Seine"), *own_pairs()]
    found = pairs_for(pairs, "Which river flows through Paris?", 2, "similar", 1)
    assert found[-1].question == "Which river flows through Vienna?"
    assert Pair("Which river flows through Paris?", "Seine") not in found
    drawn = [pairs_for(pairs, "?", 4, "random", seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(pairs_for(pairs, "?", 64, "random", 1)) == 64
    assert len(pairs_for(pairs[:9], "?", 64, "random", 1)) == 9


# LLM-as-retriever ---------------------------------------------------------------------------------

SECOND = Found("t4", "By night the tower is lit.", 0.5, "Tower", "https://x.org/wiki/Tower")


def named(page, **more):
    labelled_lines = f"Answer: at night [1]\nPage: {page}"
    return talked("llm_as_retriever", lambda prompt: labelled_lines, **more)[0]


def test_a_page_that_is_not_there_attributes_nothing():
    for page in (
        "https://x.org/wiki/Castle", "", "https://x.org/", "https://[en.wikipedia.org]/wiki/Tower",
        "http://[::1/x",
    ):  # fmt: skip
        written = named(page)
        assert (written.passages, written.notes["page_found"]) == ((), False), page
    broken = Found("b", "By night.", 1.0, "Night", "http://[bad/x")
    assert named("http://[bad/x", search=lambda query, k: [broken]).passages == ()
    found = named("https://x.org/wiki/Tower", search=lambda query, k: [broken, TOWER])
    assert found.passages == (TOWER,)


def test_where_pages_can_be_looked_up_nothing_is_searched():
    asked = []

    def page_passages(title, address):
        asked.append((title, address))
        return [TOWER, CHEESE, SECOND]  # CHEESE has a digest like it

    def search(query, k):
        raise AssertionError(query)

    written = named("[Tower](https://x.org/wiki/Tower)", search=search, page_passages=page_passages)
    assert written.passages == (SECOND, TOWER)
    assert asked == [("Tower", "https://x.org/wiki/Tower")]
    assert (
        named("Castle", search=search, page_passages=lambda *page: []).notes["page_found"] is False
    )


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
    made = ResponseWriter(
        SYSTEMS["llm_as_retriever"],
        inputs("llm_as_retriever", search=lambda query, k: [BY_WORDS, SAYS_SO]),
        caller(model),
        Decoding(),
        afterwards,
        ByAutoAIS(AutoAIS(Asker(OfTheFair()))) if afterwards else None,
    )
    (record,) = made.write([SUBJECT])
    assert record.output == "1889"
    assert [(one.n, one.text) for one in record.passages] == [(1, first.text)]
    assert len(model.asked) == 1
