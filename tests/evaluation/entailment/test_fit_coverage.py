"""Fitting: penalties that the data would not ask for, and the figures that the docs give."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evaluation.entailment.coverage import BIAS, WEIGHTS, Coverage, Features
from evaluation.entailment.fit_coverage import LEAST, TARGET, balanced, fitted, threshold

ROOT = Path(__file__).resolve().parents[3]
DEV = ROOT.parent / "shared" / "data" / "nli" / "dev.jsonl.gz"


def fitted_to_made_up_pairs(least):
    """Labels follow from coverage alone, with noise; penalties say nothing."""
    count = 4_000
    draw = np.random.default_rng(1)
    found = np.column_stack([draw.random(count), *(draw.random((4, count)) < 0.5)])
    labels = (found[:, 0] + draw.normal(0, 0.2, count) > 0.5).astype(int)
    return fitted(found, labels, np.full(count, 1 / count), least)


def test_weights_follow_the_data():
    weights = fitted_to_made_up_pairs({})
    assert weights[0] > 5
    assert np.abs(weights[1:-1]).max() < 0.5
    assert weights[-1] == pytest.approx(-weights[:5].sum() / 2, abs=0.5)


def test_penalties_are_held_to_what_is_asked():
    made = fitted_to_made_up_pairs({"names": 2})
    weights = dict(zip([*Features._fields, "bias"], made, strict=True))
    assert weights["names"] == pytest.approx(-2, abs=0.01)
    assert abs(weights["numbers"]) < 0.5


def test_the_threshold_is_right_most_often():
    totals = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    assert threshold(totals, np.array([0, 0, 1, 1, 1])) == 0.3
    # Both labels count the same: one “no” of two weighs as much as two “yes” of four.
    labels = np.array([0, 1, 0, 1, 1, 1])
    assert balanced(labels, np.array([0, 0, 1, 1, 1, 1])) == pytest.approx((1 / 2 + 3 / 4) / 2)


def test_the_weights_in_use_are_those_that_were_asked_for():
    above = BIAS + WEIGHTS.covered + WEIGHTS.phrases
    for name, more in LEAST.items():
        # Weights are rounded to two digits: three of them by half a hundredth each at most.
        assert -getattr(WEIGHTS, name) >= above + more - 0.02


@pytest.mark.skipif(not DEV.is_file(), reason="the development pairs are not beside the project")
def test_the_docs_give_the_figures_on_development_pairs():
    with gzip.open(DEV, "rt", encoding="utf-8") as lines:
        pairs = [pair for pair in map(json.loads, lines) if pair["source"].startswith(TARGET)]
    scores = Coverage().probabilities([(one["premise"], one["hypothesis"]) for one in pairs])
    labels = np.array([one["label"] for one in pairs])
    decided = np.array(scores) >= Coverage.threshold
    row = re.search(
        r"all that look like cited answers \| ([\d,]+) \| (\S+) \| (\S+) \| (\S+) \|",
        (ROOT / "docs" / "entailment.md").read_text(encoding="utf-8"),
    )
    assert row is not None
    assert [row[1], *map(float, row.groups()[1:])] == [
        f"{len(pairs):,}",
        pytest.approx((decided == labels).mean(), abs=0.002),
        pytest.approx(balanced(labels, decided), abs=0.002),
        pytest.approx(roc_auc_score(labels, scores), abs=0.002),
    ]
