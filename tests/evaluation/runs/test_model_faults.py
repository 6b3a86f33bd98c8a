"""Workers are killed while they ask a language model: what was kept is not asked again, and the
judgments are those of a quiet run."""

import json
import time
from collections import Counter
from hashlib import sha256

import pytest

from tests.evaluation.asking.batching import batch_serving
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.runs.stacks import SERVERS
from tests.evaluation.runs.worlds import ENDED, GIVES_UP_SECONDS, kill, undisturbed

pytestmark = pytest.mark.processes

AT_ONCE = 8
KILLED_AFTER = (60, 180)
"""Calls after which the worker is killed; a quiet run makes 300 or so."""


def by_rule(told, schema):
    """The same answer to the same question, after a while."""
    values = schema["properties"]["value"]["enum"]
    drawn = sha256(told.encode()).digest()[0]
    said = {"value": values[drawn % len(values)], "reason": f"By {drawn}.", "quotes": []}
    return Said(text=json.dumps(said), seconds=0.1)


def until(reached):
    deadline = time.monotonic() + GIVES_UP_SECONDS
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def kill_workers(world, server, counts):
    """One after the other, each once so many calls were made."""
    for number, count in enumerate(counts):
        worker = world.worker(f"number-{number}")
        until(lambda count=count: len(server.calls) >= count)
        kill(worker)
        time.sleep(0.3)  # what it had sent has come
        until(lambda: not server.at_once)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """What is asked and judged where nobody is killed."""
    with undisturbed(tmp_path_factory) as world:
        with serving(by_rule) as server:
            found = world.do("ask_model", url=server.url("chat"), at_once=AT_ONCE, here=True)
            assert found["state"] == "done"
            asked = Counter(call.told for call in server.calls)
        return asked, world.do("judgments"), world.do("calls")


@pytest.mark.parametrize("world", [SERVERS], indirect=True)
def test_kept_calls_are_not_repeated_after_workers_are_killed(world, stacks, quiet):
    asked, judgments, calls = quiet
    assert {*asked.values()} == {1}
    assert len(asked) == calls["answered"] > KILLED_AFTER[-1] + AT_ONCE
    world.prepare(stacks.kept)
    with serving(by_rule) as server:
        run = world.do("ask_model", url=server.url("chat"), at_once=AT_ONCE)["run"]
        kill_workers(world, server, KILLED_AFTER)
        found, answered = world.do("calls"), len(server.calls)
        assert found["claimed"]
        world.worker()
        state = world.wait_for_the_end(run)
        assert state["state"] == "done", state["error"]
        told = [call.told for call in server.calls]
    # Each call that was not kept is asked once more, and none besides.
    assert len(told) - answered == len(asked) - found["answered"]
    assert {*Counter(told[answered:]).values()} == {1}
    assert {*told} == {*asked}
    lost = len(told) - len(asked)
    assert lost <= 2 * AT_ONCE * len(KILLED_AFTER)
    assert world.do("calls") == {**calls, "paid": calls["answered"], "changed": 0, "claimed": 0}
    assert world.do("judgments") == judgments


def test_no_batch_is_sent_or_paid_for_twice_whenever_workers_are_killed(world, stacks, quiet):
    """One is killed when a batch was made and nobody has heard of it, one while it reads what came
    of it."""
    asked, judgments, calls = quiet
    world.prepare(stacks.kept)

    def at_once(told, schema):
        return Said(text=by_rule(told, schema).text)

    with batch_serving(at_once) as server:
        server.slow = 2.0
        url = server.url("chat")
        run = world.do("ask_model", batches=True, url=url, at_once=AT_ONCE)["run"]
        worker = world.worker("sends")
        until(lambda: len(server.batches) >= 2)
        kill(worker)
        server.slow = 0.0
        worker = world.worker("reads")
        until(lambda: world.do("due") and any("content" in one for one in server.asked))
        server.slow = 2.0
        read = len([one for one in server.asked if "content" in one])
        until(lambda: world.do("due") and read < sum("content" in one for one in server.asked))
        kill(worker)
        server.slow = 0.0
        world.worker()

        def is_over():
            world.do("due")
            return world.do("state", run=run)["state"] in ENDED

        until(is_over)
        state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert {*server.paid.values()} == {1}
    assert {*server.paid} == {*asked}
    assert world.do("calls") == {**calls, "paid": calls["answered"], "changed": 0, "claimed": 0}
    assert world.do("judgments") == judgments
