"""`make test`: the whole suite on SQLite, and what touches the database on PostgreSQL beside it.

Arguments go to pytest: `make test ARGS="-k marks"`. With `--coverage` the first of the two runs
measures what the tests reach, and a share below the floor in `pyproject.toml` is a failure.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from urllib.parse import urlsplit

import psycopg

from config import environment as env
from config.serving.processes import die_with_parent
from config.serving.under_make import started_by_make
from conftest import DATABASE_FILES

PYTEST = [sys.executable, "-m", "pytest", "--ds", "tests.settings", "-rfER"]
CORES = len(os.sched_getaffinity(0))
POLITE = 5
"""How far PostgreSQL's processes stand back (`nice`): they compute while those on SQLite wait for
browsers and servers, and have all the cores once these are done."""
SHARED = ("--dist", "loadfile", "--no-loadscope-reorder")
"""Each process takes the next file, in the order of `conftest.py`, so that what a file's tests
share is made once."""

NOT_COMPILED = "PYTHONDONTWRITEBYTECODE"
COVERAGE = "--coverage"
MEASURED = ["--cov", "--cov-report=term:skip-covered"]
NOTHING_COLLECTED = 5
LOCAL = "postgresql://postgres@127.0.0.1:5432/attest"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"^(?:=+ )?(?P<counts>\d+ [a-z]+(?:, \d+ [a-z]+)*) in [\d.]+s")
ORDER = (
    *("failed", "error", "passed", "rerun", "skipped"),
    *("xfailed", "xpassed", "deselected", "warning"),
)


@dataclass(frozen=True)
class Outcome:
    status: int
    counts: Counter[str]

    def __str__(self) -> str:
        found = ", ".join(f"{self.counts[word]} {word}" for word in ORDER if self.counts[word])
        found = found or "no tests"
        return found if self.status == 0 else f"{found}; FAILED (pytest ended with {self.status})"


def main(arguments: list[str]) -> int:
    began = time.monotonic()
    chosen = [argument for argument in arguments if argument != COVERAGE]
    given = os.environ.pop("DATABASE_URL", "")
    asked_for = given.startswith("postgres")
    url = given if asked_for else LOCAL
    version, fault = postgresql_version(url)

    measured = MEASURED if COVERAGE in arguments else []
    with tempfile.TemporaryDirectory(prefix="attest-tests-run-") as folder, ExitStack() as running:
        print("SQLite: the whole suite", flush=True)
        listed = Path(folder) / "files"
        sqlite = Pytest([*measured, *chosen], 0, **{DATABASE_FILES: str(listed)})
        running.callback(sqlite.process.wait)
        files = sqlite.touching_the_database(listed)
        postgresql = None
        if version and files:
            again = ["-m", "database", *(chosen or files)]
            postgresql = Pytest(again, POLITE, DATABASE_URL=url)
            running.callback(postgresql.process.wait)
        outcomes = [sqlite.shown()]
        report = [f"SQLite: whole suite: {outcomes[0]}"]
        if postgresql:
            title = f"{version} at {place(url)}: what touches the database"
            print(f"\n{title}", flush=True)
            outcomes.append(postgresql.shown())
            report.append(f"{title}: {outcomes[1]}")
        elif version:
            report.append(f"{version} at {place(url)}: nothing of it touches the database")
        else:
            report.append(f"PostgreSQL does not answer at {place(url)}: not run ({fault})")

    total = Outcome(0, sum((outcome.counts for outcome in outcomes), Counter()))
    print("\n" + "\n".join(report))
    print(f"===== {total} in {time.monotonic() - began:.2f}s =====", flush=True)
    # A selection (`-k`) may leave nothing for PostgreSQL; the whole suite never does.
    unanswered = (asked_for and not version) or not (chosen or files)
    fine = {0, NOTHING_COLLECTED} if chosen else {0}
    return 1 if unanswered or any(outcome.status not in fine for outcome in outcomes) else 0


def workers(arguments: list[str], most: int) -> list[str]:
    """Processes of their own cost more than the tests of one file mostly take."""
    files = [argument for argument in arguments if Path(argument.partition("::")[0]).is_file()]
    return [] if most == 1 or len(files) == 1 else ["-n", str(most), *SHARED]


class Pytest:
    """A pytest at work. What it says waits until it is shown, so that two do not mix."""

    def __init__(self, arguments: list[str], polite: int, /, **environment: str) -> None:
        colour = ["--color=yes"] if sys.stdout.isatty() else []
        parent = os.getpid()

        def begin() -> None:
            os.nice(polite)
            die_with_parent(parent)

        # Hundreds of processes import the same modules: the first compiles them, also where the
        # shell says that nothing compiled is kept.
        kept = {name: text for name, text in os.environ.items() if name != NOT_COMPILED}
        self.process = subprocess.Popen(
            [*PYTEST, *workers(arguments, CORES), *colour, *arguments],
            env={**kept, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=begin,
        )
        self.said: SimpleQueue[str] = SimpleQueue()
        self.listening = Thread(target=self._listen, daemon=True)
        self.listening.start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.put(line)
        self.said.put("")

    def touching_the_database(self, listed: Path) -> list[str]:
        """The files with tests that do, as soon as they are known."""
        while not listed.exists() and self.listening.is_alive():
            self.listening.join(0.05)
        return listed.read_text().splitlines() if listed.exists() else []

    def shown(self) -> Outcome:
        """Shows what it says, to its end, and reads the last line."""
        summary = ""
        while line := self.said.get():
            print(line, end="", flush=True)
            summary = line
        return Outcome(self.process.wait(), counts(summary))


def counts(summary: str) -> Counter[str]:
    """What pytest's last line counts: "2 failed, 40 passed in 1.20s"."""
    found: Counter[str] = Counter()
    if match := SUMMARY.match(COLOUR.sub("", summary)):
        for part in match["counts"].split(", "):
            number, word = part.split()
            found[word if word == "passed" else word.removesuffix("s")] += int(number)
    return found


def place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname or 'the local socket'}:{parts.port or 5432}"


def postgresql_version(url: str) -> tuple[str, str]:
    """The server's version, or what keeps us from asking it."""
    wanted = env.database(url)
    try:
        with psycopg.connect(
            host=wanted["HOST"],
            port=wanted["PORT"],
            user=wanted["USER"],
            password=wanted["PASSWORD"],
            dbname="postgres",
            connect_timeout=3,
        ) as connection:
            row = connection.execute("SHOW server_version").fetchone()
    except psycopg.Error as error:
        return "", str(error).strip().splitlines()[-1]
    assert row
    return f"PostgreSQL {row[0].split()[0]}", ""


if __name__ == "__main__":
    if started_by_make():
        die_with_parent(os.getppid(), signal.SIGTERM)
    sys.exit(main(sys.argv[1:]))
