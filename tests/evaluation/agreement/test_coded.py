"""Ratings as arrays say what the ratings say."""

import random

from evaluation.statistics.coded import coded
from tests.evaluation.agreement.by_ratings import counts

LEVELS = ("none", "partial", "full")
JUDGES = ("ann", "ben", "cat", "dan", "eve")


def drawn(seed, *, units=40):
    draw = random.Random(seed)
    return {
        unit: {
            judge: draw.choice(LEVELS) for judge in draw.sample(JUDGES, draw.randint(1, 5))
        }
        for unit in range(units)
    }  # fmt: skip


def test_by_hand():
    found = coded({"u": {"ben": "full"}, "v": {"ann": "none", "ben": "full"}}, LEVELS, JUDGES[:2])
    assert (found.units, found.judges, found.size) == (("u", "v"), ("ann", "ben"), 3)
    assert found.unit.tolist() == [0, 1, 1]
    assert found.judge.tolist() == [1, 0, 1]
    assert found.code.tolist() == [2, 0, 2]
    assert found.counts.tolist() == [[0, 0, 1], [1, 0, 1]]
    assert found.per_unit.tolist() == [1, 2]
    assert found.per_judge.tolist() == [1, 2]


def test_counts_are_those_of_the_ratings(subtests):
    for seed in range(3):
        with subtests.test(seed=seed):
            ratings = drawn(seed)
            assert (coded(ratings, LEVELS, JUDGES).counts == counts(ratings, LEVELS)).all()


def test_some_judges_only():
    ratings = drawn(1)
    some = coded(ratings, LEVELS, JUDGES).of_judges([3, 1])
    assert some.judges == ("dan", "ben")
    kept = {
        u: {j: v for j, v in votes.items() if j in ("ben", "dan")} for u, votes in ratings.items()
    }
    assert (some.counts == counts(kept, LEVELS)).all()
    assert some.per_judge.tolist() == [
        sum("dan" in votes for votes in kept.values()),
        sum("ben" in votes for votes in kept.values()),
    ]


def test_without_ratings():
    nothing = coded({}, LEVELS, ())
    assert nothing.counts.shape == (0, 3)
