"""How many calls a server is asked at a time, and when it says that it is busy."""

import pytest

from evaluation.judges.entailment import ScorerError
from evaluation.judges.items import Item
from evaluation.language_models.asking.asker import ItemQuestion
from evaluation.language_models.asking.calling import Pacer
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.asking.test_asker import SEGMENTATION, YES, about, asker

BUSY = [("chat", 429), ("responses", 429), ("anthropic", 529), ("gemini", 429)]


def questions(count):
    return [ItemQuestion(Item(str(n), f"{n}?", "x", SEGMENTATION), about()) for n in range(count)]


def test_parts_share_the_concurrent_calls_of_a_server():
    assert [Pacer(24, lambda: 3).allowed(), Pacer(2, lambda: 3).allowed()] == [8, 1]


def test_parts_share_the_rate_limit():
    waited: list[float] = []
    with serving(lambda told, schema: YES) as server:
        pace = Pacer(1, lambda: 2)
        asker(server, pace=pace, waited=waited, clock=lambda: 0.0, per_minute=60).answer(
            questions(3)
        )
    # Every two seconds instead of every second.
    assert waited == [2.0, 4.0]


@pytest.mark.parametrize(("mode", "status"), BUSY)
def test_busy_server_is_asked_after_its_pause_without_counting_a_try(mode, status):
    states = iter([Said(status, headers=(("Retry-After", "5"),))] * 3)
    waited: list[float] = []
    with serving(lambda told, schema: next(states, YES)) as server:
        [found] = asker(server, mode, waited=waited, tries=1).answer(questions(1))
    assert found.value == "yes"
    assert waited == [5.0, 5.0, 5.0]


def test_server_that_stays_busy_is_abandoned():
    now = [0.0]

    def answer(told, schema):
        now[0] += 100
        return Said(429)

    with serving(answer) as server:
        asking = asker(server, clock=lambda: now[0], timeout=250)
        with pytest.raises(ScorerError, match="gave no answer"):
            asking.answer(questions(1))
    assert len(server.calls) == 3
