"""Systems by data set, by hand; two slices compared; the filter; and systems in groups."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.reports.build import build
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.sections.every import charts_of, tables_of
from evaluation.reports.sections.slices import slices
from evaluation.reports.selection import select
from evaluation.statistics.bootstrap import Interval, weights
from evaluation.statistics.error_bars import Summand, difference
from tests.evaluation.reports.studies import described, study

RESAMPLES = 200
FACETS = {
    "q1": {"dataset": "asqa", "kind": "who"},
    "q2": {"dataset": "asqa"},
    "q3": {"dataset": "eli5", "kind": "who"},
}
UTILITY = {
    "A/q1:r": "1", "A/q2:r": "2", "A/q3:r": "5", "A/q4:r": "4",
    "B/q1:r": "3", "B/q2:r": "4",
}  # fmt: skip


def found(**filters):
    data = described(study(votes={"utility": UTILITY}), FACETS)
    return slices(select(data, Filters(resamples=RESAMPLES, **filters)))


def made_of(one, other, less):
    parts = [Summand(value, Interval(low, high)) for value, low, high, _ in (one, other)]
    return difference(parts[0], parts[1], (one[3], other[3], less[3]))


def numbers(row):
    return [row[key]["value"] for key in ("macro", "micro")]


def test_systems_by_data_set_with_both_means():
    made = found()
    assert made["split"] == "dataset"
    assert made["values"] == [
        {"value": "asqa", "questions": 2},
        {"value": "eli5", "questions": 1},
    ]
    assert made["without"] == 1
    [column] = made["columns"]
    one, other = column["rows"]
    assert [cell["value"] for cell in one["cells"]] == [1.5, 5]
    # Macro: (1.5 + 5) / 2. Micro: (1 + 2 + 5) / 3; question 4 is in no data set.
    assert numbers(one) == [3.25, round(8 / 3, 6)]
    assert one["micro"]["n"] == 3
    assert one["macro"]["signature"].startswith("macro|interval:mover|bootstrap|")
    assert [cell["value"] for cell in other["cells"]] == [3.5, None]
    assert numbers(other) == [None, 3.5]
    assert other["macro"]["reason"] == "a slice has no number"


def test_two_slices_are_compared_with_the_draws_of_shared_questions():
    names = [f"q{n:02}" for n in range(20)]
    degrees = np.array([1 + n * n % 5 for n in range(20)])
    one, other = np.arange(20) < 12, np.arange(20) >= 8
    known = {
        name: {"dataset": "asqa" if a else "eli5"} | ({"kind": "who"} if b else {})
        for name, a, b in zip(names, one, other, strict=True)
    }
    votes = {f"A/{name}:r": str(degree) for name, degree in zip(names, degrees, strict=True)}
    data = described(study(votes={"utility": votes}), known)
    filters = Filters(resamples=RESAMPLES, seed=0, compare=("dataset=asqa", "kind=who"))
    made = slices(select(data, filters))
    assert made["compared"] == {"one": "dataset=asqa", "other": "kind=who", "shared": 4}
    [row] = made["columns"][0]["compared"]
    expected = degrees[one].mean() - degrees[other].mean()
    assert row["difference"]["value"] == pytest.approx(expected, abs=1e-6)
    drawn = np.concatenate(list(weights(20, draws=RESAMPLES, seed=0)))
    first, second = drawn * one, drawn * other
    each = first @ degrees / first.sum(axis=1) - second @ degrees / second.sum(axis=1)
    assert row["difference"]["se"] == pytest.approx(each.std(ddof=1), abs=1e-6)
    assert {"interval:z"} <= {*row["one"]["signature"].split("|")}
    numbers_of = [row["one"], row["other"], row["difference"]]
    expected = made_of(
        *[[each[key] for key in ("value", "low", "high", "se")] for each in numbers_of]
    )
    ends = (row["difference"]["low"], row["difference"]["high"])
    assert ends == pytest.approx((expected.low, expected.high), abs=1e-5)


def test_a_slice_has_the_interval_that_its_own_report_prints():
    """But for the draws, which are of all questions here and of the slice's there."""
    names = [f"q{n:02}" for n in range(40)]
    known = {name: {"dataset": "asqa" if n < 30 else "eli5"} for n, name in enumerate(names)}
    votes = {f"A/{name}:r": "no" if n % 10 == 3 else "yes" for n, name in enumerate(names)}
    data = described(study(votes={"attributable": votes}), known)
    within = build(data, Filters(resamples=2000))["slices"]["columns"][0]["rows"][0]["cells"][0]
    alone = build(data, Filters(resamples=2000, slices=("dataset=asqa",)))
    own = alone["systems"]["rows"][0]["people"]["attributable"]
    assert [within[key] for key in ("value", "n")] == [own[key] for key in ("value", "n")]
    for key in ("low", "high", "se"):
        assert within[key] == pytest.approx(own[key], abs=0.02)
    assert "interval:z" in within["signature"]


def test_the_filter_keeps_one_of_each_key():
    data = described(study(votes={"utility": UTILITY}), FACETS)

    def questions(*chosen):
        selected = select(data, Filters(slices=chosen))
        return [data.questions[place] for place in selected.questions]

    assert questions("dataset=asqa") == ["q1", "q2"]
    assert questions("dataset=asqa", "dataset=eli5") == ["q1", "q2", "q3"]
    assert questions("dataset=asqa", "kind=who") == ["q1"]
    with pytest.raises(FilterError, match="dataset=asqa, dataset=eli5"):
        questions("dataset=qampari")


APART = {
    "utility": {
        f"{system}/{question}:r": str(degree)
        for system, question, degree in (
            ("A", "q1", 1), ("A", "q2", 2), ("B", "q1", 3), ("B", "q2", 5),
            ("C", "q8", 4), ("C", "q9", 5), ("D", "q8", 2), ("D", "q9", 2),
        )
    }
}  # fmt: skip


def test_systems_go_by_their_display_names():
    data = described(study(votes=APART), {"q1": {"dataset": "asqa"}, "q2": {"dataset": "eli5"}})
    named = tuple(replace(each, display_name=f"System {each.name}") for each in data.systems)
    filters = Filters(resamples=RESAMPLES, compare=("dataset=asqa", "dataset=eli5"))
    report = build(replace(data, systems=named), filters)
    told = next(line["text"] for line in report["headline"] if line["key"] == "groups")
    assert "Group 1: “System A”, “System B”; group 2: “System C”, “System D”." in told
    made = {table.key: table for table in tables_of(report)}
    assert {row[0] for row in made["slices"].rows} == {"System A", "System B"}
    assert [row[0] for row in made["compared-people-utility"].rows] == ["System A", "System B"]


def test_systems_are_correlated_within_their_group():
    automatic = {
        "attributable": {
            unit: {"tiny|v:1": "yes" if int(degree) > 2 else "no"}
            for unit, degree in APART["utility"].items()
        }
    }
    votes = {"attributable": {unit: value["tiny|v:1"]
                              for unit, value in automatic["attributable"].items()}}  # fmt: skip
    report = build(study(votes=votes, automatic=automatic), Filters(resamples=RESAMPLES))
    made = report["correlations"]["systems"]
    assert [[point["system"] for point in one["points"]] for one in made] == [
        ["A", "B"],
        ["C", "D"],
    ]
    assert [one["group"] for one in made] == [1, 2]
    assert len({one["id"] for one in made}) == 2
    keys = {key for key in charts_of(report) if key.startswith("scatter")}
    assert len(keys) == 2
