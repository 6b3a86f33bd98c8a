"""Hard negatives: each kind by hand, with its entailed twin; and the same from the same seed."""

import random

import pytest

from training.scorer.hard_negatives import MAKERS, Others, hard_negatives
from training.scorer.pairs import LabelledPair

PREMISE = (
    "Anna Berg beat Carl Dorn in Oslo on 3 June 1987. The hall held 4,500 people. It was full."
)


def made(name: str, said: str, *, premise: str = PREMISE, others=()) -> list[tuple[str, str, int]]:
    pair = LabelledPair(premise, said, 1, "fever")
    by_premise = {premise: [said, *others]}
    other = LabelledPair("Fish swim in the hall.", "Fish swim.", 1, "fever")
    lent = Others([pair, other], by_premise)
    return list(MAKERS[name](pair, lent, random.Random(1)))


def test_a_number_becomes_another_and_then_in_both_texts():
    (wrong, right) = made("made-number", "The hall held 4,500 people.")
    assert wrong[0] == PREMISE
    assert "4,500" not in wrong[1]
    assert (wrong[2], right[2]) == (0, 1)
    assert right[1] == wrong[1]
    number = wrong[1].split()[3]
    assert "," in number
    assert f"held {number} people" in right[0]
    assert "4,500" not in right[0]


def test_what_only_looks_like_a_number_stays():
    for said in ("The hall held many [2].", "The hall held 4,501 people.", "It was in 1987."):
        assert made("made-number", said, premise=f"{PREMISE} [2]") == []


def test_a_date_becomes_another_and_then_in_both_texts():
    (wrong, right) = made("made-date", "She won in 1987.")
    assert wrong[1] != "She won in 1987."
    assert wrong[1].startswith("She won in ")
    assert (right[1], right[2]) == (wrong[1], 1)
    assert "1987" not in right[0]
    (month, _) = made("made-date", "She won in June.")
    assert month[2] == 0
    assert "June" not in month[1]


def test_a_name_becomes_another_of_the_premise():
    ((premise, said, label),) = made("made-name", "In Oslo it was full.")
    assert (premise, label) == (PREMISE, 0)
    assert said in (
        "In Carl Dorn it was full.",
        "In June it was full.",
        "In Anna Berg it was full.",
    )


def test_names_in_one_list_are_not_exchanged():
    premise = "The cup went to Oslo, Bergen and Narvik."
    assert made("made-name", "A cup went to Bergen.", premise=premise) == []


def test_roles_are_exchanged_but_not_where_both_are_the_same():
    assert made("made-roles", "Anna Berg beat Carl Dorn.") == [
        (PREMISE, "Carl Dorn beat Anna Berg.", 0)
    ]
    assert made("made-roles", "Anna Berg and Carl Dorn met.") == []
    assert made("made-roles", "In Oslo, Anna Berg won with Carl Dorn.") == []


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("The hall was full.", "The hall was not full."),
        ("The hall was not empty.", "The hall was empty."),
    ],
)
def test_what_is_said_is_denied_and_what_is_denied_is_said(said, instead):
    assert made("made-denied", said) == [(PREMISE, instead, 0)]


def test_a_clause_is_added_that_is_false_and_one_that_is_true():
    right, wrong = made("made-clause", "The hall was full.", others=["She won in 1987."])
    assert (right[2], wrong[2]) == (1, 0)
    assert {*right[1].split(", and ")} <= {
        "The hall was full", "She won in 1987.", "She won in 1987", "the hall was full.",
    }  # fmt: skip
    assert "ish swim" in wrong[1]


def test_another_passage_is_one_that_does_not_hold_the_statement():
    ((premise, said, label),) = made("made-passage", "The hall of Oslo held Anna Berg.")
    assert (premise, said, label) == (
        "Fish swim in the hall.", "The hall of Oslo held Anna Berg.", 0,
    )  # fmt: skip
    assert made("made-passage", "Fish were in the hall.") == []


def test_only_entailed_pairs_of_the_sources_are_changed_and_always_alike():
    said = "The hall was full in 1987."
    pairs = [
        LabelledPair(PREMISE, said, 1, "fever"),
        LabelledPair(PREMISE, "The hall was empty in 1987.", 0, "fever"),
        LabelledPair(PREMISE, said, 1, "snli"),
        LabelledPair("Rain fell.", "It fell.", 1, "fever"),
    ]
    found = hard_negatives(pairs, ["fever"], 1)
    assert found == hard_negatives(pairs, ["fever"], 1) != hard_negatives(pairs, ["fever"], 2)
    assert {one.source for one in found} <= {*MAKERS}
    assert all("empty" not in one.hypothesis for one in found)
    texts = [(one.premise, one.hypothesis) for one in found]
    assert len(texts) == len(set(texts))
    # What is known already is not made.
    known = found[0]._replace(source="fever")
    assert known[:2] not in {one[:2] for one in hard_negatives([*pairs, known], ["fever"], 1)}
