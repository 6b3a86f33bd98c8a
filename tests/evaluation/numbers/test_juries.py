"""Juries beside plain implementations, vote by vote, and what they are worth of known truth."""

from collections import Counter
from dataclasses import replace
from math import log

import numpy as np
import pytest

from annotate.protocol.shipped import SHIPPED
from evaluation.statistics.bootstrap import numbered
from evaluation.statistics.chosen_threshold import NothingToLearnError
from evaluation.statistics.juries import (
    FEW,
    TIE,
    WORTHLESS,
    Ballots,
    Method,
    PeopleLabels,
    learn,
    tried,
    verdicts,
    weights_of,
)
from evaluation.statistics.labels import estimates, label_values
from evaluation.statistics.threshold import folds_of

YES_NO = SHIPPED["attributable"]
LEVELS = SHIPPED["citation_support"]
DEGREES = SHIPPED["utility"]


def ballots(dimension, rows):
    said = [
        [-1 if one is None else dimension.low_to_high.index(one) for one in row] for row in rows
    ]
    return Ballots(dimension, dimension.low_to_high, np.arange(len(rows)) + 7, np.array(said))


def drawn(dimension, n=200, judges=3, seed=1, *, missing=0.15):
    random = np.random.default_rng(seed)
    values = [*dimension.low_to_high, None]
    odds = [(1 - missing) / (len(values) - 1)] * (len(values) - 1) + [missing]
    rows = random.choice(len(values), size=(n, judges), p=odds)
    return ballots(dimension, [[values[place] for place in row] for row in rows.tolist()])


def said(made, dimension):
    return [None if place < 0 else dimension.low_to_high[place] for place in made.value.tolist()]


def plain(dimension, row, weights):
    """The verdict on one unit as the docs say it: None where there is none."""
    given = [(value, weight) for value, weight in zip(row, weights, strict=True) if value]
    if len(given) < 2 or not sum(weight for _, weight in given):
        return None
    sums = Counter[str]()
    for value, weight in given:
        sums[value] += round(weight, 4)
    if dimension.label_by == "median":
        half, below = sum(sums.values()) / 2, 0.0
        for value in dimension.low_to_high:
            below += sums[value]
            if round(below, 6) >= round(half, 6):
                return value
    most = max(round(one, 6) for one in sums.values())
    best = [one for one in dimension.low_to_high if round(sums[one], 6) == most]
    return {"low": best[0], "high": best[-1], "none": best[0] if len(best) == 1 else None}[
        dimension.ties
    ]


def rows_of(made):
    values = made.dimension.low_to_high
    return [[None if place < 0 else values[place] for place in row] for row in made.said.tolist()]


@pytest.mark.parametrize("dimension", [YES_NO, LEVELS, DEGREES], ids=lambda one: one.key)
@pytest.mark.parametrize("ties", ["low", "high", "none"])
@pytest.mark.parametrize("judges", [2, 3, 4, 5])
def test_majority_and_weights_beside_a_plain_implementation(dimension, ties, judges):
    dimension = replace(dimension, ties=ties)
    made = drawn(dimension, judges=judges)
    by_weight = [0.5, 0.25, 0.25, 1.3127, 0.0][:judges]
    cases: list[tuple[Method, list[float]]] = [
        ("majority", [1.0] * judges),
        ("weighted", by_weight),
    ]
    for method, weights in cases:
        found = verdicts(made, method, weights)
        expected = [plain(dimension, row, weights) for row in rows_of(made)]
        assert said(found, dimension) == expected
        for row, value, score in zip(rows_of(made), expected, found.score.tolist(), strict=True):
            if value is not None:
                all_of_it = sum(w for v, w in zip(row, weights, strict=True) if v)
                positive = sum(
                    w for v, w in zip(row, weights, strict=True) if v in dimension.positive
                )
                assert score == pytest.approx(positive / all_of_it, abs=1e-3)


def test_a_majority_is_that_of_people_with_the_same_votes():
    made = drawn(LEVELS)
    several = np.count_nonzero(made.said >= 0, axis=1) >= 2
    labels = label_values(LEVELS, made.where(several).votes())
    found = verdicts(made, "majority")
    assert {
        unit: value
        for unit, value in zip(made.units.tolist(), said(found, LEVELS), strict=True)
        if value
    } == labels


@pytest.mark.parametrize("dimension", [YES_NO, LEVELS], ids=lambda one: one.key)
def test_dawid_skene_is_that_of_people_with_the_same_votes(dimension):
    made = drawn(dimension, seed=4)
    found = verdicts(made, "dawid-skene")
    labels = estimates(dimension, made.votes())
    for unit, value, score, counts in zip(
        made.units.tolist(), said(found, dimension), found.score, found.counts, strict=True
    ):
        if counts.sum() < 2:
            assert value is None
            continue
        assert value == labels[unit].value
        if len(dimension.low_to_high) == 2:
            yes = labels[unit].probability
            assert score == pytest.approx(yes if value in dimension.positive else 1 - yes)


def test_where_there_is_no_verdict_it_says_why():
    dimension = replace(YES_NO, ties="none")
    made = ballots(
        dimension, [["yes", "no", None], ["yes", None, None], [None] * 3, ["yes", "no", "no"]]
    )
    found = verdicts(made, "majority")
    assert said(found, dimension) == [None, None, None, "no"]
    assert [found.reason(row) for row in range(3)] == [TIE, FEW, FEW]
    weighted = verdicts(made, "weighted", [0.0, 0.0, 2.0])
    assert said(weighted, dimension) == [None, None, None, "no"]
    assert weighted.reason(0) == WORTHLESS


def test_weights_are_log_odds_of_balanced_accuracy_with_one_of_each_added():
    rows = [["yes", "no"]] * 6 + [["no", "yes"]] * 2 + [["no", "no"]] * 4
    made = ballots(YES_NO, rows)
    labels = np.array([1] * 8 + [0] * 4)
    p = ((6 + 1) / (8 + 2) + (4 + 1) / (4 + 2)) / 2
    other = ((2 + 1) / (8 + 2) + (4 + 1) / (4 + 2)) / 2
    assert weights_of(made, labels) == pytest.approx([log(p / (1 - p)), log(other / (1 - other))],
                                                     abs=1e-4)  # fmt: skip
    assert weights_of(made, 1 - labels).tolist() == [0, 0]


def study_of(errors, *, questions=60, units=4, seed=0):
    """Judges that err independently; labels without errors."""
    random = np.random.default_rng(seed)
    truth = random.random(questions * units) < 0.6
    wrong = random.random((len(truth), len(errors))) < np.array(errors)
    made = Ballots(
        YES_NO, YES_NO.low_to_high, np.arange(len(truth)), (truth[:, None] ^ wrong).astype(int)
    )
    labels = {unit: int(value) for unit, value in enumerate(truth)}
    return made, PeopleLabels(labels, {unit: f"{unit // units}" for unit in labels})


def test_held_out_weights_are_learned_without_the_question():
    made, known = study_of([0.05, 0.45, 0.45, 0.45], seed=2)
    found = {one.way: one for one in tried(made, known, np.full((240, 4), np.nan), seed=5).ways}
    labels, questions = known.of(made.units)
    fold = folds_of(numbered(questions), seed=5)
    right = np.zeros(240, dtype=bool)
    for row in range(240):
        others = fold != fold[row]
        weights = weights_of(made.where(others), labels[others])
        one = verdicts(made.where(np.arange(240) == row), "weighted", weights.tolist())
        right[row] = one.value[0] == labels[row]
    recalls = [right[labels == value].mean() for value in (0, 1)]
    assert found["weighted"].after["balanced"].value == pytest.approx(np.mean(recalls))


def test_half_of_the_questions_teach_and_nothing_is_learned_of_too_little():
    made, known = study_of([0.1, 0.2, 0.5])
    learned = learn(made, known, part="half", seed=1)
    assert (learned.questions, len(learned.units)) == (30, 120)
    assert learned.weights[0] > learned.weights[1] > learned.weights[2]
    same = PeopleLabels(dict.fromkeys(known.labels, 1), known.questions)
    with pytest.raises(NothingToLearnError, match="the same answer everywhere"):
        learn(made, same, part="half", seed=1)
    wrong = PeopleLabels({unit: 1 - value for unit, value in known.labels.items()}, known.questions)
    with pytest.raises(NothingToLearnError, match="better than chance"):
        learn(made, wrong, part="all", seed=1)
    few = PeopleLabels({unit: known.labels[unit] for unit in range(8)}, known.questions)
    with pytest.raises(NothingToLearnError, match="about 2 questions in common; at least 4"):
        learn(made, few, part="half", seed=1)
    with pytest.raises(NothingToLearnError, match=r"all of these judges .* at least 10"):
        tried(made, few, np.full((240, 3), np.nan), seed=1)
