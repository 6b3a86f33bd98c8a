"""Raters of six questions a response on Attest, Label Studio and Potato, in turns.

Each product is served as it is meant to be (Attest by `config.serving.web` and Label Studio by
gunicorn, with two processes; Potato by its own server, which keeps its data in one), and asked by
the same client what its own pages ask. In every round each product takes its turn, in another
order. What is said is the processor time of all its processes for a finished response, that of
PostgreSQL's among them, and how long a rater waits.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.databases import NAME, Database, on_postgresql
from bench.figures import keep
from bench.peers.attest import Attest
from bench.peers.client import late
from bench.peers.label_studio import LabelStudio
from bench.peers.potato import Potato
from bench.peers.product import QUESTIONS, Product, Rater, Served, served

SIZES = ((1, 0.0), (10, 1.0), (50, 1.0))
"""Raters at once, and the seconds that one pauses before an answer, on the average."""

Seconds = dict[str, list[float]]


@dataclass(slots=True)
class Found:
    """Of one product and one number of raters."""

    processor: list[float] = field(default_factory=list)
    """Seconds for a finished response, by round."""

    seconds: Seconds = field(default_factory=lambda: defaultdict(list))


async def rate(rater: Rater, number: int, pause: float, responses: int, seconds: Seconds) -> None:
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, len(QUESTIONS) * pause))
    for _ in range(responses):
        for question in range(len(QUESTIONS)):
            await asyncio.sleep(chance.uniform(0, 2 * pause))
            await rater.save(question, chance)
        began = asyncio.get_running_loop().time()
        await rater.go_on()
        seconds["next"].append(asyncio.get_running_loop().time() - began)


async def at_once(each: Iterable[Awaitable[None]]) -> None:
    await asyncio.gather(*each)


def turn(
    product: Product, server: Served, size: tuple[int, float], responses: int, into: Found
) -> int:
    """One round of one product; how many answers it kept. That raters sign in is not counted: it
    costs what a password's hash costs."""
    raters, pause = size
    here = [product.rater(server.port, number, into.seconds) for number in range(raters)]
    asyncio.run(at_once(rater.enter() for rater in here))
    before = server.processor()
    asyncio.run(at_once(rate(one, n, pause, responses, into.seconds) for n, one in enumerate(here)))
    into.processor.append((server.processor() - before) / (raters * responses))
    return raters * responses * len(QUESTIONS)


def measure(products: list[Product], rounds: int, responses: int, folder: Path) -> None:
    most = max(raters for raters, _ in SIZES)
    answered = sum(raters for raters, _ in SIZES) * responses * (rounds + 1)
    for product in products:
        product.set_up(most, answered // 2 + most)
    found: dict[tuple[str, int], Found] = defaultdict(Found)
    given: dict[str, int] = defaultdict(int)
    with ExitStack() as serving:
        at = {
            one.name: serving.enter_context(served(one, folder / f"{one.name}.log"))
            for one in products
        }
        for product in products:  # what is imported and compiled once is nobody's answer
            given[product.name] += turn(product, at[product.name], SIZES[0], 2, Found())
        for number in range(rounds):
            for size in SIZES:
                for product in (*products[number % len(products) :], *products)[: len(products)]:
                    into = found[product.name, size[0]]
                    given[product.name] += turn(product, at[product.name], size, responses, into)
    for product in products:
        kept = product.kept()
        if kept is not None and kept != given[product.name]:
            raise SystemExit(f"{product.name} kept {kept} answers of {given[product.name]}")
    show([product.name for product in products], found)


def show(names: list[str], found: dict[tuple[str, int], Found]) -> None:
    first = names[0]
    for raters, pause in SIZES:
        print(
            f"  {raters} raters, {pause:g} s between answers" if pause else "  one rater, no pause"
        )
        own = statistics.median(found[first, raters].processor)
        for name in names:
            one = found[name, raters]
            times = [1000 * seconds for seconds in one.processor]
            middle = statistics.median(times)
            keep(f"{raters} raters, {name}, a finished response", middle, "ms")
            waited = {kind: late(one.seconds[kind]) for kind in ("save", "next")}
            for kind, (p50, p95) in waited.items():
                keep(f"{raters} raters, {name}, {kind}, p50", p50, "ms")
                keep(f"{raters} raters, {name}, {kind}, p95", p95, "ms")
            waits = "; ".join(
                f"{kind} p50 {p50:.0f}, p95 {p95:.0f} ms" for kind, (p50, p95) in waited.items()
            )
            print(
                f"    {name}: {middle:.0f} ms of the processor a finished response "
                f"({min(times):.0f} to {max(times):.0f} in {len(times)} rounds), "
                f"{middle / (1000 * own):.2f} times {first}'s; {waits}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, default=Path(".venv-peers/bin/python"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--responses", type=int, default=4, help="of each rater in a round")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    told = parser.parse_args()
    python = told.python.absolute()
    if not python.exists():
        sys.exit(
            f"{told.python} is not there: `make bench-peers` installs what is measured against"
        )
    print("Beside other tools")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rooms = [folder / each for each in ("attest", "label-studio", "potato")]
        for room in rooms:
            room.mkdir()
        with databases_on(told.database, rooms) as (own, theirs):
            products: list[Product] = [
                Attest(own, rooms[0]),
                LabelStudio(python, rooms[1], theirs),
                Potato(python, rooms[2]),
            ]
            print(f"  Attest and Label Studio on {own.name}, Potato in files")
            measure(products, told.rounds, told.responses, folder)


@contextmanager
def databases_on(kind: str, rooms: list[Path]) -> Iterator[tuple[Database, Database]]:
    """One for Attest and one for Label Studio."""
    if kind == "sqlite":
        on_sqlite = [Database("SQLite", f"sqlite:///{r}/bench.sqlite3", r) for r in rooms[:2]]
        yield on_sqlite[0], on_sqlite[1]
        return
    with (
        on_postgresql(NAME, rooms[0]) as own,
        on_postgresql(f"{NAME}_label_studio", rooms[1]) as theirs,
    ):
        if own is None or theirs is None:
            sys.exit("PostgreSQL does not answer")
        yield own, theirs


if __name__ == "__main__":
    main()
