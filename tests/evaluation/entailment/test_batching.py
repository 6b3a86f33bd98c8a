"""Batches: their size, their order, and what happens when the memory runs out."""

import threading

import pytest
import torch

from evaluation.judges.entailment.batching import PORTION, Batches
from evaluation.judges.entailment.loading import ScorerError
from evaluation.judges.entailment.rows import Encoded, Rows


def one_token_a_sign():
    """Pairs whose tokens are their signs; none is too long."""
    return Rows(
        encode=lambda pairs: [Encoded([ord(sign) for sign in p + h]) for p, h in pairs],
        spans=lambda texts: [[(n, n + 1) for n in range(len(text))] for text in texts],
        limit=10_000,
        window=10_000,
        policy="window",
    )


class Model:
    """Half of each row's first token, as a share; notes the batches. `memory` is in tokens."""

    def __init__(self, memory=10**9, problem=torch.OutOfMemoryError):
        self.memory = memory
        self.problem = problem
        self.batches = []

    def __call__(self, batch):
        lengths = [len(row.tokens) for row in batch]
        if len(batch) * max(lengths) > self.memory:
            raise self.problem("DefaultCPUAllocator: can't allocate memory")
        self.batches.append(lengths)
        return torch.tensor([row.tokens[0] / 200 for row in batch])


PAIRS = [(chr(65 + n % 50) * (1 + n * 7 % 40), "h") for n in range(90)]
EXPECTED = [ord(premise[0]) / 200 for premise, _ in PAIRS]


def test_probabilities_come_in_the_order_of_the_pairs():
    model = Model()
    found = Batches(model, 128).probabilities(PAIRS, one_token_a_sign())
    assert found == pytest.approx(EXPECTED)


def test_batches_are_filled_across_portions():
    model = Model()
    pairs = [("a", "h")] * (PORTION + 10)
    Batches(model, 2 * 1000).probabilities(pairs, one_token_a_sign())
    assert [len(lengths) for lengths in model.batches] == [1000, 34]


def test_batches_become_smaller_when_the_memory_runs_out(subtests):
    for problem in [torch.OutOfMemoryError, RuntimeError]:
        with subtests.test(problem=problem):
            model = Model(memory=100, problem=problem)
            batches = Batches(model, 1000)
            assert batches.probabilities(PAIRS, one_token_a_sign()) == pytest.approx(EXPECTED)
            assert batches.tokens <= 100
            assert sum(len(lengths) for lengths in model.batches) == len(PAIRS)


def test_one_row_that_does_not_fit_is_an_error_that_says_what_to_do():
    with pytest.raises(ScorerError, match="one premise with 41 tokens"):
        Batches(Model(memory=30), 1000).probabilities(PAIRS, one_token_a_sign())


@pytest.mark.parametrize("memory", [10**9, 100])
def test_batches_computed_side_by_side_give_the_same(memory):
    names = set()

    class Noting(Model):
        def __call__(self, batch):
            names.add(threading.current_thread().name)
            return super().__call__(batch)

    found = Batches(Noting(memory), 128, workers=3).probabilities(PAIRS, one_token_a_sign())
    assert found == pytest.approx(EXPECTED)
    assert threading.current_thread().name not in names
