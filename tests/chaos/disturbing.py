"""Killing at random: web servers, workers, the queue, the database, its connections."""

import random
import signal
import time
from collections import Counter

import psutil

from tests.evaluation.runs.stacks import AtScale
from tests.evaluation.runs.worlds import World, kill

QUEUES = 2


class Disturber:
    """Starts what the scene needs, and kills it again and again. In the main thread: the kernel
    ends what a thread started as soon as that thread is over (`tied`)."""

    def __init__(self, world: World, port: int, seed: int) -> None:
        self.world, self.port = world, port
        self.chance = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.web = world.web(port)
        self.workers = [world.worker(f"number{n}") for n in range(QUEUES)]
        self.born = len(self.workers)
        ways = [self.worker, self.worker, self.web_server, self.web_process, self.messages]
        ways += [self.database]
        if isinstance(world.stack, AtScale):
            ways += [self.connections, self.connections]
        self.ways = ways

    def disturb(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.chance.uniform(2, 5))
            way = self.chance.choice(self.ways)
            way()
            self.kills[way.__name__] += 1

    def worker(self) -> None:
        place = self.chance.randrange(len(self.workers))
        kill(self.workers[place])
        self.born += 1
        self.workers[place] = self.world.worker(f"number{self.born}")

    def web_server(self) -> None:
        kill(self.web)
        self.web = self.world.web(self.port)

    def web_process(self) -> None:
        """One of those that answer; the server starts another."""
        found = psutil.Process(self.web.pid).children()
        if found:
            self.chance.choice(found).send_signal(signal.SIGKILL)

    def messages(self) -> None:
        self.world.stack.lose_messages()

    def database(self) -> None:
        with self.world.stack.database_away():
            time.sleep(self.chance.uniform(0.2, 1.5))

    def connections(self) -> None:
        """Whatever is in the middle of a transaction is cut off."""
        self.world.stack.cluster.do(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = 'attest' AND pid <> pg_backend_pid()"
        )
