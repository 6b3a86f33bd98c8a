"""Each rater against the majority of the others, by hand."""

from evaluation.agreement.leave_one_out import Others

VOTERS = {"a", "b", "c", "d"}


def agree(dimension, **votes):
    return Others(dimension, VOTERS).agree(votes)


def test_the_own_vote_is_left_out():
    # a: the others say no, no. b: yes, no is a tie, so no. c the same.
    assert agree("citation_recall", a="yes", b="no", c="no") == {"a": False, "b": True, "c": True}


def test_one_other_is_enough_and_none_is_not():
    assert agree("citation_recall", a="yes", b="no") == {"a": False, "b": False}
    assert agree("citation_recall", a="yes", b="yes") == {"a": True, "b": True}
    assert agree("citation_recall", a="yes") == {}


def test_who_has_no_vote_is_compared_and_compares_with_nobody():
    found = agree("citation_recall", a="yes", b="yes", z="no")
    assert found == {"a": True, "b": True, "z": False}
    assert agree("citation_recall", a="yes", z="yes") == {"z": True}


def test_on_a_likert_scale_the_others_median_counts():
    # a: the lower median of 2, 4, 5 is 4. b: of 4, 4, 5 it is 4. c and d: of 2, 4, 5 and 2, 4, 4.
    found = agree("utility", a="4", b="2", c="4", d="5")
    assert found == {"a": True, "b": False, "c": True, "d": False}
