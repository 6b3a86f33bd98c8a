"""Attributed QA's post-hoc retrieval."""

import pytest

from annotate.formats.records import QuestionRecord
from annotate.retrieval.found import Found
from evaluation.generating.demonstrations import Pair, own_pairs, pairs_for
from evaluation.generating.talks import Subject
from tests.evaluation.generating.talking import (
    CHEESE,
    ENGINEER,
    SUBJECT,
    TOWER,
    as_before,
    talked,
)


@pytest.mark.parametrize("options", [{"pairs": 3}, {"pairs": 2, "pairs_by": "similar"}])
def test_its_prompts_are_the_golden_ones(options):
    same, _ = as_before("posthoc", **options)
    assert same


def answered(text, **more):
    return talked("posthoc", lambda prompt: text, **more)[0]


def test_the_first_passage_that_contains_the_answer_is_its_attribution():
    written = answered("The Gustave Eiffel.\nHe was one.")
    assert written.output == "The Gustave Eiffel."
    assert written.passages[0] == ENGINEER


def test_a_mark_is_no_part_of_the_answer():
    written = answered("Gustave Eiffel [3]")
    assert (written.output, written.passages[0]) == ("Gustave Eiffel", ENGINEER)


def test_else_the_first_of_those_found_and_without_an_answer_too():
    assert answered("1902").passages[0] == TOWER
    assert answered("").passages[0] == TOWER


def test_question_and_answer_are_the_query_of_a_corpus():
    asked = []

    def search(query, k):
        asked.append((query, k))
        return [CHEESE, TOWER]

    written = answered("1889", search=search, k=7)
    assert asked == [(f"{SUBJECT.question.text} 1889", 7)]
    assert written.passages == (TOWER, CHEESE)


def test_where_nothing_is_found_nothing_is_attributed():
    subject = Subject(QuestionRecord("Why?", "q9"))
    assert talked("posthoc", lambda prompt: "So", subject)[0].passages == ()


def test_the_likest_pairs_come_last_and_the_question_is_none_of_its_own_examples():
    pairs = [Pair("Which river flows through Paris?", "Seine"), *own_pairs()]
    found = pairs_for(pairs, "Which river flows through Paris?", 2, "similar", 1)
    assert found[-1].question == "Which river flows through Vienna?"
    assert Pair("Which river flows through Paris?", "Seine") not in found
    drawn = [pairs_for(pairs, "?", 4, "random", seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(pairs_for(pairs, "?", 64, "random", 1)) == 64
    assert len(pairs_for(pairs[:9], "?", 64, "random", 1)) == 9


def test_of_alike_passages_the_earlier_stays_first():
    subject = Subject(QuestionRecord("Why?", "q9"), (Found("a", "x", 0.0), Found("b", "y", 0.0)))
    written, _ = talked("posthoc", lambda prompt: "z", subject)
    assert [one.key for one in written.passages] == ["a", "b"]
