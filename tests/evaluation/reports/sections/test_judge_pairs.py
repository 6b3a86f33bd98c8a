"""Judges against each other: numbers of libraries, plain permutations, who is left out."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from evaluation.reports.filters import Filters
from evaluation.reports.sections import judge_pairs as module
from evaluation.reports.sections.judge_pairs import judge_pairs
from evaluation.reports.selection import select
from evaluation.statistics.error_bars import ALWAYS_THE_SAME
from tests.evaluation.reports.studies import study

GOOD, BAD, THIRD = (f"autoais|{name}:x|thr:0.5|v:1" for name in ("a", "b", "c"))
SYSTEMS, QUESTIONS = 7, 30


def drawn(seed=1, *, systems=SYSTEMS, questions=QUESTIONS, noise=(0.5, 1.5)):
    """People's yes and no (questions × systems), and the scores of judges that err."""
    draw = np.random.default_rng(seed)
    truth = np.linspace(-1, 1, systems) + draw.normal(0, 1, (questions, systems))
    people = truth + draw.normal(0, 0.3, truth.shape) > 0
    scores = [1 / (1 + np.exp(-2 * (truth + draw.normal(0, size, truth.shape)))) for size in noise]
    return people, [some.round(4) for some in scores]


def made(people, scores, names=(GOOD, BAD, THIRD), scored=True, **more):
    """A study of one vote on each response."""
    units = [f"System {s}/q{q:03}:r" for q in range(len(people)) for s in range(people.shape[1])]
    said: dict[str, dict[str, object]] = {unit: {} for unit in units}
    for name, some in zip(names, scores, strict=False):
        for unit, score in zip(units, some.ravel(), strict=True):
            if np.isfinite(score):
                value = "yes" if score >= 0.5 else "no"
                said[unit][name] = (value, float(score)) if scored else value
    votes = dict(zip(units, np.where(people.ravel(), "yes", "no"), strict=True))
    return study(votes={"attributable": votes}, automatic={"attributable": said}, **more)


def compared(data, **filters):
    return judge_pairs(select(data, Filters(**{"resamples": 400, **filters})))


@cache
def two():
    people, scores = drawn()
    return people, scores, compared(made(people, scores), resamples=2_000)[0]


def by(found, key):
    return next(one for one in found["numbers"] if one["key"] == key)


def values(found, key):
    return [one["number"]["value"] for one in by(found, key)["judges"]]


def means_of(people, scores):
    return people.mean(axis=0), *((some >= 0.5).mean(axis=0) for some in scores)


def test_numbers_are_those_of_libraries():
    people, scores, found = two()
    said = [some >= 0.5 for some in scores]
    of_people, *of_judges = means_of(people, scores)
    assert (found["item"], found["units"], found["responses"]) == ("attributable", 210, 210)
    assert (found["systems"], found["left_out"], found["too_many"]) == (SYSTEMS, [], 0)
    expected = {
        "kappa": [cohen_kappa_score(people.ravel(), some.ravel()) for some in said],
        "auc": [roc_auc_score(people.ravel(), some.ravel()) for some in scores],
        "pearson_answers": [np.corrcoef(people.ravel(), s.ravel())[0, 1] for s in said],
        "pearson_systems": [np.corrcoef(of_people, some)[0, 1] for some in of_judges],
        "pairwise_accuracy": [plain_accuracy(some, of_people) for some in of_judges],
    }
    for key, numbers in expected.items():
        assert values(found, key) == pytest.approx(numbers, abs=1e-6), key
        [pair] = by(found, key)["pairs"]
        assert pair["difference"]["value"] == pytest.approx(numbers[0] - numbers[1], abs=2e-6)
        assert (pair["one"], pair["other"]) == ("j1", "j2")


def plain_accuracy(judge, people):
    pairs = list(combinations(range(len(people)), 2))
    right = [
        np.sign(round(judge[a] - judge[b], 9)) == np.sign(round(people[a] - people[b], 9))
        for a, b in pairs
    ]
    return np.mean(right)


@pytest.mark.parametrize("key", ["kappa", "auc", "pearson_answers"])
def test_standard_errors_are_near_those_of_leaving_questions_out(key):
    people, scores, found = two()

    def difference(kept):
        p, (a, b) = people[kept].ravel(), (some[kept].ravel() for some in scores)
        if key == "auc":
            return roc_auc_score(p, a) - roc_auc_score(p, b)
        one = {"kappa": cohen_kappa_score, "pearson_answers": lambda x, y: np.corrcoef(x, y)[0, 1]}
        return one[key](p, a >= 0.5) - one[key](p, b >= 0.5)

    every = np.arange(QUESTIONS)
    without = np.array([difference(every != q) for q in every])
    error = np.sqrt((QUESTIONS - 1) / QUESTIONS * ((without - without.mean()) ** 2).sum())
    [pair] = by(found, key)["pairs"]
    shown = pair["difference"]
    assert by(found, key)["test"] == "bootstrap"
    assert shown["se"] == pytest.approx(error, rel=0.12)
    assert shown["high"] - shown["value"] == pytest.approx(2.04523 * shown["se"], rel=1e-4)  # t, 29
    assert shown["low"] < shown["value"] < shown["high"]
    assert pair["p"] < 0.05
    assert [one["group"] for one in by(found, key)["judges"]] == ["a", "b"]


def test_p_over_systems_is_that_of_plain_swaps():
    people, scores, found = two()
    of_people, *_ = means_of(people, scores)
    said = [(some >= 0.5).astype(float) for some in scores]
    one, other = ((some - some.mean()) / some.std() for some in said)
    draw = np.random.default_rng(3)

    def difference(x, y):
        return np.corrcoef(x.mean(0), of_people)[0, 1] - np.corrcoef(y.mean(0), of_people)[0, 1]

    seen, reached = difference(one, other), 0
    for _ in range(2_000):
        swapped = draw.random((QUESTIONS, 1)) < 0.5
        x, y = np.where(swapped, other, one), np.where(swapped, one, other)
        reached += abs(difference(x, y)) >= abs(seen)
    [pair] = by(found, "pearson_systems")["pairs"]
    assert by(found, "pearson_systems")["test"] == "perm-inputs"
    assert pair["p"] == pytest.approx(reached / 2_000, abs=0.05)
    [tests] = found["correlation_tests"]
    assert tests["perm_inputs"]["value"] == pair["p"]
    assert all(tests[key]["reason"] == "" for key in ("perm_systems", "perm_both", "williams_p"))


def test_the_same_judge_twice_cannot_be_told_apart():
    people, [scores, _] = drawn(2)
    [found] = compared(made(people, [scores, scores]))
    for key in ("kappa", "auc", "pearson_answers"):
        [pair] = by(found, key)["pairs"]
        assert (pair["difference"]["value"], pair["p"], pair["reason"]) == (
            0,
            None,
            ALWAYS_THE_SAME,
        )
    for one in found["numbers"]:
        assert [judge["group"] for judge in one["judges"]] == ["a", "a"]
    for key in ("pearson_systems", "pairwise_accuracy", "calibrated_accuracy", "soft_accuracy"):
        assert by(found, key)["pairs"][0]["p"] == 1
    assert found["correlation_tests"][0]["williams_p"]["value"] is None


def test_p_is_corrected_for_all_pairs_of_one_number():
    people, scores = drawn(4, noise=(0.5, 0.8, 1.5))
    [found] = compared(made(people, scores))
    for one in found["numbers"]:
        ps = sorted(pair["p"] for pair in one["pairs"])
        smallest = min(one["pairs"], key=lambda pair: pair["p"])
        assert smallest["p_holm"] == pytest.approx(min(1, 3 * ps[0]), abs=2e-6)


def test_systems_that_use_autoais_are_in_no_correlation():
    people, scores = drawn(6)
    [found] = compared(made(people, scores, autoais=["System 6"]), outliers=True)
    assert (found["systems"], found["responses"]) == (SYSTEMS - 1, 180)
    assert found["units"] == 210
    of_people, *of_judges = means_of(people[:, :6], [some[:, :6] for some in scores])
    expected = [np.corrcoef(of_people, some)[0, 1] for some in of_judges]
    assert values(found, "pearson_systems") == pytest.approx(expected, abs=1e-6)


def test_too_many_judges_are_not_compared(monkeypatch):
    people, scores = drawn()
    monkeypatch.setattr(module, "MOST_JUDGES", 1)
    [found] = compared(made(people, scores))
    assert (found["too_many"], found["numbers"], found["correlation_tests"]) == (2, [], [])


# Tables ------------------------------------------------------------------------------------------
