"""One label of numbers, several choices and marked words; and choices that tie."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.protocol.written import read
from evaluation.statistics.labels import estimates, label_columns, label_values
from evaluation.statistics.open_labels import open_label
from evaluation.statistics.votes import answer_columns, in_order, joined
from tests.evaluation.rubric import EVERY

PROTOCOL = read(EVERY.read_text(encoding="utf-8")).protocol
SURE, HARMS, ERRORS = (PROTOCOL[key] for key in ("sure", "harms", "errors"))


def votes(key, given):
    """By unit what judges say."""
    rows = [
        (key, unit, 1, judge, v) for unit, said in given.items() for judge, v in enumerate(said)
    ]
    columns = answer_columns([tuple(zip(*rows, strict=True))] if rows else [], PROTOCOL)
    return columns.votes(key, [*PROTOCOL])


@pytest.mark.parametrize(
    ("said", "mean", "median"),
    [
        (["50", "70"], "60", "50"),
        (["1", "2", "2"], "1.667", "2"),
        (["0.5", "0", "0", "0"], "0.125", "0"),
        (["0.1", "0.1", "0.2"], "0.133", "0.1"),
        (["100", "9", "20"], "43", "20"),
        # Exactly between two, to the even one.
        (["0.1", *["0"] * 15], "0.006", "0"),
    ],
)
def test_numbers(said, mean, median):
    assert open_label(SURE, said) == mean
    assert open_label(replace(SURE, label_by="median"), said) == median


@pytest.mark.parametrize(
    ("said", "majority", "union"),
    [
        (["insult", "insult|advice", "advice|private"], "insult|advice", "insult|advice|private"),
        (["insult", "advice"], "-", "insult|advice"),
        (["-", "-", "private"], "-", "private"),
        (["-"], "-", "-"),
    ],
)
def test_several(said, majority, union):
    assert open_label(HARMS, said) == majority
    assert open_label(replace(HARMS, label_by="any"), said) == union


@pytest.mark.parametrize(
    ("said", "majority", "union"),
    [
        (["0-9:made_up:minor", "4-12:made_up:minor", "-"],
         "4-9:made_up:minor", "0-12:made_up:minor"),
        # Of two raters half is not more than half.
        (["0-9:made_up:minor", "-"], "-", "0-9:made_up:minor"),
        # Labels apart; what touches is one span, and what does not is two.
        (["0-4:left_out:minor|4-9:left_out:major|2-6:made_up:minor|20-30:left_out:major"] * 2,
         "0-9:left_out:major|2-6:made_up:minor|20-30:left_out:major",
         "0-9:left_out:major|2-6:made_up:minor|20-30:left_out:major"),
        # As many characters of both severities.
        (["0-4:made_up:minor", "0-4:made_up:major"], "0-4:made_up:minor", "0-4:made_up:minor"),
        (["0-4:made_up:minor", "0-5:made_up:major"], "0-4:made_up:minor", "0-5:made_up:major"),
        # A rater who marks words twice is one rater.
        (["0-4:made_up:minor|2-8:made_up:minor", "-", "-"], "-", "0-8:made_up:minor"),
        (["-", "-"], "-", "-"),
    ],
)  # fmt: skip
def test_spans(said, majority, union):
    assert open_label(ERRORS, said) == majority
    assert open_label(replace(ERRORS, label_by="any"), said) == union


@st.composite
def marked(draw):
    found = set()
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, 20))
        length, label = draw(st.integers(1, 9)), draw(st.sampled_from(["made_up", "left_out"]))
        severity = draw(st.sampled_from(["minor", "major"]))
        found.add(f"{start}-{start + length}:{label}:{severity}")
    return ERRORS.read("|".join(sorted(found)) or "-")


def test_labels_of_all_units_at_once():
    found = label_columns(SURE, votes("sure", {4: ["50", "70", "60"], 9: ["9"], 11: ["100"]}))
    assert [found.values[place] for place in found.value.tolist()] == ["60", "9", "100"]
    assert found.values == ("9", "60", "100")
    assert (found.unit.tolist(), found.votes.tolist()) == ([4, 9, 11], [3, 1, 1])
    assert found.behind.tolist() == [1, 1, 1]
    assert label_values(HARMS, votes("harms", {1: ["insult", "insult"]})) == {1: "insult"}
    assert label_values(HARMS, votes("harms", {})) == {}


@pytest.mark.parametrize(
    ("ties", "label_by", "expected"),
    [
        ("low", "majority", {1: "a", 2: "c", 3: "a", 4: "b"}),
        ("high", "majority", {1: "c", 2: "c", 3: "c", 4: "b"}),
        ("none", "majority", {2: "c", 4: "b"}),
        ("low", "any", {1: "a", 2: "a", 3: "a", 4: "b"}),
    ],
)
def test_choices_that_tie(ties, label_by, expected):
    worst = PROTOCOL["worst"]
    choices = tuple(replace(worst.choices[0], value=value) for value in "abc")
    own = replace(
        worst, choices=choices, low_to_high=("a", "b", "c"), positive=frozenset("c"), ties=ties,
        label_by=label_by,
    )  # fmt: skip
    given = {1: "ac", 2: "acc", 3: "abc", 4: "b"}
    rows = [(unit, judge, v) for unit, said in given.items() for judge, v in enumerate(said)]
    unit, judge, value = zip(*rows, strict=True)
    places = ["abc".index(one) for one in value]
    columns = in_order(np.array(unit), np.array(judge), np.array(places), ("a", "b", "c"))
    assert label_values(own, columns) == expected
    assert estimates(own, joined(own, [columns])).keys() == given.keys()


@given(st.permutations([(1, 7, "50"), (1, 8, "9"), (2, 7, "100"), (2, 8, "50"), (3, 9, "0.5")]))
def test_votes_are_the_same_in_whatever_order_they_are_read(rows):
    """Also where they come some at a time."""
    rows = [("sure", unit, unit, judge, value) for unit, judge, value in rows]
    parts = [tuple(zip(*some, strict=True)) for some in (rows[:2], rows[2:])]
    found = answer_columns(parts, PROTOCOL).on("sure")
    assert found.values == ("0.5", "9", "50", "100")
    assert found.by_unit() == {1: {7: "50", 8: "9"}, 2: {7: "100", 8: "50"}, 3: {9: "0.5"}}
    assert found.value.dtype == np.int32
