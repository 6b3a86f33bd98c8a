"""The asker: each pair once, nothing that the cache knows, and it counts."""

import time
from itertools import pairwise
from typing import ClassVar

import pytest

from evaluation.entailment import Asker, Count, Decision, MemoryCache, ScorerError
from evaluation.entailment.asker import LEAST, TOO_MANY
from evaluation.entailment.scorer import digest


class Noting:
    """A scorer that notes what it is asked; the share of the hypothesis' length."""

    threshold = 0.5

    def __init__(self, fingerprint="noting"):
        self.fingerprint = fingerprint
        self.asked = []

    def probabilities(self, pairs):
        self.asked.append(list(pairs))
        return [len(hypothesis) / 10 for _, hypothesis in pairs]


PAIRS = [("p", "12345678"), ("p", "1"), ("p", "12345678"), ("q", "1"), ("p", "12345")]


def test_decisions_come_in_the_order_of_the_pairs():
    decided = Asker(Noting()).decide(PAIRS)
    assert decided == [
        Decision(0.8, True),
        Decision(0.1, False),
        Decision(0.8, True),
        Decision(0.1, False),
        Decision(0.5, True),
    ]


def test_a_pair_is_computed_once():
    scorer = Noting()
    asker = Asker(scorer)
    asker.decide(PAIRS, wave="joint")
    asker.decide([("q", "1"), ("new", "1")], wave="single")
    assert sorted(pair for some in scorer.asked for pair in some) == sorted({*PAIRS, ("new", "1")})
    assert asker.counts == {
        "joint": Count(asked=5, unique=4, cached=0, computed=4),
        "single": Count(asked=2, unique=2, cached=1, computed=1),
    }


def test_another_scorer_does_not_get_the_answers_of_the_first():
    cache, other = MemoryCache(), Noting("other")
    Asker(Noting(), cache).decide(PAIRS)
    Asker(other, cache).decide(PAIRS)
    assert len(other.asked[0]) == 4
    again = Noting()
    Asker(again, cache).decide(PAIRS)
    assert again.asked == []


def test_the_longest_go_first_and_a_portion_at_a_time():
    scorer = Noting()
    asker = Asker(scorer, portion=3)
    asker.decide([("a" * n, "h") for n in (2, 9, 4, 7)])
    assert [[len(premise) for premise, _ in some] for some in scorer.asked] == [[9, 7, 4], [2]]


def test_what_was_computed_before_a_failure_is_kept():
    class Failing(Noting):
        def probabilities(self, pairs):
            if self.asked:
                raise RuntimeError("out of luck")
            return super().probabilities(pairs)

    cache = MemoryCache()
    asker = Asker(Failing(), cache, portion=TOO_MANY)
    pairs = [("a" * n, "h") for n in range(2 * TOO_MANY, 0, -1)]
    with pytest.raises(RuntimeError, match="out of luck"):
        asker.decide(pairs, wave="joint")
    assert asker.counts["joint"].computed == TOO_MANY
    known = cache.get_many("noting", [digest(pair) for pair in pairs])
    assert set(known) == {digest(pair) for pair in pairs[:TOO_MANY]}


class Choosy(Noting):
    """Cannot answer about some premises."""

    def probabilities(self, pairs):
        if any("bad" in premise for premise, _ in pairs):
            raise IndexError("list index out of range")
        return super().probabilities(pairs)


def test_a_pair_that_cannot_be_answered_is_found_among_the_others():
    asker = Asker(Choosy())
    pairs = [("good", "h"), ("bad", "h"), ("fine", "h"), ("too bad", "h"), ("well", "h")]
    found = asker.decide(pairs, wave="joint")
    reason = "the scorer failed: list index out of range"
    assert [one.reason for one in found] == ["", reason, "", reason, ""]
    assert not any(one.entailed for one in found if one.reason)
    count = asker.counts["joint"]
    assert (count.unique, count.computed, count.failed) == (5, 3, 2)


def test_what_failed_is_asked_again_another_time():
    cache = MemoryCache()
    Asker(Choosy(), cache).decide([("bad", "h"), ("good", "h")])
    again = Asker(Noting(), cache)
    assert again.decide([("bad", "h")])[0].reason == ""


def test_a_scorer_that_answers_nothing_is_at_fault_itself():
    with pytest.raises(IndexError):
        Asker(Choosy()).decide([("bad", "h"), ("too bad", "h")])


def test_but_not_one_that_answered_everything_else_before():
    """Here only what it could not answer is left to be asked."""
    cache = MemoryCache()
    pairs = [("bad", "h"), ("too bad", "h"), ("good", "h")]
    first = Asker(Choosy(), cache).decide(pairs)
    assert Asker(Choosy(), cache).decide(pairs) == first


def test_a_scorer_that_cannot_run_stops_everything_at_once():
    class Unreachable(Noting):
        tries = 0

        def probabilities(self, pairs):
            self.tries += 1
            raise ScorerError("no answer after 5 tries")

    scorer = Unreachable()
    with pytest.raises(ScorerError, match="no answer"):
        Asker(scorer).decide([(str(n), "h") for n in range(8)])
    assert scorer.tries == 1


def test_portions_follow_the_time_that_they_take():
    class Timed(Noting):
        sizes: ClassVar[list[int]] = []

        def probabilities(self, pairs):
            self.sizes.append(len(pairs))
            time.sleep(0.001 * len(pairs))
            return super().probabilities(pairs)

    pairs = [(str(n), "h") for n in range(400)]
    Asker(Timed(), seconds=0.1).decide(pairs)
    assert Timed.sizes[0] == LEAST
    assert sum(Timed.sizes) == 400
    assert all(later <= 4 * size for size, later in pairwise(Timed.sizes))
    assert max(Timed.sizes) > LEAST


def test_the_threshold_can_be_another():
    assert [d.entailed for d in Asker(Noting(), threshold=0.6).decide(PAIRS)] == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_progress_is_told():
    told = []
    asker = Asker(Noting(), portion=2, progress=lambda *news: told.append(news))
    asker.decide(PAIRS, wave="joint")
    assert told == [("joint", 0, 4), ("joint", 2, 4), ("joint", 4, 4)]


def test_digests_tell_apart_where_the_premise_ends():
    assert digest(("ab", "c")) != digest(("a", "bc"))
    assert digest(("a", "b")) == digest(("a", "b"))
    assert len(digest(("\ud800", ""))) == 32
