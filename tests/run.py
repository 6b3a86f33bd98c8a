"""Run the whole suite on SQLite and the files marked `postgresql` again on PostgreSQL.

`make test` calls this. Arguments go to pytest: `make test ARGS="-k marks"`. `make test ARGS=quick`
runs only on SQLite, without browsers and server processes. `--coverage` measures the run on SQLite.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import psycopg

from config import environment as env
from config.serving.processes import die_with_parent

ROOT = Path(__file__).resolve().parents[1]
PYTEST = [sys.executable, "-m", "pytest", "--ds", "tests.settings", "-rfER"]
CORES = len(os.sched_getaffinity(0))
SHARED = ("--dist", "loadfile", "--no-loadscope-reorder")
NOT_COMPILED = "PYTHONDONTWRITEBYTECODE"
QUICK, COVERAGE = "quick", "--coverage"
WITHOUT_PROCESSES = ("-m", "not browser and not processes")
MEASURED = ("--cov", "--cov-report=term:skip-covered")
ON_POSTGRESQL = ("-m", "postgresql and database")
NOTHING_COLLECTED = 5
LOCAL = "postgresql://postgres@127.0.0.1:5432/attest"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"^(?:=+ )?(?P<counts>\d+ [a-z ]+(?:, \d+ [a-z ]+)*) in [\d.]+s")
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
    is_quick = QUICK in arguments
    chosen = [argument for argument in arguments if argument not in {QUICK, COVERAGE}]
    given = os.environ.pop("DATABASE_URL", "")
    asked_for = given.startswith("postgres")
    url = given if asked_for else LOCAL
    version, fault = ("", "quick run") if is_quick else postgresql_version(url)

    options = [*(WITHOUT_PROCESSES if is_quick else ()), *chosen]
    measured = [*(MEASURED if COVERAGE in arguments else ())]
    with tempfile.TemporaryFile("w+") as said:
        # PostgreSQL's tests stand back until those on SQLite are done, and print afterwards.
        again = [*ON_POSTGRESQL, *(chosen or marked_files())]
        postgresql = started(again, said, niceness=5, DATABASE_URL=url) if version else None
        sqlite = started([*measured, *options], subprocess.PIPE)
        print("SQLite: the whole suite", flush=True)
        assert sqlite.stdout
        outcomes = [Outcome(*finished(sqlite, sqlite.stdout))]
        report = [f"SQLite: whole suite: {outcomes[0]}"]
        if postgresql:
            postgresql.wait()
            said.seek(0)
            title = f"{version} at {place(url)}: files marked postgresql"
            print(f"\n{title}", flush=True)
            outcomes.append(Outcome(*finished(postgresql, said)))
            report.append(f"{title}: {outcomes[1]}")
        else:
            report.append(f"PostgreSQL at {place(url)}: not run ({fault})")

    total = Outcome(0, sum((outcome.counts for outcome in outcomes), Counter()))
    print("\n" + "\n".join(report))
    print(f"===== {total} in {time.monotonic() - began:.2f}s =====", flush=True)
    # A selection (`-k`) may leave nothing to run; the whole suite never does.
    fine = {0, NOTHING_COLLECTED} if chosen else {0}
    is_missing = asked_for and not version and not is_quick
    return 1 if is_missing or any(each.status not in fine for each in outcomes) else 0


def marked_files() -> list[str]:
    """Return the test files that name the marker, for pytest to collect no others."""
    return sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if "mark.postgresql" in path.read_text(encoding="utf-8")
    )


def workers(arguments: list[str], most: int) -> list[str]:
    """Return pytest-xdist's options; for one file its processes cost more than its tests."""
    files = [argument for argument in arguments if Path(argument.partition("::")[0]).is_file()]
    return [] if most == 1 or len(files) == 1 else ["-n", str(most), *SHARED]


def started(
    arguments: list[str], output: int | IO[str], niceness: int = 0, **environment: str
) -> subprocess.Popen[str]:
    parent = os.getpid()

    def begin() -> None:
        os.nice(niceness)
        die_with_parent(parent)

    # Many processes import the same modules: compile them once, whatever the shell says.
    kept = {name: text for name, text in os.environ.items() if name != NOT_COMPILED}
    return subprocess.Popen(
        [*PYTEST, *workers(arguments, CORES), *arguments],
        env={**kept, **environment},
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=begin,
    )


def finished(process: subprocess.Popen[str], output: IO[str]) -> tuple[int, Counter[str]]:
    """Print all output; return the exit status and the counts of the last line."""
    summary = ""
    for summary in output:
        print(summary, end="", flush=True)
    return process.wait(), counts(summary)


def counts(summary: str) -> Counter[str]:
    """Return the counts in pytest's last line: "2 failed, 40 passed in 1.20s"."""
    found: Counter[str] = Counter()
    if match := SUMMARY.match(COLOUR.sub("", summary)):
        for part in match["counts"].split(", "):
            number, word = part.split(maxsplit=1)
            if not word.startswith("subtests "):  # their tests are counted
                found[word if word == "passed" else word.removesuffix("s")] += int(number)
    return found


def place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname or 'the local socket'}:{parts.port or 5432}"


def postgresql_version(url: str) -> tuple[str, str]:
    """Return the server's version, or the reason why there is none."""
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
    if "MAKELEVEL" in os.environ:
        die_with_parent(os.getppid(), signal.SIGTERM)
    sys.exit(main(sys.argv[1:]))
