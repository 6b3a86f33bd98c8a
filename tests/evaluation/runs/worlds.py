"""A stack with real workers, a slow scorer, and somebody who asks the database."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.test_serve import free_port
from tests.evaluation.runs.stacks import Stacks
from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[3]
GIVES_UP_SECONDS = 240
"""Far more than it takes: only a test that would hang ends here."""

PAIR_SECONDS = 0.02
PATIENCE_SECONDS = 4
"""What is lost is noticed sooner than by default."""
SECRET_KEY = "of the tests alone: sessions stand in databases that several share"
ENDED = {"done", "failed", "cancelled"}


def kill(process: subprocess.Popen[bytes], *, hard: bool = True) -> None:
    """End a process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
    process.wait(timeout=60)


class World:
    """A stack, a slow scorer, and workers on them."""

    does = "tests.evaluation.runs.served"
    """The module that does what is asked of the database."""

    def __init__(self, stack, folder, pair_seconds=PAIR_SECONDS):
        self.stack = stack
        self.folder = folder
        self.environment = environment_for(folder, **stack.environment)
        self.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        self.environment["SECRET_KEY"] = SECRET_KEY
        self.environment["ATTEST_PATIENCE_SECONDS"] = str(PATIENCE_SECONDS)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.started = []
        self.asked = None
        self.start("-m", "tests.evaluation.runs.slow_server", str(self.port), str(pair_seconds))

    def notice_soon(self):
        """Whatever is lost is taken for lost sooner by the processes that are started from now on.
        A busy machine may hold up a worker for so long, which must not matter to the test."""
        self.environment["ATTEST_PATIENCE_SECONDS"] = str(PATIENCE_SECONDS // 2)

    def start(self, *words, **environment):
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / "processes.log").open("ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=tied(),
        )
        self.started.append(process)
        return process

    def worker(self, name="one"):
        return self.start(
            "-m", "celery", "--quiet", "--skip-checks", "-A", "config", "worker", "--queues",
            "default,entailment,outside",
            "--concurrency", "1", "--loglevel", "WARNING", "--without-gossip", "--without-mingle",
            "--without-heartbeat", "--hostname", f"{name}@test",
        )  # fmt: skip

    def web(self, port):
        return self.start(
            "-m", "config.serving.web",
            PORT=str(port),
        )  # fmt: skip

    def asking(self):
        """A process that does what is asked of it."""
        return subprocess.Popen(
            [sys.executable, "-m", self.does],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self.folder / "asking.log").open("ab"),
            text=True,
            start_new_session=True,
            preexec_fn=tied(),
        )

    def do(self, what, **arguments):
        if self.asked is None:
            self.asked = self.asking()
            self.started.append(self.asked)
        print(json.dumps([what, arguments]), file=self.asked.stdin, flush=True)
        found = json.loads(self.asked.stdout.readline())
        assert "answer" in found, found["error"]
        return found["answer"]

    def prepare(self, kept):
        """A database with a study to be judged."""
        if self.stack.kind in kept:
            self.stack.begin_with("prepared")
        else:
            kept[self.stack.kind] = self.do("prepare")
            self.stack.keep("prepared")
        return kept[self.stack.kind]

    def wait(self, run, reached):
        deadline = time.monotonic() + GIVES_UP_SECONDS
        while True:
            state = self.do("state", run=run)
            if reached(state):
                return state
            log = (self.folder / "processes.log").read_text()[-4000:]
            assert state["state"] not in ENDED, (state, log)
            assert time.monotonic() < deadline, (state, log)
            time.sleep(0.2)

    def wait_for_the_end(self, run):
        return self.wait(run, lambda state: state["state"] in ENDED)

    def create(self, **arguments):
        """A planned and started run, in small parts."""
        run = self.do("create", url=self.url, **arguments)["run"]
        self.do("plan", run=run)
        return run

    def close(self):
        for process in self.started:
            if process.poll() is None:
                kill(process)


@contextlib.contextmanager
def undisturbed(factory: pytest.TempPathFactory) -> Iterator[World]:
    """A world of its own where nobody is killed."""
    folder = factory.mktemp("quiet")
    stacks = Stacks(folder)
    world = World(stacks.open("embedded", folder), folder, pair_seconds=0)
    try:
        world.do("prepare")
        yield world
    finally:
        world.close()
        stacks.close()
