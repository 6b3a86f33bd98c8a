"""An hour of raters on two web workers: memory stays flat, and no connection or file is left open.

By name only: `make bench ARGS="soak"`, or shorter with `--with "--minutes 5"`. The first quarter
is compared with the last.
"""

import argparse
import asyncio
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.databases import Database, databases
from bench.figures import keep
from bench.rating import (
    PAUSE,
    WANTED,
    Answers,
    Browser,
    Times,
    against,
    in_django,
    prepare,
    rate,
    served,
)

RATERS = 10
PER_RESPONSE = 2 * PAUSE
"""Fewer seconds than a rater needs: the batch must last."""

EVERY = 5.0
MOST = 1.1
"""Times that memory and what is open may grow, where it is by more than `FEW`."""

FEW = 2 * RATERS


@dataclass(frozen=True, slots=True)
class Sample:
    """Of all web processes together."""

    megabytes: float
    files: int
    connections: int


def sample() -> Sample:
    workers = [one for one in psutil.Process().children(recursive=True) if "python" in one.name()]
    found = []
    for one in workers:
        with suppress(psutil.Error):
            open_ = one.net_connections()
            found.append((one.memory_info().rss / 2**20, one.num_fds(), len(open_)))
    megabytes, files, connections = (sum(each) for each in zip(*found, strict=True))
    return Sample(megabytes, int(files), int(connections))


async def go(
    port: int, batch: int, sessions: list[str], seconds: float
) -> tuple[Times, Answers, list[Sample]]:
    times, answers, samples = Times(), Answers(), list[Sample]()
    raters = [
        asyncio.create_task(rate(Browser(port, session, times), batch, seed, answers))
        for seed, session in enumerate(sessions)
    ]
    for _ in range(int(seconds / EVERY)):
        await asyncio.sleep(EVERY)
        for one in raters:
            if one.done():
                raise one.exception() or RuntimeError("a rater found nothing more to rate")
        samples.append(sample())
    for one in raters:
        one.cancel()
    await asyncio.gather(*raters, return_exceptions=True)
    return times, answers, samples


def ends(samples: list[float]) -> tuple[float, float]:
    """The least of the first quarter and of the last: what is only busy at a moment is no leak."""
    quarter = max(1, len(samples) // 4)
    return min(samples[:quarter]), min(samples[-quarter:])


def measure(database: Database, folder: Path, minutes: float) -> list[str]:
    responses = int(RATERS * 60 * minutes / PER_RESPONSE / WANTED) + RATERS
    batch, sessions = in_django(prepare, database, folder, RATERS, responses)
    with served(database) as port:
        times, answers, samples = asyncio.run(go(port, batch, sessions, 60 * minutes))
    judgments, lost, more = in_django(against, database, batch, answers)
    print(
        f"  {database.name}: {minutes:g} minutes, {RATERS} raters, {times.requests:,} requests, "
        f"{judgments:,} judgments"
    )
    faults = []
    if lost or more > RATERS:  # one answer of each may have been on its way at the end
        faults.append(f"{database.name}: {lost} judgments lost or otherwise, {more} too many")
    for what in ("megabytes", "files", "connections"):
        first, last = ends([float(getattr(one, what)) for one in samples])
        print(f"    {what}: {first:.0f} in the first quarter, {last:.0f} in the last")
        keep(f"{database.name}, {what}, growth", last / first, "times")
        if last > MOST * first and last > first + FEW:
            faults.append(f"{database.name}: {what} grew {last / first:.2f} times")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    asked = parser.parse_args()
    print("Soak")
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for database in databases(folder):
            faults += measure(database, folder, asked.minutes)
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main()
