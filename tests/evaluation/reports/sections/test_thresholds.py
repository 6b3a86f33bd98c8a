"""Scores against people's yes and no."""

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    cohen_kappa_score,
    roc_auc_score,
    roc_curve,
)

from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.thresholds import thresholds
from evaluation.reports.selection import select
from evaluation.statistics.calibration import NO_PROBABILITIES
from tests.evaluation.reports.studies import AUTOAIS, study


def rows_of(data, **filters):
    found = thresholds(select(data, Filters(resamples=50, **filters)))
    return {(row["judge"], row["item"]): row for row in found}


def scored_study(scores, labels, judge=AUTOAIS, questions=None):
    """One system; people say what `labels` say."""
    questions = questions or len(scores)
    units = [f"S{n // questions}/q{n % questions:04}:r" for n in range(len(scores))]
    return study(
        votes={
            "attributable": {u: "yes" if y else "no" for u, y in zip(units, labels, strict=True)}
        },
        automatic={
            "attributable": {
                u: {judge: ("yes" if s >= 0.5 else "no", s)}
                for u, s in zip(units, scores, strict=True)
            }
        },
    )


def drawn_study(n=120):
    draw = np.random.default_rng(5)
    labels = draw.random(n) < 0.6
    scores = np.clip(draw.normal(0.35 + 0.3 * labels, 0.2), 0, 1).round(3)
    return scores, labels, scored_study(scores.tolist(), labels.tolist(), questions=n // 3)


def test_against_scikit_learn():
    scores, labels, data = drawn_study()
    row = rows_of(data)["j1", "attributable"]
    assert row["units"] == row["auc"]["n"] == 120
    assert row["auc"]["value"] == pytest.approx(roc_auc_score(labels, scores), abs=1e-6)
    expected = average_precision_score(labels, scores)
    assert row["average_precision"]["value"] == pytest.approx(expected, abs=1e-6)
    assert row["brier"]["value"] == pytest.approx(brier_score_loss(labels, scores), abs=1e-6)
    at = dict(map(tuple, row["kappas"]))
    for cut in (0.3, 0.5, 0.7):
        assert at[cut] == pytest.approx(cohen_kappa_score(labels, scores >= cut), abs=1e-6)
    fpr, tpr, _ = roc_curve(labels, scores, drop_intermediate=False)
    assert [point[:2] for point in row["roc"]] == [
        pytest.approx(point, abs=1e-6) for point in zip(fpr, tpr, strict=True)
    ]
    assert row["roc"][0] == [0.0, 0.0, None]


def test_the_held_out_kappa_and_its_interval():
    _, _, data = drawn_study()
    row = rows_of(data, seed=3)["j1", "attributable"]
    found, best = row["held_out"], row["best"]
    assert found["kappa"]["value"] < best["kappa"]
    assert found["kappa"]["low"] < found["kappa"]["value"] < found["kappa"]["high"]
    assert found["kappa"]["n"] == 120
    assert found["lowest"] <= best["threshold"] <= found["highest"]
    assert "held-out|folds:10|by:question|seed:3|learned-again" in found["kappa"]["signature"]
    assert found["gain"]["value"] == pytest.approx(found["kappa"]["value"] - row["fixed"]["kappa"])
    assert found["kappa"]["bca_low"] is None
    one = scored_study([0.2, 0.8], [False, True], questions=1)
    assert rows_of(one)["j1", "attributable"]["held_out"]["kappa"]["reason"] == (
        "fewer than two questions"
    )


def test_calibration_worked():
    """Ten scores .15, of which half are a yes, and ten scores 1.0, all of them."""
    data = scored_study([0.15] * 10 + [1.0] * 10, [True, False] * 5 + [True] * 10)
    row = rows_of(data)["j1", "attributable"]
    low, high = row["calibration"]
    assert (low["low"], low["high"], low["score"], low["share"]["n"]) == (0.15, 0.15, 0.15, 10)
    assert low["share"]["value"] == 0.5
    assert low["share"]["low"] < 0.5 < low["share"]["high"]
    assert (high["score"], high["share"]["value"]) == (1.0, 1.0)
    # |(5 - 10 · .15)| / 20
    assert row["ece"]["value"] == pytest.approx(0.175, abs=1e-6)
    corrected = row["ece_corrected"]
    assert 0 <= corrected["low"] < corrected["value"] < corrected["high"]
    assert 0 < row["ece_by_chance"]["value"] < row["ece"]["value"]
    assert "equal-mass|bins:2" in row["ece"]["signature"]


def test_scores_beyond_0_to_1_are_no_probabilities():
    row = rows_of(scored_study([-0.2, 0.4, 1.5], [False, False, True]))["j1", "attributable"]
    assert row["calibration"] == []
    for key in ("ece", "ece_by_chance", "ece_corrected", "brier"):
        assert row[key]["value"] is None
        assert row[key]["reason"] == NO_PROBABILITIES


def test_the_threshold_of_the_signature_is_marked(subtests):
    for judge, expected in [("autoais|m|thr:0.7|v:1", 0.7), ("AutoAIS (published)", 0.5)]:
        with subtests.test(judge=judge, expected=expected):
            scores, labels = [0.2, 0.4, 0.6, 0.65, 0.9], [False, False, False, True, True]
            row = rows_of(scored_study(scores, labels, judge))["j1", "attributable"]
            assert row["fixed"]["threshold"] == expected
            said = [score >= expected for score in scores]
            assert row["fixed"]["kappa"] == pytest.approx(cohen_kappa_score(labels, said), abs=1e-6)
            assert row["best"]["kappa"] == 1.0
            assert 0.6 < row["best"]["threshold"] <= 0.65


KEEPS = "AutoAIS, word coverage keeps its threshold of 0.5 for “Attributable”: learning"


@pytest.mark.parametrize(
    ("low", "higher", "printed"),
    [
        (
            0.1,
            0.2,
            "AutoAIS, word coverage agrees more with people on “Attributable” at a threshold of",
        ),
        (0.4, 0.2, KEEPS),
        (0.9, -0.8, KEEPS),  # the reverse of people: a constant answer is a gain
    ],
)
def test_a_threshold_is_recommended_only_for_a_clear_gain(low, higher, printed):
    """Scores of a no are about `low`, those of a yes so much higher."""
    draw = np.random.default_rng(2)
    labels = draw.random(60) < 0.5
    scores = (low + higher * labels + draw.normal(0, 0.1, 60)).clip(0, 1).round(3)
    report = build(
        scored_study(scores.tolist(), labels.tolist(), questions=60), Filters(resamples=50)
    )
    [row] = report["thresholds"]
    [said] = [one["text"] for one in report["headline"] if one["key"] == "thresholds"]
    assert said.startswith(printed)
    held = row["held_out"]
    assert row["best"] is not None
    assert held["recommended"] == (row["best"]["threshold"] if low == 0.1 else 0.5)
    assert ((held["gain"]["low"] or 0) > 0) == (low != 0.4)
