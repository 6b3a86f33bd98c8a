"""The word-for-word heuristic: what it sees, and what it is blind to."""

import math

import pytest

from evaluation.entailment import load_scorer
from evaluation.entailment.coverage import BIAS, WEIGHTS, evidence
from evaluation.entailment.words import rarity, stem

PREMISE = (
    "Title: Mount Logan\nMount Logan is the highest mountain in Canada. It was first climbed in "
    "1925 by a party of six. The massif does not lie on a border. Snow falls in every month."
)


def score(hypothesis, premise=PREMISE):
    return load_scorer("coverage").probabilities([(premise, hypothesis)])[0]


def test_what_the_premise_says_is_supported():
    assert score("Mount Logan is the highest mountain in Canada.") >= 0.5
    assert score("The highest mountain of Canada, Mount Logan, was climbed in 1925.") >= 0.5


def test_what_it_does_not_speak_of_is_not():
    assert score("Penguins breed in colonies along the Antarctic coast.") < 0.5
    assert score("Denali is the highest peak of North America.") < 0.5


@pytest.mark.parametrize(
    ("right", "wrong", "part"),
    [
        ("It was first climbed in 1925.", "It was first climbed in 1952.", "numbers"),
        ("In 1925, Mount Logan was climbed.", "In 1925, Mount Lucania was climbed.", "names"),
        ("Snow falls in every month.", "Snow does not fall in every month.", "negation"),
    ],
)
def test_what_does_not_match_costs(right, wrong, part):
    assert score(wrong) < 0.5 <= score(right)
    assert getattr(evidence(PREMISE, right), part) == 0
    assert getattr(evidence(PREMISE, wrong), part) == 1


TOWER = "The Eiffel Tower was built in 1889. It was not the first tower in Paris."


@pytest.mark.parametrize(
    ("premise", "right", "wrong"),
    [
        (TOWER, "The Eiffel Tower was built in 1889.", "The Eiffel Tower was not built in 1889."),
        (TOWER, "The Eiffel Tower was built in 1889.", "The Eiffel Tower wasn’t built in 1889."),
        (TOWER, "The Eiffel Tower was built in 1889.", "The Eiffel Tower was built in 1899."),
        (TOWER, "The Eiffel Tower was built in 1889.", "The Blackpool Tower was built in 1889."),
        ("Spain won the cup in 2010.", "Spain won the cup.", "Spain never won the cup."),
        ("Spain won the cup in 2010.", "Spain won the cup.", "Italy won the cup."),
        ("Spain won the cup in 2010.", "Spain won the cup.", "Spain won the cup twice."),
        ("Spain never won the cup.", "Spain never won the cup.", "Spain won the cup."),
        ("The plan was approved in March.", "The plan was approved.", "Nobody approved the plan."),
        ("It was approved in March.", "It was approved in March.", "It was approved in May."),
    ],
)
def test_one_mismatch_is_enough_where_all_else_is_said(premise, right, wrong):
    assert score(wrong, premise) < 0.5 <= score(right, premise)


def test_the_example_of_the_docs():
    assert score("The Eiffel Tower was built in 1889.", TOWER) == pytest.approx(0.77, abs=5e-3)
    assert score("The Eiffel Tower was not built in 1889", TOWER) == pytest.approx(0.43, abs=5e-3)


def test_what_is_denied_elsewhere_or_both_times_is_no_contradiction():
    both = "The massif did not erode. The coast did erode."
    assert evidence(both, "The coast did erode.").negation == 0
    assert evidence(both, "The massif did not erode.").negation == 0
    assert evidence("It was not cold.", "It was not very cold.").negation == 0
    assert evidence("It did not rain in May. It did rain in June.", "It did rain.").negation == 0


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("The United Kingdom voted.", "It was the UK that voted."),
        ("American climbers came.", "They came from America."),
        ("Logan’s peak is high.", "High is Logan."),
    ],
)
def test_forms_of_a_name(premise, hypothesis):
    assert evidence(premise, hypothesis).names == 0


def test_a_name_weighs_less_in_a_long_statement():
    long = "It was Lucania that six cold people with rare massifs climbed late every month."
    assert evidence(PREMISE, "It was Lucania.").names == 1
    assert 0 < evidence(PREMISE, long).names < 1


def test_a_rare_word_weighs_more_than_a_frequent_one():
    assert rarity("massif") > rarity("mountain") > rarity("world") > rarity("the")
    both = "The massif and the mountain."
    assert evidence("A massif.", both).covered > evidence("A mountain.", both).covered


def test_the_arithmetic_by_hand():
    # Content: “snow” and “penguins”. Only snow is found, and in the nearest three sentences too.
    found = evidence("Snow falls.", "Snow and penguins")
    assert found.covered == pytest.approx(rarity("snow") / (rarity("snow") + rarity("penguins")))
    assert found[1:] == (0.0, 0.0, 0.0, 0.0)
    total = BIAS + WEIGHTS.covered * found.covered
    assert score("Snow and penguins", "Snow falls.") == pytest.approx(1 / (1 + math.exp(-total)))


def test_words_that_stand_together_count_more_than_words_far_apart():
    near = "Snow fell in June. It rained. It was cold. It was dark."
    far = "Snow fell. It rained. It was cold. It was dark. June came."
    assert evidence(near, "Snow in June").covered == 1
    assert evidence(far, "Snow in June").covered < 1


@pytest.mark.parametrize("hypothesis", ["", " ", ".", "☃", "…?!"])
def test_a_hypothesis_without_a_word_is_not_supported(hypothesis):
    assert score(hypothesis) == 0
    assert score(hypothesis, "") == 0


def test_between_which_numbers_scores_lie():
    worst = 1 / (1 + math.exp(-(BIAS + WEIGHTS.numbers + WEIGHTS.names + WEIGHTS.negation)))
    assert worst == pytest.approx(0.009, abs=5e-4)
    assert worst < score("In 7 days Ohm did not see snow.", "Snow was seen.") < 0.1
    assert score("Snow falls in every month.") == pytest.approx(0.774, abs=5e-4)


def test_it_is_blind_to_contradiction_in_the_same_words():
    assert score("Canada is the highest mountain in Mount Logan.") >= 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("climbed", "climbs"),
        ("climbing", "climb"),
        ("cities", "city"),
        ("stopped", "stop"),
        ("makes", "making"),
        ("1,000", "1000"),
        ("3rd", "third"),
        ("12.50", "12.5"),
        ("six", "6"),
        ("educated", "education"),
    ],
)
def test_forms_of_one_word(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("1.5", "15"), ("1925", "1952"), ("pass", "pas")])
def test_words_that_stay_apart(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    "pair", [("", ""), ("a", ""), ("", "a"), ("the", "the"), ("?", "?"), ("☃", "雪"), ("²", "²")]
)
def test_odd_texts_have_scores(pair):
    assert 0 <= load_scorer("coverage").probabilities([pair])[0] <= 1
