"""Asking several questions at a time: who begins when, and what becomes of what is under way."""

import time

import pytest

from evaluation.entailment.parallel import together

LONG = 30
"""Far longer than it takes."""


def until(reached):
    ends = time.monotonic() + LONG
    while not reached() and time.monotonic() < ends:
        time.sleep(0.005)
    return reached()


def test_others_are_asked_while_somebody_does_something_with_an_answer():
    """As many as are asked at a time are ready beforehand, and no more are looked at."""
    begun: list[int] = []
    looked: list[int] = []

    def questions():
        for number in range(20):
            looked.append(number)
            yield number

    def ask(number):
        begun.append(number)
        return number

    found: list[int] = []
    for some in together(ask, questions(), at_once=lambda: 3):
        if not found:
            assert until(lambda: len(begun) >= 6)  # three, and three that were ready
            assert len(looked) <= 2 * 3 + len(some) + 3
        found += some
    assert sorted(found) == [*range(20)]


def test_nobody_begins_after_one_that_failed_and_others_are_heard():
    begun: list[int] = []
    late: list[int] = []

    def ask(number):
        begun.append(number)
        if number == 3:
            raise ValueError("three")
        time.sleep(0.02)
        return number

    asking = together(ask, range(100), at_once=lambda: 2, late=late.extend)
    found: list[int] = []
    with pytest.raises(ValueError, match="three"):
        found.extend(one for some in asking for one in some)
    assert len(begun) <= 6
    assert sorted([*found, *late]) == sorted(set(begun) - {3})


@pytest.mark.parametrize("busy", [0.0, 0.02])
def test_no_more_than_twice_as_many_are_lost_at_a_kill(busy):
    """What is under way, and what was answered and is not done with, however long that takes."""
    begun: list[int] = []
    unheard: list[int] = []
    heard = 0

    def ask(number):
        begun.append(number)
        time.sleep(0.004)
        return number

    for some in together(ask, range(300), at_once=lambda: 4):
        time.sleep(busy)
        unheard.append(len(begun) - heard)
        heard += len(some)
    assert heard == 300
    assert max(unheard) <= 2 * 4
