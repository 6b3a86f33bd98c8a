"""Filters: the same choice from JSON, from an address and by hand, and none that cannot be."""

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.protocol.shipped import SHIPPED
from evaluation.reports.filters import LABEL_METHODS, FilterError, Filters

NAMES = st.lists(st.text(min_size=1).filter(str.strip), max_size=4).map(tuple)
CHOICES = st.builds(
    Filters,
    systems=NAMES,
    batch=st.none() | st.integers(1, 2**63 - 1),
    dimensions=st.lists(st.sampled_from(list(SHIPPED))).map(tuple),
    judges=NAMES,
    fine_grained=st.booleans(),
    labels=st.sampled_from(LABEL_METHODS),
    excluded_in=st.booleans(),
    outliers=st.booleans(),
    resamples=st.integers(10, 20_000),
    seed=st.none() | st.integers(0, 2**32 - 1),
)


@given(CHOICES)
def test_there_and_back(filters):
    assert Filters.from_json(filters.as_json()) == filters
    query = parse_qs(urlencode(filters.as_query(), doseq=True), keep_blank_values=True)
    again = Filters.from_query(query)
    assert again == filters
    assert again.digest == filters.digest


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "filters: expected an object, found []."),
        ({"system": []}, "system: expected one of the fields systems, slices"),
        ({"systems": "Amber"}, "systems: expected a list of names, found “Amber”."),
        ({"systems": [1]}, "systems: expected a list of names, found 1."),
        ({"systems": [""]}, "systems: expected a list of names, found “”."),
        ({"systems": ["x"] * 1001}, "systems: expected at most 1,000 names, found “1,001 names”."),
        ({"systems": [[]]}, "systems: expected a list of names, found []."),
        ({"dimensions": ["Fun!"]}, "dimensions: expected the key of a dimension, found “Fun!”."),
        ({"batch": "2"}, "batch: expected a whole number from 1"),
        ({"batch": True}, "batch: expected a whole number from 1"),
        ({"batch": 0}, "batch: expected a whole number from 1"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"seed": 1.5}, "seed: expected a whole number from 0"),
        ({"resamples": 9}, "resamples: expected a whole number from 10 to 20000, found 9."),
        ({"resamples": None}, "resamples: expected a whole number"),
        ({"labels": "mean"}, "labels: expected one of majority, dawid-skene, adjudicated"),
        ({"labels": []}, "labels: expected one of majority"),
        ({"outliers": 1}, "outliers: expected true or false, found 1."),
    ],
)
def test_what_cannot_be(given, message):
    with pytest.raises(FilterError) as error:
        Filters.from_json(given)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"batch": ["two"]}, "batch: expected a whole number, found “two”."),
        ({"seed": ["-1"]}, "seed: expected a whole number, found “-1”."),
        ({"seed": ["٣"]}, "seed: expected a whole number, found “٣”."),
        ({"seed": ["9" * 5000]}, "seed: expected a whole number, found “999"),
        ({"outliers": ["maybe"]}, "outliers: expected 1 or nothing, found “maybe”."),
        ({"labels": ["mean"]}, "labels: expected one of majority"),
    ],
)
def test_what_an_address_cannot_say(query, message):
    with pytest.raises(FilterError) as error:
        Filters.from_query(query)
    assert str(error.value).startswith(message)
    assert len(str(error.value)) < 250
