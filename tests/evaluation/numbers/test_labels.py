"""Labels of all units at once, and whose decision stands."""

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotate.protocol.shipped import SHIPPED
from evaluation.statistics.labels import (
    label_columns,
    label_signature,
    label_values,
    last_to_decide,
)
from evaluation.statistics.votes import VoteColumns
from tests.evaluation.agreement.plainly import majority

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def columns(key, given):
    """Votes by unit, in the order of the judges."""
    levels = SHIPPED[key].low_to_high
    rows = [(unit, judge, v) for unit, said in given.items() for judge, v in enumerate(said)]
    return VoteColumns(
        np.array([unit for unit, _, _ in rows], dtype=np.int32),
        np.array([judge for _, judge, _ in rows], dtype=np.int32),
        np.array([levels.index(value) for *_, value in rows], dtype=np.int8),
        levels,
    )


@given(
    st.sampled_from([key for key, one in SHIPPED.items() if one.is_choice and one.ties == "low"]),
    st.dictionaries(
        st.integers(0, 30), st.lists(st.integers(0, 4), min_size=1, max_size=7), max_size=8
    ),
)
def test_majorities_at_once_are_those_one_by_one(key, drawn):
    levels = SHIPPED[key].low_to_high
    given = {unit: [levels[v % len(levels)] for v in drawn[unit]] for unit in sorted(drawn)}
    assert label_values(SHIPPED[key], columns(key, given)) == {
        unit: majority(said, key) for unit, said in given.items()
    }


def test_how_many_votes_are_behind_it():
    found = label_columns(
        SHIPPED["utility"], columns("utility", {4: ["5", "2", "3"], 9: ["4", "4"]})
    )
    assert found.unit.tolist() == [4, 9]
    assert found.value.tolist() == [2, 3]
    assert (found.votes.tolist(), found.behind.tolist()) == ([3, 2], [1, 2])


def test_the_last_decision_stands_and_of_two_at_once_the_last_name():
    found = last_to_decide(
        [
            ("u", NOW, "ann"),
            ("u", NOW - timedelta(days=1), "zoe"),
            ("v", NOW, "ann"),
            ("v", NOW, "ben"),
        ]
    )
    assert found == {"u": "ann", "v": "ben"}


def test_a_label_is_a_judge_with_a_name_of_its_own():
    names = {
        label_signature(method, batch)
        for method in ("majority", "adjudicated", "dawid-skene")
        for batch in (None, 3, 4)
    }
    assert len(names) == 9
    assert label_signature("majority", 3) == (
        "majority|of:people,batch:3|rule:tie:low,likert:lower-median|v:1"
    )
