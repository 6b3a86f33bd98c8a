"""Asking several questions at a time: who begins when, and what becomes of what is under way."""

import time
from itertools import count
from threading import Event, Timer

import pytest

from evaluation.judges.entailment import parallel
from evaluation.judges.entailment.parallel import StopAsking, each, together

LONG = 30
"""Far longer than it takes."""


def until(reached):
    ends = time.monotonic() + LONG
    while not reached() and time.monotonic() < ends:
        time.sleep(0.005)
    return reached()


def test_answers_stand_in_the_order_of_their_questions():
    def ask(number):
        time.sleep(0.002 * (5 - number % 5))
        return -number

    assert each(ask, range(40), at_once=8) == [-number for number in range(40)]


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


def test_open_calls_are_returned_after_the_stop(monkeypatch):
    monkeypatch.setattr(parallel, "GRACE_SECONDS", 0.0)
    begun: list[int] = []
    release = Event()
    allowed = iter([2])

    def ask(number):
        begun.append(number)
        release.wait(LONG)
        return number

    def at_once():
        for most in allowed:
            return most
        Timer(0.1, release.set).start()
        raise StopAsking

    found: list[int] = []
    with pytest.raises(StopAsking):
        found.extend(one for some in together(ask, count(), at_once=at_once) for one in some)
    assert sorted(found) == sorted(begun) == [0, 1]


def test_no_more_than_are_asked_at_a_time_are_lost_at_a_kill():
    """What is under way, and what was answered and is not given out."""
    begun: list[int] = []
    heard = 0

    def ask(number):
        begun.append(number)
        time.sleep(0.004)
        return number

    for some in together(ask, range(300), at_once=lambda: 4):
        assert len(begun) - heard <= 4
        heard += len(some)
    assert heard == 300
