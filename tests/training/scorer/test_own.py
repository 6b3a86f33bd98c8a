"""Judged pairs in parts, and when they are too few. Training with them: test_train_scorer.py."""

import pytest

from training.scorer.own import Judged, TooFewError, parts_of
from training.scorer.pairs import LabelledPair


def judged(number: int, *, labels=(0, 1)) -> list[Judged]:
    return [
        Judged(
            LabelledPair("a", "b", labels[n % len(labels)], "study"), unit=n, question=f"q{n // 2}"
        )
        for n in range(number)
    ]


def test_all_units_of_a_question_are_in_one_part():
    parts = parts_of(judged(100), seed=1)
    questions = {name: {one.question for one in some} for name, some in parts.items()}
    assert {name: len(some) for name, some in questions.items()} == {
        "train": 27,
        "dev": 8,
        "held out": 15,
    }
    assert sum(len(some) for some in parts.values()) == 100


def test_one_kind_of_answer_is_too_little():
    with pytest.raises(TooFewError, match="judgments of both kinds in every part"):
        parts_of(judged(100, labels=(1,)), seed=1)


def test_few_pairs_are_too_little():
    with pytest.raises(TooFewError, match="at least 20 judged pairs to train with; found 1"):
        parts_of(judged(28), seed=1)
