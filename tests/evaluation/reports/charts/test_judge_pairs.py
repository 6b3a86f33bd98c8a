"""The chart of judges against each other: which pairs, in whose colour, and which are clear."""

import re
from typing import Any

import altair
import numpy as np
import pytest

from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import charts_of
from evaluation.reports.tables.names import judge_title
from tests.evaluation.reports.studies import study

WRONG = {"good": 0.12, "same": 0.12, "bad": 0.4}
JUDGES = {name: f"autoais|m:a-scorer-with-a-long-name-{name}|thr:0.5|v:1" for name in WRONG}


@pytest.fixture(scope="module")
def report():
    draw = np.random.default_rng(7)
    units = [f"{system}/q{n:02}:r" for system in "ABC" for n in range(60)]
    truth = {unit: bool(draw.random() < 0.5) for unit in units}
    word = {True: "yes", False: "no"}
    said = {
        unit: {
            JUDGES[name]: word[truth[unit] ^ bool(draw.random() < share)]
            for name, share in WRONG.items()
        }
        for unit in units
    }
    votes = {unit: word[value] for unit, value in truth.items()}
    data = study(votes={"attributable": votes}, automatic={"attributable": said})
    return build(data, Filters(resamples=200))


def rows(chart):
    return max(chart.spec["datasets"].values(), key=len)


def test_each_pair_has_its_difference_and_the_clear_ones_are_filled(report):
    chart = charts_of(report)["judges-kappa-attributable"]
    [one] = report["judge_pairs"]
    [by] = [each for each in one["numbers"] if each["key"] == "kappa"]
    ids = {judge["name"]: judge["id"] for judge in report["judges"]}
    titles = {name: judge_title(report, ids[full]) for name, full in JUDGES.items()}
    drawn = {frozenset((row["one"], row["other"])): row for row in rows(chart)}
    assert len(drawn) == len(by["pairs"]) == 3
    for pair in by["pairs"]:
        key = frozenset(judge_title(report, pair[side]) for side in ("one", "other"))
        row, difference = drawn[key], pair["difference"]
        assert (row["value"], row["low"], row["high"]) == (
            difference["value"], difference["low"], difference["high"],
        )  # fmt: skip
        assert row["clear"] == (pair["p_holm"] < 0.05)
        assert row["of"] == judge_title(report, pair["one" if row["value"] > 0 else "other"])
    clear = {names for names, row in drawn.items() if row["clear"]}
    assert clear == {frozenset((titles["bad"], titles[name])) for name in ("good", "same")}
    assert chart.table_key == "judge-pairs-attributable"
    assert re.search(r"corrected by Holm's method \(2\); hollow ones", chart.description)


def test_names_are_whole_and_no_two_alike(report):
    names = [row["name"] for row in rows(charts_of(report)["judges-kappa-attributable"])]
    assert len(set(names)) == 3
    for row in rows(charts_of(report)["judges-kappa-attributable"]):
        assert row["name"].replace("\n", "").replace(" ", "") == (
            f"{row['one']}−{row['other']}".replace(" ", "")
        )


def test_each_number_has_its_chart_of_vega_lite(report):
    charts = {key: one for key, one in charts_of(report).items() if key.startswith("judges-")}
    [one] = report["judge_pairs"]
    known = [
        by["key"]
        for by in one["numbers"]
        if any(pair["difference"]["value"] is not None for pair in by["pairs"])
    ]
    assert list(charts) == [f"judges-{key}-attributable" for key in known]
    for chart in charts.values():
        altair.LayerChart.from_dict(chart.spec, validate=True)


def test_a_pair_without_a_number_is_not_drawn(report):
    [one] = report["judge_pairs"]
    numbers = [
        {**by, "pairs": [{**pair, "difference": {**pair["difference"], "value": None}}
                         for pair in by["pairs"]]}
        for by in one["numbers"]
    ]  # fmt: skip
    other: Any = {**report, "judge_pairs": [{**one, "numbers": numbers}]}
    assert not [key for key in charts_of(other) if key.startswith("judges-")]
