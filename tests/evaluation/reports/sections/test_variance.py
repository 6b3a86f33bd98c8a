"""Reliability of ratings in a report, and the sentences that sum up its sections."""

from typing import Any

import numpy as np
import pytest

from bench.made_up import study
from evaluation.reports.filters import Filters
from evaluation.reports.sections.headline_findings import (
    on_disagreements,
    on_reliability,
    on_slices,
)
from evaluation.reports.sections.variance import variance
from evaluation.reports.selection import select
from evaluation.reports.tables.people import variance as tables
from tests.evaluation.reports.sections.test_headline import known, report, unknown


def rated(*, strict):
    draw = np.random.default_rng(1)
    truth = draw.random((40, 3, 1)) < 0.5
    return (draw.random((40, 3, 4)) < np.where(truth, 0.85, 0.15) + strict).astype(float)


def test_strict_raters_are_noise_and_reliability_follows_spearman_and_brown():
    strict: Any = variance(select(study(rated(strict=np.array([-0.3, -0.1, 0.1, 0.3]))), Filters()))
    alike: Any = variance(select(study(rated(strict=np.zeros(4))), Filters()))
    [row], [other] = strict, alike
    assert row["of_noise"]["low"] > 0.1 > other["of_noise"]["value"]
    assert row["one_rater"]["value"] < other["one_rater"]["value"]
    assert (row["units"], row["ratings"], row["own_raters"]) == (120, 480, 4.0)
    assert row["own"]["value"] == row["by_raters"][3]
    assert row["by_raters"][0] == row["one_rater"]["value"]
    needed = row["needed"]
    assert needed["low"] <= needed["value"] <= needed["high"]
    assert row["by_raters"][int(other["needed"]["value"]) - 1] < 0.8
    found: Any = tables(report(variance=[row]))
    main, parts, by_raters = found
    assert [column.title for column in main.columns][1:3] == ["Noise due to raters", "One rater"]
    assert sum(cell.value for cell in parts.rows[0][4:]) == pytest.approx(1)
    assert len(by_raters.columns) == 11


def entry(**parts):
    found = {
        "item": "attributable",
        "one_rater": known(0.4, 0.3, 0.5),
        "own": known(0.67, 0.56, 0.75),
        "own_raters": 3.0,
        "needed": known(6, 4, 10),
        "of_noise": known(0.1, 0.05, 0.15),
    }
    return report(variance=[found | parts])


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "One rater's reliability on “Attributable” is 0.40 [0.30, 0.50], that of the 3.0 "
         "ratings per unit here 0.67 [0.56, 0.75]; 6 [4, 10] raters would reach 0.8. Of the noise, "
         "10.0 % [5.0 %, 15.0 %] is due to strict and lenient raters."),
        ({"needed": unknown("they do not agree"), "of_noise": unknown("few")}, "One rater's "
         "reliability on “Attributable” is 0.40 [0.30, 0.50], that of the 3.0 ratings per unit "
         "here 0.67 [0.56, 0.75]. We cannot tell how many raters would "
         "reach 0.8: they do not agree."),
        ({"needed": known(101, None, None)}, "One rater's reliability on “Attributable” is 0.40 "
         "[0.30, 0.50], that of the 3.0 ratings per unit here 0.67 [0.56, 0.75]. We cannot tell "
         "how many raters would reach 0.8: no interval. Of the noise, 10.0 % [5.0 %, 15.0 %] is "
         "due to strict and lenient raters."),
    ],
)  # fmt: skip
def test_reliability_in_one_sentence(parts, words):
    [found] = on_reliability(entry(**parts), "attributable")
    assert found["text"] == words


def test_no_reliability_over_data_sets_where_people_agree_less_within_them():
    one = entry()
    one["slices"] = {"split": "dataset", "columns": [], "values": []}
    for excess, words in ((0.05, "One rater's reliability"), (0.4, "We cannot tell how many")):
        one["people"][0]["alpha_excess"] = known(excess, excess - 0.04, excess + 0.04)
        [found] = on_reliability(one, "attributable")
        assert found["text"].startswith(words)


def test_no_sentence_without_reliability():
    assert on_reliability(entry(one_rater=unknown("no unit")), "attributable") == []
    assert on_reliability(report(), "attributable") == []


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (((0.9, 0.9), (0.1, 0.2)), "“A” has the highest number in 2 of 2 data sets (not tested)."),
        (((0.9, 0.1), (0.1, 0.2)), "“A” and “B” each have the highest number in 1 of 2 data sets "
         "(not tested)."),
        (((None, 0.1), (0.1, 0.1)), "“B” has the highest number in 2 of 2 data sets (not tested)."),
    ],
)  # fmt: skip
def test_which_system_is_highest_in_how_many_slices(cells, words):
    rows = [
        {"system": name, "cells": [{"value": value} for value in some]}
        for name, some in zip("AB", cells, strict=True)
    ]
    column = {"kind": "people", "judge": None, "key": "attributable", "title": "Attributable"}
    one = report(slices={"split": "dataset", "columns": [{**column, "rows": rows}]})
    assert on_slices(one, "attributable")[0]["text"] == f"By people on “Attributable”, {words}"
    assert on_slices(one, "other") == on_slices(report(), "attributable") == []


def test_how_often_people_and_a_judge_differ():
    count = {"judge": "j1", "item": "attributable", "compared": 10, "people_yes": 2, "people_no": 1}
    one = report(disagreement_counts=[count, count | {"system": "B"}, count | {"judge": "j2"}])
    [found] = on_disagreements(one, "j1", "attributable")
    assert found["text"] == (
        "People and AutoAIS differ on 6 of 20 units on “Attributable”: on 4, people say yes and "
        "the judge no; on 2, the reverse."
    )
    assert on_disagreements(one, "j1", "utility") == []
