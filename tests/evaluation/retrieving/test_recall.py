"""Numbers of what was retrieved, with their arithmetic."""

import random
from itertools import combinations

import pytest

from evaluation.generating.retrieval.recall import (
    answer_recall,
    answers_of,
    held,
    oracle,
    relevance_recall,
)

TEXTS = ["The Zugspitze is high.", "It has 2,962 metres.", "A U.S. peak: Denali.", "Nothing."]
ANSWERS = [["Zugspitze"], ["2962 m", "2,962 metres"], ["the US"], ["Mont Blanc"]]


def test_an_answer_is_found_where_one_of_its_aliases_stands():
    holding = held(TEXTS, ANSWERS)
    assert holding == [{0}, {1}, {2}, set()]
    found = [answer_recall(holding, 4, k) for k in (1, 2, 3, 100)]
    assert [one.recall for one in found] == [1 / 4, 2 / 4, 3 / 4, 3 / 4]
    assert [one.hit for one in found] == [1.0] * 4
    assert answer_recall([set()], 1, 5).hit == 0.0
    assert answer_recall([], 1, 5).recall == 0.0


def test_recall_5_takes_five_answers_for_all():
    holding = [{0, 1, 2}, {3}, {4, 5}]
    at = [answer_recall(holding, 8, k) for k in (1, 2, 3)]
    assert [one.recall_5 for one in at] == [3 / 5, 4 / 5, 5 / 5]
    assert [one.recall for one in at] == [3 / 8, 4 / 8, 6 / 8]


def test_relevant_passages_count_once():
    keys = ["a", "b", "a", "c"]
    assert [relevance_recall(keys, {"a", "c", "z"}, k) for k in (1, 3, 4)] == [1 / 3, 1 / 3, 2 / 3]


@pytest.mark.parametrize(
    ("references", "answers"),
    [
        ({"qa_pairs": [{"short_answers": ["x", "y"]}, {"short_answers": ["..."]}]}, [["x", "y"]]),
        ({"answers": [["x"], ["y", "z"]]}, [["x"], ["y", "z"]]),
        ({"answer": "x"}, [["x"]]),
        ({"answer": ["x", "the"]}, [["x"]]),
        ({"claims": ["x is y."]}, []),
        ({"answer": "X is y, and long.", "claims": ["x is y."]}, []),
        ({}, []),
    ],
)
def test_the_answers_of_references(references, answers):
    assert answers_of(references) == answers


def test_no_choice_holds_more_than_the_oracle():
    chance = random.Random(5)
    for _ in range(60):
        holding = [{n for n in range(6) if chance.random() < 0.25} for _ in range(9)]
        most = max(len(set().union(*some)) for some in combinations(holding, 3))
        found = oracle(holding, size=3).ranks
        assert oracle(holding, size=3).exact
        assert len(set().union(*(holding[rank] for rank in found))) == most
        assert found == sorted(set(found))
        assert len(found) == 3


def test_of_very_many_choices_it_says_that_there_may_be_better_ones():
    chance = random.Random(3)
    holding = [{n for n in range(40) if chance.random() < 0.1} for _ in range(60)]
    assert not oracle(holding).exact
    assert oracle([*holding, set(range(40))]).exact, "nothing is left to be held"
    assert oracle(holding, size=1).exact
