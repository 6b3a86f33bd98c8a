"""One run with a silent address, and real workers as `serve` starts them: nobody else waits for it,
and when it is cancelled its place is free again."""

import time

import pytest

from tests.attacks.silent import Silent
from tests.evaluation.runs.stacks import Stacks
from tests.evaluation.runs.worlds import GIVES_UP_SECONDS, World

pytestmark = pytest.mark.processes


def until(reached, world):
    deadline = time.monotonic() + GIVES_UP_SECONDS
    while not reached():
        log = (world.folder / "processes.log").read_text()[-4000:]
        assert time.monotonic() < deadline, log
        time.sleep(0.2)


def test_others_go_on_and_its_place_is_free_when_it_is_cancelled(tmp_path):
    stacks, silent = Stacks(tmp_path), Silent()
    stack = stacks.open("embedded", tmp_path)
    world = World(stack, tmp_path)
    world.environment["ATTEST_CALLS_AT_ONCE"] = "1"
    try:
        world.do("prepare")
        world.start("manage.py", "serve", "--only", "worker")
        given = {"timeout": 300, "tries": 20}
        run = world.do("create", url=silent.url, **given)["run"]
        until(lambda: silent.callers, world)
        world.do("others_work")
        until(lambda: world.do("others_state") == ["ready", "done"], world)
        assert world.do("state", run=run)["state"] == "planning"
        world.do("cancel", run=run)
        other = world.do("create", url=world.url)["run"]
        assert world.wait_for_the_end(other)["state"] == "done"
        assert len(silent.callers) == 1
    finally:
        world.close()
        silent.close()
        stack.close()
        stacks.close()
