"""How many calls a server is asked at a time, when it says that it is busy."""

import json
import time

import pytest

from evaluation.asking.asker import ItemAsked
from evaluation.asking.pacer import Alone, Pacer, SharedPace
from evaluation.entailment import ScorerError
from evaluation.judges.items import Item
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.asking.test_asker import SEGMENTATION, YES, about, asker

BUSY = [("chat", 429), ("responses", 429), ("anthropic", 529), ("gemini", 429)]


def questions(count):
    return [ItemAsked(Item(str(n), f"{n}?", "x", SEGMENTATION), about()) for n in range(count)]


def test_a_refusal_halves_and_a_second_without_one_adds_one():
    first = SharedPace(32.0, changed=0.0).refused(now=10.0, after=3.0)
    assert first == SharedPace(16.0, 10.0, 13.0)
    # What was under way is refused, too: that is the same refusal, which may ask for a longer time.
    assert first.refused(now=10.5, after=5.0) == SharedPace(16.0, 10.0, 15.5)
    assert first.refused(now=11.0, after=0.0) == SharedPace(8.0, 11.0, 13.0)
    # It is left alone until 13.0; two seconds later two more are asked.
    assert first.answered(now=13.5, most=32.0) == first
    assert first.answered(now=15.0, most=32.0) == SharedPace(18.0, 15.0, 13.0)
    assert first.answered(now=100.0, most=32.0).at_once == 32.0


def test_all_who_ask_share_what_the_server_takes():
    now = [100.0]

    class Three(Alone):
        def read(self):
            return super().read()[0], 3

    shared = Three()
    mine, other = (Pacer(24, shared, clock=lambda: now[0]) for _ in range(2))
    assert mine.allowed() == other.allowed() == 8
    assert mine.sharing == 3
    mine.refused(2.0)
    assert mine.allowed() == 0
    now[0] += 1.0
    assert other.allowed() == 0
    now[0] += 1.0
    # Half of 24, in three parts.
    assert mine.allowed() == other.allowed() == 4
    # Each asks one at a time, whatever is shared.
    assert Pacer(2, Three()).allowed() == 1


@pytest.mark.parametrize(("mode", "status"), BUSY)
def test_a_busy_server_is_asked_again_later_and_no_question_is_lost(mode, status):
    most = 2

    def answer(told, schema):
        if server.at_once > most:
            return Said(status)
        return Said(text=json.dumps(YES), seconds=0.02)

    with serving(answer) as server:
        started = [time.time()]
        # A clock that runs fast, so that nobody waits.
        pace = Pacer(8, clock=lambda: started[0] + 20 * (time.time() - started[0]))
        asking = asker(server, mode, pace=pace, tries=2)
        found = asking.answer(questions(30))
    assert [one.value for one in found] == ["yes"] * 30
    assert asking.counts["questions"].computed == 30
    assert asking.counts["questions"].failed == 0


def test_a_server_that_stays_busy_is_given_up():
    now = [0.0]

    def answer(told, schema):
        now[0] += 100
        return Said(429)

    with serving(answer) as server:
        began = time.time()
        pace = Pacer(1, clock=lambda: began + 100 * (time.time() - began))
        asking = asker(server, pace=pace, clock=lambda: now[0], timeout=250)
        with pytest.raises(ScorerError, match="gave no answer"):
            asking.answer(questions(1))
    assert len(server.calls) == 3
