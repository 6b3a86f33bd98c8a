"""Every two systems: by hand, and a random study against scipy and statsmodels."""

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections import comparisons as module
from evaluation.reports.sections.comparisons import comparisons
from evaluation.reports.sections.scores import automatic_values, by_question, people_values
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, AUTOAIS, judge_place, made_study, study


def compared(data, **filters):
    found = comparisons(select(data, Filters(resamples=200, **filters)))
    return {(one["column"]["kind"], one["column"]["key"]): one for one in found}


def test_by_hand():
    votes = {"utility": {"A/q1/1:r": "1", "A/q1/2:r": "4", "A/q2:r": "2", "A/q3:r": "5",
                         "B/q1:r": "1", "B/q2:r": "2", "B/q3:r": "2", "B/q4:r": "5"}}  # fmt: skip
    [pair] = compared(study(votes=votes))["people", "utility"]["pairs"]
    # On three shared questions 1.5 (of two runs, their mean), 0 and 3: mean 1.5, deviation 1.5.
    assert (pair["one"], pair["other"], pair["questions"]) == ("A", "B", 3)
    assert pair["difference"]["value"] == 1.5
    assert pair["difference"]["of"] == "questions"
    assert pair["t"] == round(1.5 / (1.5 / 3**0.5), 6)
    assert pair["t_p"] == pair["t_p_holm"]
    assert pair["reason"] == ""


def test_ranks_are_those_of_systems_that_share_questions():
    """A and B share three questions, C and D others; E is alone."""
    votes = {"utility": {f"{system}/{asked}{n}:r": said for systems, asked in (("AB", "q"),
             ("CD", "p"), ("E", "o")) for system, said in zip(systems, "51", strict=False)
             for n in range(3)}}  # fmt: skip
    votes["utility"] |= {"A/q0:r": "4", "C/p0:r": "4"}
    found = compared(study(votes=votes))["people", "utility"]["ranks"]
    assert [(one["system"], one["first"], one["last"]) for one in found] == [
        ("A", 1, 1),
        ("B", 2, 2),
        ("C", 1, 1),
        ("D", 2, 2),
    ]


def test_undefined_with_reasons():
    votes = {"utility": {"A/q1:r": "1", "A/q2:r": "2", "B/q1:r": "2", "B/q2:r": "3",
                         "B/q3:r": "4", "C/q3:r": "1"}}  # fmt: skip
    pairs = compared(study(votes=votes))["people", "utility"]["pairs"]
    same, nothing, _ = pairs
    assert same["difference"]["value"] == -1
    assert same["t"] is None
    assert same["reason"] == "the difference is the same on every question"
    assert nothing["difference"]["value"] is None
    assert nothing["reason"] == nothing["difference"]["reason"] == "no shared question"
    assert nothing["difference"]["interval_reason"] == "fewer than two shared questions"


def test_measures_are_not_compared_and_autoais_not_with_itself():
    found = compared(made_study(3, 10))
    assert [key for key in found if key[0] == "automatic"] == [
        ("automatic", "citation_recall"),
        ("automatic", "citation_precision"),
        ("automatic", "attributable"),
    ]
    assert found["automatic", "attributable"]["column"]["judge"] == "j2"
    pairs = found["automatic", "attributable"]["pairs"]
    assert [(pair["one"], pair["other"]) for pair in pairs] == [("System 1", "System 2")]
    assert len(found["people", "attributable"]["pairs"]) == 3
    assert (
        len(compared(made_study(3, 10), outliers=True)["automatic", "attributable"]["pairs"]) == 3
    )


def test_of_many_systems_only_people_are_compared_and_of_more_nothing(monkeypatch):
    monkeypatch.setattr(module, "MOST_WITH_JUDGES", 2)
    found = compared(made_study(3, 6))
    assert found
    assert {kind for kind, _ in found} == {"people"}
    monkeypatch.setattr(module, "MOST_SYSTEMS", 2)
    assert compared(made_study(3, 6)) == {}


def test_a_random_study_against_scipy_and_statsmodels(subtests):
    for kind, key in [
        ("people", "utility"),
        ("people", "citation_recall"),
        ("automatic", "citation_precision"),
        ("automatic", "attributable"),
    ]:
        with subtests.test(kind=kind, key=key):
            data = made_study(4, 30, seed=5)
            selected = select(data, Filters(resamples=400, outliers=True))
            judge = judge_place(data, AUTOAIS if key == "attributable" else ALCE)
            values = (
                people_values(selected, key)
                if kind == "people"
                else automatic_values(selected, judge, key)
            )
            table = by_question(values)
            found = next(
                one["pairs"]
                for one in comparisons(selected)
                if (one["column"]["kind"], one["column"]["key"]) == (kind, key)
            )
            ps = []
            for (a, b), pair in zip(combinations(range(4), 2), found, strict=True):
                both = np.isfinite(table[:, [a, b]]).all(axis=1)
                expected = scipy.stats.ttest_rel(table[both, a], table[both, b])
                assert pair["questions"] == both.sum()
                assert pair["t"] == pytest.approx(expected.statistic, abs=1e-6)
                assert pair["t_p"] == pytest.approx(expected.pvalue, abs=1e-6)
                ps.append(expected.pvalue)
                d = table[both, a] - table[both, b]
                size = d.std(ddof=1) / np.sqrt(len(d))
                assert pair["difference"]["se"] == pytest.approx(size, abs=1e-6)
                assert (pair["difference"]["low"], pair["difference"]["high"]) == pytest.approx(
                    expected.confidence_interval(), abs=1e-6
                )
            holm = multipletests(ps, method="holm")[1]
            assert [pair["t_p_holm"] for pair in found] == pytest.approx(list(holm), abs=1e-6)
            assert dumps({"pairs": found})
