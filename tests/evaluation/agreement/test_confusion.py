"""A judge among people's answers: by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    precision_recall_fscore_support,
)

from evaluation.statistics.confusion import Confusion
from evaluation.statistics.ratings import undefined
from tests.evaluation.agreement.by_ratings import kappa_with_each, shared, tables

NO_YES = ("no", "yes")


def both(words):
    """Words of people's and the judge's letter, such as "yn"."""
    named = {"y": "yes", "n": "no"}
    people = {unit: named[word[0]] for unit, word in enumerate(words)}
    return people, {unit: named[word[1]] for unit, word in enumerate(words)}


def confusion(people, judge, values):
    """The table of the units that both answered."""
    return Confusion(values, tables(shared(people, judge).values(), values).sum(axis=0))


def confused(words):
    people, judge = both(words)
    return confusion(people, judge, NO_YES)


def test_by_hand():
    people, judge = both(["nn"] * 3 + ["ny"] * 1 + ["yn"] * 2 + ["yy"] * 4)
    people["only people"], judge["only the judge"] = "no", "no"
    found = confusion(people, judge, NO_YES)
    assert found.table.tolist() == [[3, 1], [2, 4]]
    assert found.units == 10
    assert found.accuracy.value == pytest.approx(0.7)
    insufficient = found.detection("no")
    assert insufficient.precision.value == pytest.approx(3 / 5)
    assert insufficient.recall.value == pytest.approx(3 / 4)
    assert insufficient.f1.value == pytest.approx(6 / 9)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["yy", "yn", "ny", "nn"]), min_size=1, max_size=60))
def test_against_scikit_learn(words):
    people, judge = both(words)
    x, y = list(people.values()), list(judge.values())
    found = confusion(people, judge, NO_YES)
    assert found.table.tolist() == confusion_matrix(x, y, labels=NO_YES).tolist()
    assert found.accuracy.value == pytest.approx(accuracy_score(x, y))
    if len({*x, *y}) > 1:
        assert found.kappa("nominal").value == pytest.approx(cohen_kappa_score(x, y))
    precision, recall, f1, _ = precision_recall_fscore_support(
        x, y, labels=NO_YES, zero_division=np.nan
    )
    for place, value in enumerate(NO_YES):
        detected = found.detection(value)
        for figure, expected in (
            (detected.precision, precision[place]),
            (detected.recall, recall[place]),
            (detected.f1, f1[place]),
        ):
            if figure.value is None:
                assert np.isnan(expected)
                assert "never said" in figure.reason or "nobody said" in figure.reason
            else:
                assert figure.value == pytest.approx(expected)


def test_undefined():
    nothing = confusion({1: "yes"}, {2: "yes"}, NO_YES)
    assert nothing.accuracy == undefined("nothing was judged by both")
    assert nothing.kappa("nominal") == undefined("nothing was judged by both")
    sure = confused(["ny", "ny", "yy"]).detection("no")
    assert sure.precision == undefined("the judge never said “no”")
    assert sure.recall.value == 0
    assert confused(["yn"]).detection("no").recall == undefined("people never said “no”")


EACH = {
    1: {"a": "yes", "b": "yes"},
    2: {"a": "no", "b": "no"},
    3: {"a": "yes"},
    4: {"a": "no", "b": "yes", "c": "yes"},
}
JUDGE = {1: "yes", 2: "no", 3: "no", 4: "no", 5: "no"}


def test_with_each_rater_over_what_both_answered():
    found = kappa_with_each(EACH, JUDGE, NO_YES, "nominal")
    a = cohen_kappa_score(["yes", "no", "yes", "no"], ["yes", "no", "no", "no"])
    b = cohen_kappa_score(["yes", "no", "yes"], ["yes", "no", "no"])
    c = 0.0  # yes against no: as bad as chance, since neither ever says anything else
    assert found.kappas["a"].value == pytest.approx(a)
    assert found.kappas["b"].value == pytest.approx(b)
    assert found.kappas["c"].value == pytest.approx(c)
    assert found.units == {"a": 4, "b": 3, "c": 1}
    assert found.mean.value == pytest.approx((a + b + c) / 3)
