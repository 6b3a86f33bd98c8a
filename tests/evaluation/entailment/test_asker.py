"""The asker: each pair once, nothing that the cache knows, and it counts."""

import pytest

from evaluation.judges.entailment import Asker, Count, MemoryCache
from evaluation.judges.entailment.asker import TOO_MANY
from evaluation.judges.entailment.scorer import digest


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


def test_probabilities_computed_before_a_failure_are_kept():
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


def test_a_number_that_is_no_probability_is_refused():
    class Odd(Noting):
        def probabilities(self, pairs):
            return [float("nan")] * len(pairs)

    with pytest.raises(ValueError, match="no probability"):
        Asker(Odd()).decide(PAIRS)
