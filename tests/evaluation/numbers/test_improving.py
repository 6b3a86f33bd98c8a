"""What a judge gains by learning from labels, on made-up judges of which the truth is known."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from evaluation.statistics.calibrating import NEAREST, calibrator
from evaluation.statistics.calibration import calibration
from evaluation.statistics.chosen_threshold import NothingToLearnError
from evaluation.statistics.improving import tried, tried_levels
from evaluation.statistics.ranking import auc, scored


def made_up(seed, *, questions=80, each=4, bend=1.0, shift=0.0):
    """Scores that are probabilities, but for a bend and a shift of their log-odds."""
    random = np.random.default_rng(seed)
    n = questions * each
    truth = 1.5 * random.normal(size=n)
    labels = random.random(n) < 1 / (1 + np.exp(-truth))
    scores = 1 / (1 + np.exp(-(bend * truth + shift)))
    return (
        {unit: bool(label) for unit, label in enumerate(labels)},
        dict(enumerate(scores.tolist())),
        {unit: f"q{unit // each}" for unit in range(n)},
    )


def test_platt_and_isotonic_are_what_the_library_computes():
    labels, scores, _ = made_up(1, bend=0.5, shift=-1)
    y, s = np.array([*labels.values()], float), np.array([*scores.values()])
    own = calibrator("isotonic", s, y)(s)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(s, y).predict(s)
    assert own == pytest.approx(theirs)
    n1 = y.sum()
    n0 = len(y) - n1
    inside = np.clip(s, NEAREST, 1 - NEAREST)
    x = np.log(inside / (1 - inside))[:, None]
    wanted = np.where(y > 0, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    weights = np.concatenate([wanted, 1 - wanted])
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1_000).fit(
        np.vstack([x, x]), np.repeat([1, 0], len(y)), sample_weight=weights
    )
    assert calibrator("platt", s, y)(s) == pytest.approx(model.predict_proba(x)[:, 1], abs=1e-4)


def test_a_judge_that_says_the_opposite_is_not_turned_round():
    s = np.linspace(0, 1, 50)
    y = (s < 0.5).astype(float)
    for kind in ("platt", "isotonic"):
        assert calibrator(kind, s, y)(s) == pytest.approx([0.5] * 50)


def test_the_numbers_are_those_of_the_report():
    labels, scores, questions = made_up(2, bend=2.0)
    [threshold, platt, isotonic] = tried(labels, scores, questions, fixed=0.5, seed=3)
    data = scored(labels, scores)
    known = calibration(data)
    for one in (threshold, platt, isotonic):
        assert one.units == 320
        assert one.questions == 80
        assert one.before["auc"].value == pytest.approx(auc(data).value)
        assert one.before["brier"].value == pytest.approx(known.brier.value)
        assert one.before["calibration"].value == pytest.approx(known.error.value)
        for name in one.more:
            before, after = one.before[name].value, one.after[name].value
            assert before is not None
            assert after is not None
            more = after - before
            assert one.more[name].value == pytest.approx(more)


def test_equal_judge_is_seldom_called_better():
    """Of judges with right scores, at most one in twenty may seem better by chance."""
    found = [tried(*made_up(seed, questions=40), fixed=0.5, seed=seed) for seed in range(60)]
    for place in range(3):
        assert sum(each[place].better for each in found) <= 6


def levelled(seed, *, cuts, questions=40, each=3):
    """Three levels, with scores that rise with them; the judge says what it says by its cuts."""
    random = np.random.default_rng(seed)
    n = questions * each
    truth = random.random(n)
    labels = np.clip((3 * (truth + 0.2 * random.normal(size=n))).astype(int), 0, 2)
    said = np.searchsorted(cuts, truth, side="right")
    rows = (dict(enumerate(one.tolist())) for one in (labels, truth, said))
    labels_of, scores, own = rows
    return labels_of, scores, {unit: f"q{unit // each}" for unit in range(n)}, own


def test_levels_are_better_where_they_are_and_seldom_seem_so():
    """Of judges that cut rightly, at most one in twenty may seem better by chance."""
    [wrong] = tried_levels(*levelled(1, cuts=(0.7, 0.9)), levels=3, seed=1)
    assert wrong.better
    assert wrong.after["auc"].value is None
    assert wrong.after["kappa"].value is not None
    assert {n.low for side in (wrong.after, wrong.more) for n in side.values()} == {None}
    assert wrong.described().keys() >= {"better", "more"}
    right = [
        tried_levels(*levelled(seed, cuts=(1 / 3, 2 / 3)), levels=3, seed=seed)[0]
        for seed in range(40)
    ]
    assert sum(one.better for one in right) <= 4


def test_too_little_is_said(subtests):
    for change, words in [
        (lambda known: {u: v for u, v in known.items() if u < 20}, "about 5 questions"),
        (lambda known: dict.fromkeys(known, True), "people said “yes” everywhere"),
    ]:
        with subtests.test(change=change, words=words):
            labels, scores, questions = made_up(6)
            with pytest.raises(NothingToLearnError, match=words):
                tried(change(labels), scores, questions, fixed=0.5, seed=1)
