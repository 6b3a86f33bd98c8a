"""Temperature, threshold and combination, on made-up logits whose truth is known."""

import numpy as np
import pytest

from training.scorer.calibration import (
    Combination,
    combination,
    combined_elsewhere,
    evenly,
    folds,
    temperature,
    threshold,
)
from training.scorer.pairs import LabelledPair


def drawn(number: int = 4_000, scale: float = 3.0):
    """Labels by chance as true logits say, and logits that are `scale` times too sure."""
    chance = np.random.default_rng(1)
    true = chance.normal(0, 1.5, number)
    labels = chance.random(number) < 1 / (1 + np.exp(-true))
    pairs = [LabelledPair(f"text {n}", "x", int(one), "wice") for n, one in enumerate(labels)]
    return pairs, true * scale


def test_a_temperature_undoes_what_is_too_sure():
    pairs, logits = drawn(scale=3.0)
    assert temperature(pairs, logits.tolist()) == pytest.approx(3.0, rel=0.1)


def test_labels_of_a_source_count_the_same_and_sources_by_their_root():
    pairs = [LabelledPair("a", "b", 1, "big")] * 16 + [LabelledPair("a", "b", 0, "small")] * 4
    even = evenly(pairs)
    assert even[:16].sum() == pytest.approx(2 * even[16:].sum())
    assert even.mean() == pytest.approx(1)


def test_the_threshold_is_where_most_is_right():
    pairs = [LabelledPair(f"{n}", "x", label, "wice") for n, label in enumerate([0, 0, 1, 0, 1, 1])]
    # From .3 on: all entailed and one of three others. From .5 on: two of three, and no other.
    found = threshold(pairs, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert 0.2 < found <= 0.3


def test_a_combination_finds_what_counts():
    chance = np.random.default_rng(2)
    features = chance.normal(0, 1, (3_000, 2))
    labels = chance.random(3_000) < 1 / (1 + np.exp(-(2 * features[:, 0] - 1)))
    pairs = [LabelledPair(f"{n}", "x", int(one), "wice") for n, one in enumerate(labels)]
    made = combination(["logit", "nothing"], features, pairs)
    assert made.weights["logit"] == pytest.approx(2, abs=0.25)
    assert made.weights["nothing"] == pytest.approx(0, abs=0.15)


def test_a_combination_by_hand():
    made = Combination({"logit": 2.0, "covered": -1.0}, bias=0.5)
    # 2 * 1 - 1 * 2.5 + 0.5 = 0
    assert made.probabilities(np.array([[1.0, 2.5]])).tolist() == [0.5]


def test_what_never_differs_does_no_harm():
    pairs, logits = drawn(500)
    features = np.stack([logits, np.ones(len(logits))], axis=1)
    made = combination(["logit", "always"], features, pairs)
    assert made.weights["logit"] > 0


def test_folds_keep_a_text_together():
    pairs = [LabelledPair(f"text {n // 4}", f"{n}", 0, "wice") for n in range(80)]
    of = folds(pairs, seed=1)
    assert len(set(of.tolist())) == 10
    assert all(len(set(of[n : n + 4].tolist())) == 1 for n in range(0, 80, 4))


def test_what_was_learned_by_heart_does_not_count():
    """A number that is unique to a text tells its label only to those who have seen the text."""
    chance = np.random.default_rng(5)
    pairs = [LabelledPair(f"text {n}", "x", int(chance.integers(0, 2)), "wice") for n in range(60)]
    features = np.eye(60)
    names = [f"text {n}" for n in range(60)]
    labels = np.array([pair.label for pair in pairs])
    known = combination(names, features, pairs).probabilities(features)
    unknown = combined_elsewhere(names, features, pairs, seed=1)
    assert ((known > 0.5) == labels).mean() > 0.95
    assert ((unknown > 0.5) == labels).mean() < 0.8
