"""Attributed QA's retrieve-then-read."""

from dataclasses import replace

import pytest

from evaluation.entailment.base import base_folder
from evaluation.generating.how import BM25
from evaluation.postediting.ranking import Embeddings
from tests.evaluation.generating.talking import (
    CHEESE,
    ENGINEER,
    SUBJECT,
    TOWER,
    as_before,
    talked,
)


def test_its_prompt_is_the_golden_one():
    same, written = as_before("retrieve_then_read")
    assert same
    assert written.passages[0] == TOWER


def test_what_is_read_anew_is_asked_of_the_attribution_alone():
    same, written = as_before("retrieve_then_read", anew="t2")
    assert same
    assert (written.output, written.passages) == ("Gustave Eiffel", (ENGINEER,))


def read(said, **options):
    return talked("retrieve_then_read", lambda prompt: said, **options)


def test_the_document_that_is_pointed_at_comes_first_and_the_rest_in_order():
    written, _ = read("Answer: Gustave Eiffel\nDocument: [2]")
    assert written.output == "Gustave Eiffel"
    assert written.passages == (ENGINEER, TOWER, CHEESE)
    assert written.noted == {}


@pytest.mark.parametrize(
    ("said", "output"),
    [
        ("Answer: 1889\nDocument: 3", "1889"),  # not among the first two
        ("Answer: 1889", "1889"),
        ("1889\nwhich it says", "1889"),
        ("", ""),
    ],
)
def test_without_a_pointer_to_one_of_the_first_the_first_is_attributed(said, output):
    written, _ = read(said, point=2)
    assert (written.output, written.passages[0]) == (output, TOWER)
    assert written.noted == {"no_pointer": True}


def test_it_reads_the_first_and_keeps_the_other_candidates():
    written, told = read("Answer: 1889\nDocument: 1", read=1, k=2)
    assert "Document [2]" not in told[0][0].prompt.user
    assert written.passages == (TOWER, ENGINEER)


@pytest.mark.parametrize(
    ("said", "first", "noted"),
    [
        ("Answer: Gustave Eiffel [2]\nDocument: 1", TOWER, {}),
        ("Answer: Gustave Eiffel [2].", ENGINEER, {}),
        ("Gustave Eiffel [2]", ENGINEER, {}),
        ("Answer: Gustave Eiffel [9]", TOWER, {"no_pointer": True}),
    ],
)
def test_a_mark_in_the_answer_is_no_part_of_it_and_points_where_nothing_else_does(
    said, first, noted
):
    written, _ = read(said)
    assert written.output.rstrip(".") == "Gustave Eiffel"
    assert (written.passages[0], written.noted) == (first, noted)


@pytest.mark.parametrize(
    "said",
    ["**Answer:** 1889\n**Document:** 2", "Answer:\n1889\nDocument:\n[2]",
     "**Answer: 1889**\n\n* Document: 2"],
)  # fmt: skip
def test_lines_in_other_forms(said):
    written, _ = read(said)
    assert (written.output, written.passages[0]) == ("1889", ENGINEER)


class Backwards:
    """Finds the last passage best."""

    signature = "backwards"

    def scores(self, passages, texts):
        return [[float(one.number) for one in passages] for _ in texts]


def test_candidates_are_put_in_order_before_the_first_are_read():
    written, told = read("Answer: Gustave Eiffel\nDocument: 1", ranker=Backwards(), k=2, read=1)
    assert told[0][0].prompt.user.endswith(f"Document [1](Title: Engineer): {ENGINEER.text}")
    assert written.passages == (ENGINEER, TOWER)  # what was not among the first k is no candidate


@pytest.mark.parametrize("ranker", [lambda: BM25, lambda: Embeddings(str(base_folder()))])
def test_by_words_and_by_meaning_what_fits_the_question_is_read(ranker):
    found = (CHEESE, ENGINEER, TOWER)
    subject = replace(SUBJECT, found=found)
    as_found, _ = read("Answer: 1889\nDocument: 1", subject=subject)
    in_order, _ = read("Answer: 1889\nDocument: 1", subject=subject, ranker=ranker())
    assert as_found.passages == found
    assert in_order.passages == (TOWER, ENGINEER, CHEESE)
