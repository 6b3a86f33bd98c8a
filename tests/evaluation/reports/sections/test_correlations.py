"""Correlations over systems and over answers: scipy, draws made by hand, and who is left out."""

import numpy as np
import pytest
import scipy.stats

from evaluation.reports.filters import Filters
from evaluation.reports.sections import correlations as section
from evaluation.reports.sections.correlations import correlations
from evaluation.reports.sections.scores import automatic_values, people_values
from evaluation.reports.sections.systems import systems
from evaluation.reports.selection import select
from evaluation.statistics.bootstrap import weights
from tests.evaluation.reports.studies import (
    ALCE,
    AUTOAIS,
    CORRECTNESS,
    judge_place,
    made_study,
    study,
)

SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
PEOPLE = {"A": "yyyn", "B": "yynn", "C": "ynnn", "D": "nnnn"}
JUDGE = {"A": "yyyy", "B": "yyny", "C": "ynyn", "D": "ynnn"}


def four_systems(people=PEOPLE, judge=JUDGE, **more):
    """Answers to four questions, y or n each."""
    words = {"y": "yes", "n": "no"}
    votes = {
        f"{system}/q{n}:r": {"rater-1": words[value]}
        for system, values in people.items()
        for n, value in enumerate(values)
    }
    said = {
        f"{system}/q{n}:r": {AUTOAIS: words[value]}
        for system, values in judge.items()
        for n, value in enumerate(values)
    }
    matched = {f"{system}/q0": float(system in "AC") for system in people}
    return study(
        votes={"attributable": votes},
        automatic={"attributable": said},
        measures={CORRECTNESS: {"exact_match": matched, "length": matched}},
        **more,
    )


def found_in(data, **filters):
    filters = {"resamples": 50} | filters
    return correlations(select(data, Filters(**filters)))


def of_judge(data, **filters):
    [one] = [c for c in found_in(data, **filters)["systems"] if c["key"] == "attributable"]
    return one


def test_worked_points_and_scipy():
    one = of_judge(four_systems())
    x = [point["x"]["value"] for point in one["points"]]
    y = [point["y"]["value"] for point in one["points"]]
    assert (x, y) == ([1.0, 0.75, 0.5, 0.25], [0.75, 0.5, 0.25, 0.0])
    rows = systems(select(four_systems(), Filters(resamples=50)))["rows"]
    for point, row in zip(one["points"], rows, strict=True):
        ends = [(point[side]["low"], point[side]["high"]) for side in ("x", "y")]
        same = [row["automatic"]["j1/attributable"], row["people"]["attributable"]]
        assert ends == [(number["low"], number["high"]) for number in same]
    for method, reference in SCIPY.items():
        found = one["of_means" if method == "pearson" else method]
        assert found["value"] == pytest.approx(reference(x, y).statistic, abs=1e-6)
        assert (found["n"], found["of"], found["low"]) == (4, "systems", None)
        assert found["interval_reason"]
    assert one["soft_accuracy"]["reason"].startswith("fewer than 5 systems")
    assert one["line"] == {"intercept": -0.25, "slope": 1.0, "reason": ""}
    assert one["left_out"] == []


def test_what_is_set_against_what():
    """The judge's own item, and measures of correctness; length is none."""
    found = found_in(four_systems())
    assert [c["id"] for c in found["systems"]] == [
        "attributable.j1.attributable",
        "attributable.j2.exact_match",
    ]
    assert [c["key"] for c in found["instances"]] == ["attributable"]


def test_a_system_that_uses_autoais_is_in_no_correlation():
    data = four_systems(autoais=["D"])
    one = of_judge(data)
    assert one["left_out"] == ["D"]
    assert [point["system"] for point in one["points"]] == ["A", "B", "C"]
    assert one["pearson"]["n"] == 3
    shown = of_judge(data, outliers=True)
    assert [(point["system"], point["outlier"]) for point in shown["points"]] == [
        ("A", False),
        ("B", False),
        ("C", False),
        ("D", True),
    ]
    assert shown["pearson"] == one["pearson"]
    assert shown["left_out"] == ["D"]
    # Exact match is no metric of citations, but the same systems are set against it.
    [matched] = [c for c in found_in(data)["systems"] if c["key"] == "exact_match"]
    assert [point["system"] for point in matched["points"]] == ["A", "B", "C"]
    rows = found_in(data, outliers=True)["instances"][0]["rows"]
    assert [row["system"] for row in rows] == ["A", "B", "C", "all"]


def test_systems_against_drawn_questions():
    """Means and Pearson of each draw, by hand."""
    data = made_study(systems=6, questions=30)
    selected = select(data, Filters(resamples=80))
    judge = judge_place(data, ALCE)
    [one] = [c for c in correlations(selected)["systems"] if c["key"] == "citation_recall"]
    people = people_values(selected, "citation_recall")
    automatic = automatic_values(selected, judge, "citation_recall")
    [drawn] = weights(30, draws=80, seed=selected.seed)

    def mean(values, system, weight):
        own = values.where(values.system == system)
        return np.average(own.value, weights=weight[own.question])

    systems = selected.systems[:-1]  # the last one uses AutoAIS
    assert one["pearson"]["n"] == len(systems) == 5
    # What chance adds to each sum, from the same draws.
    away = np.array(
        [
            [[mean(v, s, w) - mean(v, s, np.ones(30)) for s in systems] for w in drawn]
            for v in (automatic, people)
        ]
    )
    away -= away.mean(axis=2, keepdims=True)
    noise = np.einsum("ads,bds->ab", away, away) / len(drawn) * 30 / 29
    means = np.array([[mean(v, s, np.ones(30)) for s in systems] for v in (automatic, people)])
    left = 1 - np.diag(noise) / (means.var(axis=1) * 5)
    assert one["reliability"]["x"] == pytest.approx(max(left[0], 0), abs=1e-6)
    assert one["reliability"]["y"] == pytest.approx(max(left[1], 0), abs=1e-6)
    for key in ("pearson", "other_systems"):
        assert one[key]["low"] < one[key]["value"] <= one[key]["high"]
        assert "median-unbiased|interval:inverted" in one[key]["signature"]
    assert one["soft_accuracy"]["low"] < one["soft_accuracy"]["value"]


def test_outlying_systems_are_named_and_left_out_beside():
    good = {"A": 0, "B": 1, "C": 9, "D": 10, "E": 11, "F": 12, "G": 13}
    answers = {name: "y" * yes + "n" * (16 - yes) for name, yes in good.items()}
    one = of_judge(four_systems(answers, dict(zip(answers, answers.values(), strict=True))))
    assert one["outlying"] == ["A", "B"]
    assert one["pearson"]["n"] == 7
    assert one["without_outlying"]["pearson"]["n"] == 5
    assert one["without_outlying"]["chance"] == pytest.approx(1 / 120, abs=1e-6)
    four = of_judge(four_systems())
    assert (four["outlying"], four["without_outlying"]) == ([], None)


def instances(data, key, **filters):
    [one] = [c for c in found_in(data, **filters)["instances"] if c["key"] == key]
    return {row["system"]: row for row in one["rows"]}


def pairs_of(data, judge, key):
    """System, question, judge's value and people's value of each response that has both."""
    selected = select(data, Filters())
    people = people_values(selected, key)
    automatic = automatic_values(selected, judge_place(data, judge), key)
    said = dict(zip(automatic.response.tolist(), automatic.value.tolist(), strict=True))
    return [
        (data.systems[system].name, question, said[response], value)
        for response, system, question, value in zip(
            people.response.tolist(),
            people.system.tolist(),
            people.question.tolist(),
            people.value.tolist(),
            strict=True,
        )
        if response in said
    ]


def test_instances_against_scipy(subtests):
    for key in ["attributable", "citation_recall", "citation_precision"]:
        with subtests.test(key=key):
            data = made_study(systems=3, questions=30)
            rows = instances(data, key)
            pairs = pairs_of(data, AUTOAIS if key == "attributable" else ALCE, key)
            for system, row in rows.items():
                some = [(x, y) for name, _, x, y in pairs if system in ("all", name)]
                x, y = zip(*some, strict=True)
                for method, reference in SCIPY.items():
                    assert row[method]["value"] == pytest.approx(
                        reference(x, y).statistic, abs=1e-6
                    )
                    assert (row[method]["n"], row[method]["of"]) == (len(some), "responses")


@pytest.mark.parametrize(
    ("cells", "without_order"),
    [(section.CELLS, 0), (40 * 50, 0), (10 * 50, 6)],
    ids=["together", "one by one", "too many values"],
)
def test_instances_against_drawn_questions(cells, without_order, monkeypatch):
    """However many values fit together, the error bars are those of drawn responses."""
    monkeypatch.setattr(section, "CELLS", cells)
    too_many = 0
    data = made_study(systems=3, questions=30)
    rows = instances(data, "citation_recall", seed=5)
    pairs = pairs_of(data, ALCE, "citation_recall")
    [drawn] = weights(30, draws=50, seed=5)
    for system, row in rows.items():
        some = [(q, x, y) for name, q, x, y in pairs if system in ("all", name)]
        questions, x, y = (np.array(side) for side in zip(*some, strict=True))
        for method, reference in SCIPY.items():
            if row[method]["interval_reason"] == section.TOO_MANY:
                too_many += 1
                assert method != "pearson"
                assert row[method]["se"] is None
                continue
            each = []
            for weight in drawn:
                times = weight[questions].astype(int)
                each.append(reference(np.repeat(x, times), np.repeat(y, times)).statistic)
            known = [value for value in each if np.isfinite(value)]
            assert row[method]["se"] == pytest.approx(np.std(known, ddof=1), abs=1e-6)
    assert too_many == without_order
