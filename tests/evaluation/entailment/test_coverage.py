"""The word-for-word heuristic: what it sees, and what it is blind to."""

import math

import pytest

from evaluation.judges.entailment import load_scorer
from evaluation.judges.entailment.coverage import BIAS, WEIGHTS, evidence
from evaluation.judges.entailment.words import rarity

PREMISE = (
    "Title: Mount Logan\nMount Logan is the highest mountain in Canada. It was first climbed in "
    "1925 by a party of six. The massif does not lie on a border. Snow falls in every month."
)


def score(hypothesis, premise=PREMISE):
    return load_scorer("coverage").probabilities([(premise, hypothesis)])[0]


def test_numbers_names_and_negations_that_differ_lower_the_score(subtests):
    for right, wrong, part in [
        ("It was first climbed in 1925.", "It was first climbed in 1952.", "numbers"),
        ("In 1925, Mount Logan was climbed.", "In 1925, Mount Lucania was climbed.", "names"),
        ("Snow falls in every month.", "Snow does not fall in every month.", "negation"),
    ]:
        with subtests.test(right=right, wrong=wrong):
            assert score(wrong) < 0.5 <= score(right)
            assert getattr(evidence(PREMISE, right), part) == 0
            assert getattr(evidence(PREMISE, wrong), part) == 1


TOWER = "The Eiffel Tower was built in 1889. It was not the first tower in Paris."


def test_the_example_of_the_docs():
    assert score("The Eiffel Tower was built in 1889.", TOWER) == pytest.approx(0.77, abs=5e-3)
    assert score("The Eiffel Tower was not built in 1889", TOWER) == pytest.approx(0.43, abs=5e-3)


def test_forms_of_a_name(subtests):
    for premise, hypothesis in [
        ("The United Kingdom voted.", "It was the UK that voted."),
        ("American climbers came.", "They came from America."),
        ("Logan’s peak is high.", "High is Logan."),
    ]:
        with subtests.test(premise=premise, hypothesis=hypothesis):
            assert evidence(premise, hypothesis).names == 0


def test_the_arithmetic_by_hand():
    # Content: “snow” and “penguins”. Only snow is found, and in the nearest three sentences too.
    found = evidence("Snow falls.", "Snow and penguins")
    assert found.covered == pytest.approx(rarity("snow") / (rarity("snow") + rarity("penguins")))
    assert found[1:] == (0.0, 0.0, 0.0, 0.0)
    total = BIAS + WEIGHTS.covered * found.covered
    assert score("Snow and penguins", "Snow falls.") == pytest.approx(1 / (1 + math.exp(-total)))


def test_it_is_blind_to_contradiction_in_the_same_words():
    assert score("Canada is the highest mountain in Mount Logan.") >= 0.5


def test_odd_texts_have_scores(subtests):
    for pair in [
        ("", ""),
        ("a", ""),
        ("", "a"),
        ("the", "the"),
        ("?", "?"),
        ("☃", "雪"),
        ("²", "²"),
    ]:
        with subtests.test(pair=pair):
            assert 0 <= load_scorer("coverage").probabilities([pair])[0] <= 1
