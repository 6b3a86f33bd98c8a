"""Numbers as JSON."""

import json
import math

import numpy as np
import pytest

from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.numbers import dumps, number, rounded
from evaluation.stats.error_bars import error_bar, of_sums
from evaluation.stats.means import means


def bar():
    sums = np.array([[1.0, 1], [0, 1], [1, 1], [1, 1]])
    return error_bar(of_sums(sums, means), len(sums), seed=3)


def test_a_number_names_its_error_bar_and_how_it_was_made():
    found = number(Figure(0.75), n=4, of="responses", bar=bar(), signature="mean")
    assert found["value"] == 0.75
    assert found["low"] is not None
    assert found["high"] is not None
    assert found["low"] <= 0.75 <= found["high"]
    assert found["signature"] == ("mean|bootstrap|clusters:4|resamples:2000|seed:3|level:0.95|v:1")


def test_an_undefined_number_has_its_reason():
    found = number(undefined("nothing was rated"), n=0, of="units")
    assert (found["value"], found["reason"], found["se"]) == (None, "nothing was rated", None)


def test_last_bits_do_not_show():
    assert rounded(0.1 + 0.2) == 0.3
    assert dumps({"a": rounded(-0.0)}) == '{\n "a": 0.0\n}\n'


def test_last_bits_do_not_decide_where_the_middle_goes(subtests):
    for middle in [3.7828125, 0.6734375, 0.0000005]:
        with subtests.test(middle=middle):
            near = (math.nextafter(middle, 0), middle, math.nextafter(middle, 9))
            assert len({round(each, 6) for each in near}) == 2
            assert len({rounded(each) for each in near}) == 1


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="cannot stand in a report"):
        rounded(float("nan"))
    with pytest.raises(ValueError, match="JSON compliant"):
        dumps({"a": float("inf")})


def test_it_is_json_with_sorted_keys():
    text = dumps({"b": 1, "a": "é"})
    assert json.loads(text) == {"a": "é", "b": 1}
    assert text.index('"a"') < text.index('"b"')
    assert "é" in text
