"""A study's pairs divided by question, and agreement with people."""

import pytest
from sklearn.metrics import cohen_kappa_score

from training.scorer.held_out import HeldOutAgreement, agreement, divided


def test_a_question_is_in_one_part_and_the_seed_says_which():
    questions = [f"q{n % 40}" for n in range(200)]
    parts = divided(questions, seed=1)
    counted = {part: list(parts.values()).count(part) for part in set(parts.values())}
    assert counted == {"held out": 12, "dev": 6, "train": 22}
    assert parts == divided(sorted(questions, reverse=True), seed=1)
    assert parts != divided(questions, seed=2)


def test_kappa_by_hand_and_as_in_scikit_learn():
    # Alike: 7 of 10. Yes: 5 and 6 of 10, so by chance .5 * .6 + .5 * .4 = .5, and (.7 - .5) / .5.
    labels = [True] * 5 + [False] * 5
    decisions = [True] * 4 + [False] + [True] * 2 + [False] * 3
    found = agreement(labels, decisions, [f"q{n}" for n in range(10)])
    assert (found.number, found.entailed, found.said) == (10, 5, 6)
    assert found.accuracy == 0.7
    assert found.kappa == pytest.approx(0.4)
    assert found.kappa == pytest.approx(cohen_kappa_score(labels, decisions))
    assert (found.accuracy_low or 1) < 0.7 < (found.accuracy_high or 0)
    assert (found.kappa_low or 1) < 0.4 < (found.kappa_high or 0)


def width(found: HeldOutAgreement) -> float:
    assert found.kappa_low is not None
    assert found.kappa_high is not None
    return found.kappa_high - found.kappa_low


def test_two_questions_say_less_than_ten():
    labels = [True, False] * 20
    decisions = [True, False] * 15 + [False, True] * 5
    many = agreement(labels, decisions, list(range(40)))
    few = agreement(labels, decisions, [n // 5 for n in range(40)])
    assert many.kappa == few.kappa
    assert width(few) > width(many) > 0


def test_where_all_say_the_same_kappa_is_undefined_with_its_reason():
    found = agreement([True] * 4, [True] * 4, list(range(4)))
    assert (found.accuracy, found.kappa) == (1.0, None)
    assert found.reason == "people and scorer say the same of all"


def test_nothing_held_out_is_said():
    found = agreement([], [], [])
    assert (found.number, found.accuracy, found.kappa) == (0, None, None)
    assert found.reason == "nothing is held out"
