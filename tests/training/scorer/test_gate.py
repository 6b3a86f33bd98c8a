"""The gate: areas, shares, intervals, and what a scorer must reach to be built in."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from training.scorer.gate import (
    PARTS,
    GateRow,
    Rival,
    WithInterval,
    arrays,
    auc,
    balanced,
    cases,
    findings,
    mean_auc,
    table,
)
from training.scorer.pairs import LabelledPair


def test_auc_by_hand_and_as_in_scikit_learn():
    # Entailed: .9 and .4; not: .4 and .1. Of four comparisons three are won and one is a tie.
    labels, scores = np.array([1.0, 1, 0, 0]), np.array([0.9, 0.4, 0.4, 0.1])
    assert auc(labels, scores) == 3.5 / 4
    chance = np.random.default_rng(1)
    labels = chance.integers(0, 2, 200).astype(float)
    scores = np.round(labels * 0.3 + chance.random(200), 1)
    assert auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))
    decided = (scores > 0.6).astype(float)
    assert balanced(labels, decided) == pytest.approx(balanced_accuracy_score(labels, decided))


def test_without_both_labels_there_is_no_area():
    assert np.isnan(auc(np.ones(3), np.arange(3.0)))
    assert np.isnan(balanced(np.ones(3), np.ones(3)))


def test_parts_of_a_claim_are_one_case_with_their_best_score():
    pairs = [
        LabelledPair("a", "claim", 0, "wice", "1"),
        LabelledPair("b", "claim", 1, "wice", "1"),
        LabelledPair("c", "other", 0, "wice", "2"),
        LabelledPair("c", "alone", 0, "fever"),
        LabelledPair("c", "alone", 1, "fever"),
    ]
    found = cases(pairs, [0.2, 0.7, 0.9, 0.1, 0.3])
    assert [(one.label, one.score) for one in found] == [(1, 0.7), (0, 0.9), (0, 0.1), (1, 0.3)]


def some_pairs(source: str, number: int = 80) -> list[LabelledPair]:
    return [LabelledPair(f"text {n // 2}", f"{n}", n % 2, source) for n in range(number)]


def test_the_mean_area_takes_attribution_bench_as_one_part():
    pairs = [*some_pairs("ab-lfqa", 2), *some_pairs("ab-expertqa", 2), *some_pairs("wice", 2)]
    # ab: entailed .6 and .2, not .5 and .1: three of four. wice: lost.
    scores = [0.5, 0.6, 0.1, 0.2, 0.9, 0.1]
    assert mean_auc(pairs, scores) == pytest.approx((3 / 4 + 0) / 2)


def test_a_table_has_intervals_and_the_margin_of_itself_is_nothing():
    pairs = some_pairs("wice")
    chance = np.random.default_rng(3)
    scores = [0.4 * pair.label + float(chance.random()) for pair in pairs]
    (row,) = table(pairs, scores, 0.7, against=Rival(scores, 0.7))
    labels, values = arrays(cases(pairs, scores))
    assert (row.part, row.number, row.entailed) == ("wice", 80, 40)
    assert row.auc.value == pytest.approx(roc_auc_score(labels, values))
    assert row.auc.low < row.auc.value < row.auc.high
    assert row.balanced.low < row.balanced.value < row.balanced.high
    assert row.texts == 40
    assert row.margin is not None
    assert row.balanced_margin is not None
    assert (row.margin.value, row.margin.error) == (0, 0)
    assert (row.balanced_margin.value, row.balanced_margin.error) == (0, 0)
    # The error of an area from 40 and 40 cases is about sqrt(.8 * .2 / 40) at most.
    assert 0.02 < row.auc.error < 0.08


def test_a_better_scorer_has_a_clear_margin():
    pairs = some_pairs("wice")
    chance = np.random.default_rng(4)
    noise = [float(chance.random()) for _ in pairs]
    good = [pair.label + one for pair, one in zip(pairs, noise, strict=True)]
    (row,) = table(pairs, good, 1.0, against=Rival(noise, 0.5))
    assert row.margin is not None
    assert row.margin.value > 2 * row.margin.error > 0
    assert row.balanced_margin is not None
    # Each is cut at its own threshold: all of the one, about half of the other are right.
    assert row.balanced_margin.value == pytest.approx(0.5, abs=0.15)
    assert row.balanced_margin.value > 2 * row.balanced_margin.error > 0


def row(part: str, *, area: float = 0.0, more: float = 0.0, right: float = 0.0) -> GateRow:
    def figure(value: float) -> WithInterval:
        return WithInterval(value, 0.02, value - 0.04, value + 0.04)

    return GateRow(
        part, 100, 50, 100, figure(0.8), figure(right), margin=figure(area),
        balanced_margin=figure(more),
    )  # fmt: skip


GOOD = {
    part: row(part, area=0.05, more=0.05, right=0.6) for part in ("ab-*", "wice", "contradiction")
}


def met(**changed: GateRow) -> list[bool]:
    rows = {**GOOD, **{one.part: one for one in changed.values()}}
    return [one.met for one in findings(list(rows.values()))]


def test_all_five_conditions_must_be_met():
    assert met() == [True] * 5
    # Two standard errors are .04, and more is needed.
    assert met(it=row("ab-*", area=0.04, more=0.05)) == [False, True, True, True, True]
    assert met(it=row("ab-*", area=0.05, more=0.04)) == [True, False, True, True, True]
    assert met(it=row("wice", area=0.04, more=0.05)) == [True, True, False, True, True]
    assert met(it=row("wice", area=0.05, more=0.04)) == [True, True, True, False, True]
    assert met(it=row("contradiction", right=0.59)) == [True, True, True, True, False]


def test_contradiction_is_what_knows_only_supported_and_refuted():
    sources = ("fever-symmetric", "fm2", "fm2-passage", "scifact", "covidfact", "snli", "vitaminc")
    pairs = [pair for source in sources for pair in some_pairs(source, 4)]
    (row,) = table(pairs, [0.5] * len(pairs), 0.5, parts={"it": PARTS["contradiction"]})
    assert row.number == 20


def test_what_was_not_measured_is_not_met():
    assert [one.met for one in findings([])] == [False] * 5
    assert "not measured" in findings([])[0].text
