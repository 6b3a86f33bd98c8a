"""What a vote is: by hand, on columns."""

from dataclasses import replace

import numpy as np

from annotate.protocol.dimensions import Condition
from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import SHIPPED
from evaluation.statistics.votes import answer_columns, is_among

AIS = ("interpretable", "attributable")


def answers(protocol=SHIPPED, **given):
    """`given` has for each question the answers as unit, judge, value."""
    rows = [(key, unit, unit, judge, value) for key in given for unit, judge, value in given[key]]
    return answer_columns([tuple(zip(*rows, strict=True))] if rows else [], protocol)


def said(found, key):
    values = SHIPPED[key].low_to_high
    return [
        (unit, judge, values[value])
        for unit, judge, value in zip(
            found.unit.tolist(), found.judge.tolist(), found.value.tolist(), strict=True
        )
    ]


def test_votes_stand_by_unit_and_then_judge_as_places_from_low_to_high():
    found = answers(citation_support=[(2, 8, "full"), (1, 9, "none"), (1, 7, "partial")])
    columns = found.on("citation_support")
    assert (columns.unit.tolist(), columns.judge.tolist()) == ([1, 1, 2], [7, 9, 8])
    assert columns.value.tolist() == [1, 0, 2]
    assert columns.by_unit() == {1: {7: "partial", 9: "none"}, 2: {8: "full"}}
    assert len(found.on("utility")) == 0


def test_values_of_automatic_judges_are_no_votes():
    found = answers(citation_support=[(1, 7, "needed"), (1, 8, "full")])
    assert said(found.on("citation_support"), "citation_support") == [(1, 8, "full")]


def test_dimension_not_asked_counts_as_the_lowest_value():
    found = answers(
        interpretable=[(1, 7, "yes"), (1, 8, "no"), (1, 9, "no"), (2, 7, "no")],
        attributable=[(1, 7, "yes"), (1, 9, "yes")],
    )
    # 9 was asked all the same, and that answer counts.
    assert said(found.votes("attributable", AIS), "attributable") == [
        (1, 7, "yes"),
        (1, 8, "no"),
        (1, 9, "yes"),
        (2, 7, "no"),
    ]


def test_unasked_votes_exist_only_for_units_with_an_answer():
    found = answers(interpretable=[(1, 8, "no"), (2, 8, "no")], attributable=[(1, 7, "yes")])
    assert said(found.votes("attributable", ("interpretable",)), "attributable") == [
        (1, 7, "yes"),
        (1, 8, "no"),
    ]


def test_a_question_that_hangs_on_one_that_was_not_asked():
    """Not interpretable, so not attributable, so the third is not asked either."""
    third = replace(
        SHIPPED["pf_utility"],
        shown_when=(Condition("attributable", ("yes",)),),
        unasked="not_useful",
    )
    found = answers(
        Protocol({**SHIPPED, "pf_utility": third}.values()),
        interpretable=[(1, 7, "no"), (1, 8, "yes")],
        attributable=[(1, 8, "yes")],
        pf_utility=[(1, 8, "useful")],
    )
    assert said(found.votes("pf_utility", (*AIS, "pf_utility")), "pf_utility") == [
        (1, 7, "not_useful"),
        (1, 8, "useful"),
    ]


def test_dimension_not_asked_without_a_value_gives_no_vote():
    second = replace(SHIPPED["attributable"], unasked="")
    found = answers(
        Protocol({**SHIPPED, "attributable": second}.values()),
        interpretable=[(1, 7, "yes"), (1, 8, "no")],
        attributable=[(1, 7, "yes")],
    )
    assert said(found.votes("attributable", AIS), "attributable") == [(1, 7, "yes")]


def test_nothing_was_said():
    nothing = answers()
    assert len(nothing.votes("attributable", AIS)) == 0
    ratings = nothing.on("utility").coded()
    assert (ratings.units, ratings.judges, ratings.counts.shape) == ((), (), (0, 5))


def test_pairs_of_a_unit_and_a_judge():
    units, judges = np.array([1, 1, 2, 3]), np.array([7, 8, 7, 9])
    given = np.array([2, 1, 3]), np.array([7, 8, 7])
    assert is_among(units, judges, *given).tolist() == [False, True, True, False]
    nothing = np.zeros(0, dtype=np.int64)
    assert not is_among(units, judges, nothing, nothing).any()
    # Keys as large as a big database has them do not run into each other.
    large = np.array([2**40, 2**40 + 1])
    assert is_among(large, np.array([2**20, 0]), large[:1], np.array([2**20])).tolist() == [
        True,
        False,
    ]
