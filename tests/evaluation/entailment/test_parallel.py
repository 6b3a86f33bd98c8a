"""Asking several questions at a time: who begins when, and what becomes of what is under way."""

import time
from itertools import count
from threading import Event, Timer

import pytest

from evaluation.entailment import parallel
from evaluation.entailment.parallel import Enough, each, together

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


def test_nothing_begins_after_an_answer_that_must_be_seen_first():
    """As where money is counted, or a server says that it is busy."""
    begun: list[int] = []
    release = Event()

    def ask(number):
        begun.append(number)
        if number:
            release.wait(LONG)
        else:
            until(lambda: len(begun) == 2)
        return number

    asking = together(ask, count(), at_once=lambda: 2, ahead=lambda answer: answer > 0)
    assert next(asking) == [0]
    release.set()
    assert sorted(begun) == [0, 1]
    next(asking)
    assert len(begun) > 2
    asking.close()


def test_an_answer_that_comes_while_another_is_given_out_is_seen_before_anything_begins():
    begun: list[int] = []
    ended: list[int] = []
    given: list[int] = []
    ahead: list[int] = []

    def ask(number):
        begun.append(number)
        ahead.append(len(begun) - len(given))
        if number % 2:
            until(lambda: number - 1 in given)
        ended.append(number)
        return number

    def at_once():
        until(lambda: len(begun) == len(ended))
        return 2

    for some in together(ask, range(40), at_once=at_once, ahead=lambda answer: False):
        given += some
    assert sorted(given) == [*range(40)]
    assert max(ahead) <= 2


def test_what_comes_one_after_the_other_is_taken_together():
    """So that few commits keep many answers."""

    def ask(number):
        time.sleep(0.001)
        return number

    sizes = [len(some) for some in together(ask, range(400), at_once=lambda: 8)]
    assert sum(sizes) == 400
    assert len(sizes) < 200


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


def test_none_is_asked_while_nobody_may_and_nothing_is_lost():
    allowed = iter([1, 0, 2, 0])
    found = [
        one
        for some in together(lambda number: number, range(10), at_once=lambda: next(allowed, 4))
        for one in some
    ]
    assert sorted(found) == [*range(10)]


def test_where_it_is_enough_what_is_under_way_is_given_out_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(parallel, "LAST_WORDS", 0.0)
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
        raise Enough

    found: list[int] = []
    with pytest.raises(Enough):
        found.extend(one for some in together(ask, count(), at_once=at_once) for one in some)
    assert sorted(found) == sorted(begun) == [0, 1]


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
