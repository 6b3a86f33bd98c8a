"""Letters: two share one if and only if nothing tells them apart."""

from itertools import combinations
from random import Random

from evaluation.statistics.comparison import letters


def test_all_alike_all_apart_and_between():
    pairs = {frozenset(pair) for pair in combinations(range(3), 2)}
    assert letters([2, 0, 1], set()) == {2: "a", 0: "a", 1: "a"}
    assert letters([2, 0, 1], pairs) == {2: "a", 0: "b", 1: "c"}
    assert letters([2, 0, 1], {frozenset((2, 1))}) == {2: "a", 0: "ab", 1: "b"}
    assert letters([], set()) == {}


def test_many_that_are_alike_share_one_letter_at_once():
    """All subsets of forty would take for ever."""
    assert set(letters(range(40), set()).values()) == {"a"}


def test_a_letter_in_common_says_it_all(subtests):
    for seed in range(30):
        with subtests.test(seed=seed):
            draw = Random(seed)
            pairs = [frozenset(pair) for pair in combinations(range(7), 2)]
            apart = {pair for pair in pairs if draw.random() < 0.4}
            found = letters(range(7), apart)
            for pair in pairs:
                one, other = (set(found[each]) for each in pair)
                assert bool(one & other) == (pair not in apart)
            assert found[0].startswith("a")
