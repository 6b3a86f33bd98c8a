"""Kappa by threshold: by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics.bootstrap import weights
from evaluation.statistics.ranking import scored
from evaluation.statistics.ratings import undefined
from evaluation.statistics.threshold import (
    FOLDS,
    folds_of,
    held_out,
    kappa_by_threshold,
    worth_held_out,
)


def made(some):
    people = {unit: label for unit, (label, _) in enumerate(some)}
    return scored(people, {unit: score for unit, (_, score) in enumerate(some)})


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1),
    st.floats(0, 1),
)
def test_against_scikit_learn(some, fixed):
    labels, scores = zip(*some, strict=True)
    found = kappa_by_threshold(made(some), fixed, thresholds=[0.25, 0.5, 0.75])
    assert [cut.threshold for cut in found.curve] == sorted({0.25, 0.5, 0.75, fixed})
    assert found.fixed.threshold == fixed
    for cut in found.curve:
        judge = [score >= cut.threshold for score in scores]
        if len({*labels, *judge}) < 2:
            assert cut.kappa == undefined("all answers of both are the same")
        else:
            assert cut.kappa.value == pytest.approx(cohen_kappa_score(labels, judge))


def test_the_best_is_marked_and_the_middle_of_equals():
    data = made([(True, 0.8), (False, 0.3), (True, 0.6), (False, 0.1)])
    found = kappa_by_threshold(data, 0.7)
    assert len(found.curve) == 101
    assert found.best is not None
    assert found.best.threshold == 0.45  # of .31 to .60, which part the scores alike
    assert found.best.kappa.value == pytest.approx(1)
    assert found.fixed.threshold == 0.7
    assert found.fixed.kappa.value == pytest.approx(0.5)  # 3 of 4 right; by chance 1/2


def test_undefined():
    found = kappa_by_threshold(made([]), 0.5)
    assert found.best is None
    assert found.fixed.kappa == undefined("nothing has both an answer of people and a score")


# Held out ----------------------------------------------------------------------------------------


def drawn(draw, questions, each=3):
    """What is said about one question hangs together: some are easier than others."""
    of = np.repeat(np.arange(questions), each)
    labels = draw.random(questions * each) < draw.beta(2, 2, questions)[of]
    scores = 1 / (
        1 + np.exp(-(draw.normal(1.2 * labels - 2, 1) + draw.normal(0, 0.5, questions)[of]))
    )
    return labels, scores, of


def as_scored(labels, scores, of):
    data = made(list(zip(labels.tolist(), scores.tolist(), strict=True)))
    return data, of[list(data.units)]


def best_of(data):
    found = kappa_by_threshold(data, 0.5).best
    assert found is not None
    return found


def test_the_held_out_kappa_is_what_the_threshold_is_worth_elsewhere():
    """In 200 drawn studies of 40 questions: the best kappa is too high by .07 on the mean, that of
    held-out questions is right, as ninety thousand other units tell."""
    draw = np.random.default_rng(7)
    labels, scores, _ = drawn(draw, 30_000)
    elsewhere = kappa_by_threshold(as_scored(labels, scores, np.arange(len(labels)))[0], 0.5)
    worth = {cut.threshold: cut.kappa.value or 0.0 for cut in elsewhere.curve}
    best, held, true = list[float](), list[float](), list[float]()
    for study in range(200):
        data, places = as_scored(*drawn(draw, 40))
        found = held_out(data, places, 0.5, seed=study)
        best.append(best_of(data).kappa.value or 0.0)
        held.append(cohen_kappa_score(data.labels, found.said))
        true.append(float(np.mean([worth[threshold] for threshold in found.thresholds])))
    error = np.std(np.array(held) - true, ddof=1) / np.sqrt(200)
    assert abs(np.mean(held) - np.mean(true)) < 3 * error
    assert np.mean(best) - np.mean(true) > 10 * error


def learned_and_tried(data, of, fold):
    """Held-out kappa and its gain over .5, unit by unit."""
    said = np.zeros(len(of), dtype=bool)
    for part in range(FOLDS):
        own = fold[of] == part
        order = np.argsort(data.scores[~own], kind="stable")
        rest = list(zip(data.labels[~own][order] > 0, data.scores[~own][order], strict=True))
        said[own] = data.scores[own] >= best_of(made(rest)).threshold
    own = cohen_kappa_score(data.labels, said)
    return own, own - cohen_kappa_score(data.labels, data.scores >= 0.5)


def test_the_interval_allows_for_learning():
    """The standard error is √((s² + l²) / 2): s of draws with the thresholds as they are, l of
    draws that choose them again, here by repeating units."""
    questions, draws = 30, 12
    data, places = as_scored(*drawn(np.random.default_rng(3), questions))
    fold = folds_of(np.arange(questions), seed=5)
    said = held_out(data, places, 0.5, seed=5).said
    plain, again = [], []
    for weight in np.concatenate([*weights(questions, draws=draws, seed=5)]).astype(int):
        often = weight[places]
        labels = data.labels.repeat(often)
        own = cohen_kappa_score(labels, said.repeat(often))
        other = cohen_kappa_score(labels, (data.scores >= 0.5).repeat(often))
        plain.append((own, own - other))
        drawn_data = type(data)((), labels, data.scores.repeat(often))
        again.append(learned_and_tried(drawn_data, places.repeat(often), fold))
    expected = np.sqrt((np.var(plain, axis=0, ddof=1) + np.var(again, axis=0, ddof=1)) / 2)
    found = worth_held_out(data, places, 0.5, resamples=draws, seed=5)
    for one, error, value in zip(
        (found.kappa, found.gain), expected, learned_and_tried(data, places, fold), strict=True
    ):
        assert one.figure.value == pytest.approx(value)
        assert one.bar.standard_error.value == pytest.approx(error)
    wide = worth_held_out(data, places, 0.5, clusters=questions + 5, resamples=draws, seed=5)
    assert wide.kappa.figure == found.kappa.figure


@pytest.mark.parametrize(
    ("scores", "clear"), [([0.1, 0.4, 0.3, 0.6], True), ([0.3, 0.4, 0.6, 0.7], False)]
)
def test_a_gain_is_clear_only_above_zero(scores, clear):
    """People say yes to the third and the fourth of each question, to that of .4 every other
    time: at .5 the judge misses the one of .3, or is right."""
    data = made(
        [
            (place > 1 or (score == 0.4 and of % 2), score)
            for of in range(20)
            for place, score in enumerate(scores)
        ]
    )
    places = np.array(data.units) // 4
    gain = worth_held_out(data, places, 0.5, resamples=50).gain
    assert gain.is_above_zero is clear
