"""The card of a scorer that was trained further; the other stands in test_making.py."""

from evaluation.entailment.weights import Details
from training.scorer.card import own_card
from training.scorer.held_out import agreement


def card(before, after) -> str:
    found = {"before": before.described(), "after": after.described()}
    training = {"title": "Own", "what": "With people.", "units": [1, 2, 3], "agreement": found}
    return own_card(Details(base="b", window=48, training=training))


def test_agreement_is_said_with_its_intervals():
    labels = [True, False] * 10
    wrong = [not one for one in labels[:5]] + labels[5:]
    text = card(agreement(labels, wrong, list(range(20))), agreement(labels, labels, range(20)))
    assert "the 3 units listed" in text
    assert "| before | 20 | 9 | 0.750 [" in text
    assert "| after | 20 | 10 | 1.000 | 1.000 |" in text  # all draws agree: no interval
    assert "People said “yes” 10 times" in text


def test_what_is_undefined_says_why():
    same = agreement([True] * 4, [True] * 4, list(range(4)))
    assert "undefined: people and scorer say the same of all" in card(same, same)
