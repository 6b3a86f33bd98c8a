"""The majority and its ties, case by case."""

import numpy as np
import pytest

from annotate.protocol.shipped import SHIPPED
from evaluation.statistics.majority import majorities


def majority(values, key):
    levels = SHIPPED[key].low_to_high
    counts = np.array([[values.count(level) for level in levels]])
    [place] = majorities(counts, median=SHIPPED[key].is_likert)
    return levels[place]


def test_yes_and_no(subtests):
    for values, expected in [
        (["yes"], "yes"),
        (["yes", "yes", "no"], "yes"),
        (["yes", "no", "no"], "no"),
        (["yes", "no"], "no"),
        (["yes", "yes", "no", "no"], "no"),
        (["no", "yes", "yes", "yes", "no"], "yes"),
    ]:
        with subtests.test(values=values, expected=expected):
            assert majority(values, "citation_recall") == expected


def test_useful(subtests):
    for values, expected in [
        (["useful", "not_useful"], "not_useful"),
        (["useful", "useful", "not_useful"], "useful"),
    ]:
        with subtests.test(values=values, expected=expected):
            assert majority(values, "pf_utility") == expected


def test_levels_of_support(subtests):
    for values, expected in [
        (["full", "full", "none"], "full"),
        (["full", "partial"], "partial"),
        (["full", "none"], "none"),
        (["full", "partial", "none"], "none"),
        (["full", "full", "partial", "partial", "none"], "partial"),
        (["full", "full", "partial", "none"], "full"),  # the most frequent, though half only
    ]:
        with subtests.test(values=values, expected=expected):
            assert majority(values, "citation_support") == expected


def test_likert_is_the_lower_median(subtests):
    for values, expected in [
        (["5"], "5"),
        (["1", "4", "5"], "4"),
        (["5", "1", "1", "5", "4"], "4"),  # not the most frequent: the middle of 1 1 4 5 5
        (["2", "5"], "2"),
        (["5", "4", "3", "1"], "3"),  # even: the lower of 3 and 4
        (["3", "3", "5", "5"], "3"),
    ]:
        with subtests.test(values=values, expected=expected):
            assert majority(values, "utility") == expected


def test_no_answer_is_no_majority(subtests):
    for dimension in ["utility", "citation_recall"]:
        with subtests.test(dimension=dimension), pytest.raises(ValueError):
            majority([], dimension)
