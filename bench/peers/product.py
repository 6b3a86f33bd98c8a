"""What a measurement asks of each product: to be set up, to be served, and raters to enter it."""

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import psutil
import psycopg

from bench.databases import Database
from config.serving.processes import die_with_parent

QUESTIONS = (
    ("yes", "no"),
    ("full", "partial", "none"),
    ("full", "partial", "none"),
    ("yes", "no"),
    ("full", "partial", "none"),
    ("full", "partial", "none"),
)
"""The choices of the six questions that every rater answers about a response."""

WANTED = 3
"""Ratings of each response."""

PATIENCE = 180
"""Seconds in which a server must answer."""


class Rater(Protocol):
    """One rater at work. `save` keeps one answer, drawn by chance; a product that keeps all answers
    of a response at once does so with the last of them."""

    async def enter(self) -> None: ...

    async def save(self, question: int, chance: random.Random) -> None: ...

    async def go_on(self) -> None:
        """Finishes the response and gets the next one, with what its page shows."""


class Product(Protocol):
    name: str

    @property
    def database(self) -> Database | None: ...

    def set_up(self, raters: int, responses: int) -> None: ...

    def command(self, port: int) -> tuple[Sequence[str], Mapping[str, str], Path]:
        """What serves it: command, environment, folder."""

    def rater(self, port: int, number: int, seconds: dict[str, list[float]]) -> Rater: ...

    def kept(self) -> int | None:
        """How many answers are there, where it can be asked."""


class Served:
    """A product's server: its port, and the processor time of all its processes. On PostgreSQL that
    of its server stands with it, which serves nobody else meanwhile."""

    def __init__(self, port: int, process: psutil.Process, database: Database | None) -> None:
        self.port, self._process = port, process
        self._beside = server_of(database) if database else None

    def processor(self) -> float:
        """Seconds of the processor that it and what it started have used."""
        found = used([self._process, *self._process.children(recursive=True)])
        return found + (ever_used(self._beside) if self._beside else 0.0)


def used(processes: Sequence[psutil.Process]) -> float:
    found = 0.0
    for one in processes:
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            found += times.user + times.system
    return found


def ever_used(server: psutil.Process) -> float:
    """With what processes used that it started and that ended."""
    times = server.cpu_times()
    ended: float = times.user + times.system + times.children_user + times.children_system
    return ended + used(server.children())


def server_of(database: Database) -> psutil.Process | None:
    """PostgreSQL's own process: the parent of the one that serves a connection."""
    if not database.url.startswith("postgresql"):
        return None
    with psycopg.connect(database.url) as connection:
        return psutil.Process(connection.info.backend_pid).parent()


@contextmanager
def served(product: Product, log: Path) -> Iterator[Served]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    command, environment, folder = product.command(port)
    parent = os.getpid()
    with (
        log.open("wb") as said,
        subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=said,
            stderr=said,
            start_new_session=True,
            preexec_fn=lambda: die_with_parent(parent),
        ) as server,
    ):
        try:
            _wait_for(port, server, log)
            yield Served(port, psutil.Process(server.pid), product.database)
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def _wait_for(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if server.poll() is not None:
            raise SystemExit(f"a server did not start:\n{log.read_text()[-2_000:]}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"a server does not answer:\n{log.read_text()[-2_000:]}")


def run(python: Path, arguments: Sequence[str], environment: Mapping[str, str], at: Path) -> str:
    """What a step of setting up prints; what went wrong ends the measurement."""
    done = subprocess.run(
        [python, *arguments],
        cwd=at,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}:\n{done.stderr[-2_000:]}")
    return done.stdout


def page_of(number: int) -> str:
    """An answer with its passages, as long as those of ALCE, for products that show HTML."""
    text = "The mountain stands in a range of many peaks, and people have climbed it often. " * 8
    answer = f"Peak {number} is {number} metres high [1]. It is red in the evening [2][3]."
    passages = "".join(f"<p>[{k}] {number}: {number} {k}: {text}</p>" for k in (1, 2, 3))
    return f"<p>How high is peak {number}?</p><p>{answer}</p>{passages}"
