"""Workers are killed while they have questions answered: what was kept is not asked again, and the
new system's outputs are those of one that nobody disturbed."""

from collections import Counter

import pytest

from evaluation.generating.systems.actions import CHECK_TASK
from evaluation.generating.systems.alce import SUMMARISE
from evaluation.generating.systems.rule_model import RuleModel
from evaluation.language_models.asking.prompts import Prompt
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.runs.served import ASKED
from tests.evaluation.runs.test_model_faults import kill_workers, until
from tests.evaluation.runs.worlds import undisturbed

pytestmark = pytest.mark.processes

AT_ONCE = 8
KILLED_AFTER = (80, 220)
"""Calls after which the worker is killed: among the talks of the first and of the second seed."""


def by_rule(told, schema):
    """What the rules say, after a while: another thing of each passage and step."""
    [system] = [one for one in (CHECK_TASK, SUMMARISE) if told.startswith(f"{one}\n")]
    prompt = Prompt(system, told.removeprefix(f"{system}\n"))
    return Said(text=RuleModel().ask(prompt, None).text, seconds=0.1)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """What is asked and written where nobody is killed."""
    with undisturbed(tmp_path_factory) as world:
        with serving(by_rule) as server:
            found = world.do("generate", url=server.url("chat"), at_once=AT_ONCE, here=True)
            assert found["state"] == "done", found
            asked = Counter(str(call.body) for call in server.calls)
        return asked, world.do("generated"), world.do("calls")


def wait_for_the_end(world, key):
    until(lambda: world.do("generation", key=key)["state"] in {"done", "failed", "paused"})
    return world.do("generation", key=key)


def test_kept_calls_are_not_repeated_after_workers_are_killed(world, stacks, quiet):
    asked, outputs, calls = quiet
    assert len(outputs) == 2 * ASKED == len({text for _, _, text, *_ in outputs}) * 2
    assert all(text.count("[") == 2 for _, _, text, *_ in outputs)
    assert sum(asked.values()) == calls["answered"] > KILLED_AFTER[-1] + AT_ONCE
    world.prepare(stacks.kept)
    with serving(by_rule) as server:
        key = world.do("generate", url=server.url("chat"), at_once=AT_ONCE)["generation"]
        kill_workers(world, server, KILLED_AFTER)
        found, answered = world.do("calls"), len(server.calls)
        assert found["claimed"]
        assert world.do("generated") == []
        world.worker()
        state = wait_for_the_end(world, key)
        assert state["state"] == "done", state
        told = [str(call.body) for call in server.calls]
    # Each call that was not kept is asked once more, and none besides.
    assert len(told) - answered == calls["answered"] - found["answered"]
    assert {*told} == {*asked}
    lost = len(told) - calls["answered"]
    assert lost <= 2 * AT_ONCE * len(KILLED_AFTER)
    assert state["deaths"] == len(KILLED_AFTER)
    ended = world.do("calls")
    assert (ended["answered"], ended["claimed"]) == (calls["answered"], 0)
    assert state["calls"] == calls["answered"], "what was kept; more may have been billed"
    assert world.do("generated") == outputs
