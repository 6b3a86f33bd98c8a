"""Each rater against each of the others, by hand."""

import pytest

from evaluation.statistics.coded import coded
from evaluation.statistics.leave_one_out import Alike, alike, compared
from tests.evaluation.agreement.plainly import same_as_others
from tests.evaluation.agreement.test_coded import JUDGES, LEVELS, drawn

VOTERS = {"a", "b", "c", "d"}
VALUES = ("no", "yes", "1", "2", "3", "4", "5")


def same(**votes):
    """Who can be compared: how many of how many others said the same."""
    ratings = coded({"u": votes}, VALUES, list(votes))
    same, others = compared(ratings, [judge in VOTERS for judge in votes])
    return {j: (int(s), int(n)) for j, s, n in zip(votes, same, others, strict=True) if n}


def test_the_own_vote_is_left_out():
    # a: neither of two. b: c alone of a and c. c: b alone of a and b.
    assert same(a="yes", b="no", c="no") == {"a": (0, 2), "b": (1, 2), "c": (1, 2)}


def test_one_other_is_enough_and_none_is_not():
    assert same(a="yes", b="no") == {"a": (0, 1), "b": (0, 1)}
    assert same(a="yes", b="yes") == {"a": (1, 1), "b": (1, 1)}
    assert same(a="yes") == {}


def test_who_has_no_vote_is_compared_and_nobody_with_them():
    assert same(a="yes", b="yes", z="no") == {"a": (1, 1), "b": (1, 1), "z": (0, 2)}
    assert same(a="yes", z="yes") == {"z": (1, 1)}


def test_on_an_ordinal_scale_the_same_answer_is_asked_for_too():
    assert same(a="4", b="2", c="4", d="5") == {"a": (1, 3), "b": (0, 3), "c": (1, 3), "d": (0, 3)}


def test_each_unit_counts_the_same_however_many_others_rated_it():
    found = Alike()
    found.add(1, 1)
    found.add(1, 4)
    found.add(0, 0)
    # (1/1 + 1/4) / 2, not 2 of 5.
    assert found.value == pytest.approx(0.625)
    assert found.percent == pytest.approx(62.5)
    assert (found.units, found.comparisons) == (2, 5)
    assert Alike().value is None


def test_two_who_often_tie_do_not_make_the_third_look_dishonest():
    """Of three, the other two say yes and no: half of them say what the rater says."""
    found = Alike()
    for _ in range(10):
        found.add(*same(a="yes", b="yes", c="no")["a"])
    assert found.value == 0.5


def test_all_at_once_as_one_by_one(subtests):
    for seed in range(3):
        for silent in [(), ("eve",), ("ann", "eve")]:
            with subtests.test(seed=seed, silent=silent):
                ratings = drawn(seed)
                voters = set(JUDGES) - set(silent)
                expected = {judge: Alike() for judge in JUDGES}
                for votes in ratings.values():
                    for judge, (same, others) in same_as_others(votes, voters).items():
                        expected[judge].add(same, others)
                found = alike(coded(ratings, LEVELS, JUDGES), [judge in voters for judge in JUDGES])
                for one, other in zip(found, expected.values(), strict=True):
                    assert (one.units, one.comparisons) == (other.units, other.comparisons)
                    assert one.shares == pytest.approx(other.shares)


def test_without_ratings():
    assert alike(coded({}, LEVELS, ()), []) == []
    [found] = alike(coded({"u": {"ann": "full"}}, LEVELS, ("ann",)), [True])
    assert (found, found.value) == (Alike(), None)
