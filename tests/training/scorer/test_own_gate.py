"""Whether training with a study's own judgments is worth it, on questions that were held out."""

import numpy as np
import pytest

from training.scorer.own import Judged, TooFewError
from training.scorer.own_gate import cross_validated, parts_of_questions
from training.scorer.pairs import LabelledPair


def judged(questions=40, each=3, *, labels=(0, 1)):
    return [
        Judged(
            LabelledPair(f"p{n}", "h", labels[(n * 7 // 3) % len(labels)], "study"),
            unit=n,
            question=f"q{n // each:03}",
        )
        for n in range(questions * each)
    ]


def gate_of(some, right, folder, *, key="k", seen=None):
    """A start that is a coin, and training after which so many of a hundred are right."""
    random = np.random.default_rng(1)
    coin = random.random(len(some)).tolist()

    def train(learn, stop, others, work):
        assert not {one.question for one in others} & {one.question for one in [*learn, *stop]}
        assert not {one.question for one in learn} & {one.question for one in stop}
        if seen is not None:
            seen.append(len(others))
        hits = random.random(len(others)) < right
        return [
            0.9 if bool(one.pair.label) == bool(hit) else 0.1
            for one, hit in zip(others, hits, strict=True)
        ], 0.5

    return cross_validated(some, coin, 0.5, train, folds=4, seed=3, folder=folder, key=key)


def test_what_learned_something_passes(tmp_path):
    found = gate_of(judged(), 0.9, tmp_path)
    assert found.passed
    assert found.comparison.units == 120
    assert found.comparison.more["kappa"].low > 0
    assert "(40, 120 pairs, 4 parts)" in found.said()


def test_what_learned_nothing_does_not(tmp_path):
    found = gate_of(judged(), 0.5, tmp_path)
    assert not found.passed
    assert not found.described()["passed"]


def test_every_question_is_held_out_once_and_what_broke_off_goes_on(tmp_path):
    seen: list[int] = []
    first = gate_of(judged(), 0.9, tmp_path, seen=seen)
    assert (len(seen), sum(seen)) == (4, 120)
    (tmp_path / "2.json").unlink()
    gate_of(judged(), 0.9, tmp_path, seen=seen)
    assert len(seen) == 5
    again = gate_of(judged(), 0.9, tmp_path, key="other", seen=seen)
    assert len(seen) == 9
    assert again.comparison.units == first.comparison.units


def test_too_little_is_said(tmp_path):
    with pytest.raises(TooFewError, match="at least 10 questions; found 9"):
        parts_of_questions([f"q{n}" for n in range(9)], 4, 1)
    with pytest.raises(TooFewError, match="found one kind"):
        gate_of(judged(labels=(1,)), 0.9, tmp_path)
