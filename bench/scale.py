"""How many machines so many raters need: a simulation from what the desk was measured to cost.

First `bench.desk` measures what a save, a finish and a page cost a web process and the database's
own process. Then raters are simulated, one event at a time: each waits as long as people do, asks,
and is answered by a web process that needs a core of a web machine, and a core of the database, for
as long as was measured. A request waits where all of them are taken. So it is seen which part is
full first, and how many cores keep the answers quick.
"""

import argparse
import heapq
import random
import statistics
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench.databases import Database, databases
from bench.desk import RESPONSES, SAVES, WARM, rate
from bench.figures import keep
from bench.rating import in_django, prepare

PAUSE = 8.0
"""Seconds that a rater thinks before an answer, on the average: six answers and a page a minute."""

RATERS = (100, 1_000, 10_000)
PROCESSES_OF_A_CORE = 2
"""Web processes: while one waits for the database another computes."""

SECONDS, WARMING = 60.0, 20.0
"""How long is simulated, and how much of it is left out at the beginning."""

QUICK = 0.1
"""Seconds within which nineteen of twenty saves must be answered."""

MOST_CORES = 4_096


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the processor of one request: of a web process, and of the database's own."""

    web: float
    database: float


@dataclass(frozen=True, slots=True)
class Costs:
    save: Cost
    finish: Cost
    page: Cost

    @property
    def response(self) -> Cost:
        """Of a finished response."""
        each = (*[self.save] * SAVES, self.finish, self.page)
        return Cost(sum(one.web for one in each), sum(one.database for one in each))


# The simulation ----------------------------------------------------------------------------------

Then = Callable[[], None]


class Clock:
    """What happens when; nothing takes time but what waits here."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order, self._events = count(), list[tuple[float, int, Then]]()

    def after(self, seconds: float, then: Then) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._order), then))

    def run(self, until: float) -> None:
        while self._events and self._events[0][0] <= until:
            self.now, _, then = heapq.heappop(self._events)
            then()


@dataclass(slots=True)
class Station:
    """Places of which each serves one at a time; who comes first is served first."""

    clock: Clock
    places: int
    waiting: deque[Then] = field(default_factory=deque)
    busy: float = 0.0
    """Seconds of computing that ended since it was warm."""

    def take(self, then: Then) -> None:
        if self.places:
            self.places -= 1
            then()
        else:
            self.waiting.append(then)

    def free(self) -> None:
        if self.waiting:
            self.waiting.popleft()()
        else:
            self.places += 1

    def compute(self, seconds: float, then: Then) -> None:
        def done() -> None:
            if self.clock.now > WARMING:
                self.busy += seconds
            self.free()
            then()

        self.take(lambda: self.clock.after(seconds, done))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Seconds that saves took, and the shares of the cores that were busy."""

    median: float
    late: float
    web: float
    database: float

    @property
    def full(self) -> str:
        return "web" if self.web > self.database else "database"


def simulate(raters: int, costs: Costs, web_cores: int, database_cores: int, seed: int) -> Outcome:
    clock, chance = Clock(), random.Random(seed)
    processes = Station(clock, web_cores * PROCESSES_OF_A_CORE)
    web, database = Station(clock, web_cores), Station(clock, database_cores)
    took: list[float] = []

    def ask(cost: Cost, then: Then) -> None:
        came = clock.now

        def done() -> None:
            processes.free()
            if cost is costs.save and came > WARMING:
                took.append(clock.now - came)
            then()

        def answer() -> None:
            web.compute(drawn(cost.web), lambda: database.compute(drawn(cost.database), done))

        processes.take(answer)

    def drawn(seconds: float) -> float:
        """Requests differ: half of the time is the same, the rest is spread."""
        return seconds * (0.5 + 0.5 * chance.expovariate(1))

    def answers(left: int) -> None:
        def next_one() -> None:
            answers(left - 1 if left else SAVES)

        if left:
            thinking = chance.expovariate(1 / PAUSE)
            clock.after(thinking, lambda: ask(costs.save, next_one))
        else:
            ask(costs.finish, lambda: ask(costs.page, next_one))

    for _ in range(raters):
        clock.after(chance.uniform(0, PAUSE), lambda: answers(chance.randint(1, SAVES)))
    clock.run(SECONDS)
    if len(took) < 20:
        return Outcome(float("inf"), float("inf"), 1.0, 1.0)
    return Outcome(
        statistics.median(took),
        statistics.quantiles(took, n=20)[-1],
        web.busy / (web_cores * (SECONDS - WARMING)),
        database.busy / (database_cores * (SECONDS - WARMING)),
    )


def fewest(raters: int, costs: Costs, seed: int) -> tuple[int, int, Outcome]:
    """The fewest cores with which saves are quick. Each kind is looked for with plenty of the
    other, and then one more of each is given until both together are enough."""
    web = next(n for n in sizes() if _quick(raters, costs, n, MOST_CORES, seed))
    database = next(n for n in sizes() if _quick(raters, costs, MOST_CORES, n, seed))
    while not _quick(raters, costs, web, database, seed):
        web, database = web + 1, database + 1
    return web, database, simulate(raters, costs, web, database, seed)


def _quick(raters: int, costs: Costs, web: int, database: int, seed: int) -> bool:
    return simulate(raters, costs, web, database, seed).late <= QUICK


def sizes() -> Iterator[int]:
    """1, 2, 3, 4, 6, 8, 12, 16, ..."""
    yield from (1, 2)
    size = 2
    while size < MOST_CORES:
        yield from (size * 3 // 2, size * 2)
        size *= 2


# What was measured -------------------------------------------------------------------------------


def measured(database: Database, folder: Path) -> Costs:
    """The database's own time is known of a response, and parted by the statements of each kind."""
    batch, sessions = in_django(prepare, database, folder, 1, RESPONSES + 1)
    found, beside = in_django(rate, database, batch, sessions[0])
    of_response = beside / (RESPONSES - WARM)
    kinds = {"a save": SAVES, "a finish": 1, "a task's page": 1}
    statements = sum(found.statements[kind] * times for kind, times in kinds.items())

    def cost(kind: str) -> Cost:
        own = of_response * found.statements[kind] / statements
        return Cost(found.median(kind) / 1000, own)

    return Costs(cost("a save"), cost("a finish"), cost("a task's page"))


def show(costs: Costs, price: float) -> None:
    whole = costs.response
    print(
        f"  a finished response: {1000 * whole.web:.0f} ms of a web process and "
        f"{1000 * whole.database:.0f} ms of the database"
    )
    for raters in RATERS:
        web, database, found = fewest(raters, costs, seed=1)
        keep(f"{raters:,} raters: cores", web + database, "cores")
        hourly = raters * 3600 / (PAUSE * SAVES)
        print(
            f"  {raters:,} raters: {web} cores of web machines, {database} of the database; a save "
            f"p50 {1000 * found.median:.0f}, p95 {1000 * found.late:.0f} ms; busy {found.web:.0%} "
            f"and {found.database:.0%}, so the {found.full} is full first; "
            f"{hourly:,.0f} responses an hour"
            + (f" for {price * (web + database):,.2f}" if price else "")
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--price", type=float, default=0.0, help="of a core for an hour")
    price = parser.parse_args().price
    print("To scale")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for database in databases(folder):
            if database.url.startswith("postgresql"):
                show(measured(database, folder), price)


if __name__ == "__main__":
    main()
