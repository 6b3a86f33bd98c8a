"""AUC and average precision of draws: as in the plain functions and in scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from evaluation.agreement.ranking import aucs, average_precision, scored
from evaluation.reports.sections import thresholds as drawn_rankings
from evaluation.reports.sections.thresholds import Rankings
from tests.evaluation.stats.resampled import of_units

units = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=40
)


def data_of(rows):
    people = {n: label for n, (label, _, _) in enumerate(rows)}
    data = scored(people, {n: score / 6 for n, (_, score, _) in enumerate(rows)})
    return data, np.array([rows[unit][2] for unit in data.units])


@settings(deadline=None)
@given(rows=units, seed=st.integers(0, 100))
def test_against_the_plain_functions(rows, seed):
    data, places = data_of(rows)
    drawn = np.random.default_rng(seed).multinomial(4, [0.25] * 4, size=5).astype(float)
    found = Rankings(data, places)(drawn)
    np.testing.assert_allclose(
        found[:, 0], of_units(places.tolist(), lambda w: aucs(data, w))(drawn), atol=1e-12
    )
    for weights, (auc, precision) in zip(drawn, found, strict=True):
        each = weights[places]
        kept = each > 0
        if data.labels[kept].any():
            expected = average_precision_score(
                data.labels[kept], data.scores[kept], sample_weight=each[kept]
            )
            assert precision == pytest.approx(expected)
        else:
            assert np.isnan(precision)
        if len(set(data.labels[kept])) == 2:
            expected = roc_auc_score(data.labels[kept], data.scores[kept], sample_weight=each[kept])
            assert auc == pytest.approx(expected)


def test_all_weights_one_give_the_figures_themselves():
    draw = np.random.default_rng(3)
    rows = [(bool(draw.random() < 0.4), float(draw.random()), n % 4) for n in range(300)]
    data, places = data_of(rows)
    [[auc, precision]] = Rankings(data, places)(np.ones((1, 4)))
    assert auc == pytest.approx(roc_auc_score(data.labels, data.scores))
    assert precision == pytest.approx(average_precision(data).value)


def test_blocks_change_nothing(monkeypatch):
    draw = np.random.default_rng(4)
    rows = [(bool(draw.random() < 0.4), int(draw.integers(7)), n % 4) for n in range(50)]
    data, places = data_of(rows)
    drawn = draw.multinomial(4, [0.25] * 4, size=11).astype(float)
    whole = Rankings(data, places)(drawn)
    monkeypatch.setattr(drawn_rankings, "CELLS", 120)
    np.testing.assert_array_equal(Rankings(data, places)(drawn), whole)
