"""`make test`: the whole suite on SQLite, then what touches the database on PostgreSQL.

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
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from config import environment as env
from config.serving.processes import die_with_parent
from config.serving.under_make import started_by_make
from conftest import DATABASE_FILES

PYTEST = [sys.executable, "-m", "pytest", "--ds", "tests.settings"]
SHARED = [
    "-n", str(len(os.sched_getaffinity(0)) + 1), "--dist", "loadfile", "--no-loadscope-reorder",
]  # fmt: skip
"""One process more than cores, since some wait for browsers and servers. Each takes the next file,
in the order of `conftest.py`, so that what a file's tests share is made once."""

COVERAGE = "--coverage"
MEASURED = ["--cov", "--cov-report=term:skip-covered"]
NOTHING_COLLECTED = 5
LOCAL = "postgresql://postgres@127.0.0.1:5432/attest"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"^(?:=+ )?(?P<counts>\d+ [a-z]+(?:, \d+ [a-z]+)*) in [\d.]+s")
ORDER = ("failed", "error", "passed", "skipped", "xfailed", "xpassed", "deselected", "warning")


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

    print("SQLite: the whole suite", flush=True)
    first, files = run_and_list([*(MEASURED if COVERAGE in arguments else []), *chosen])
    outcomes = [first]
    report = [f"SQLite: whole suite: {first}"]
    if version and not files:
        report.append(f"{version} at {place(url)}: nothing of it touches the database")
    elif version:
        print(f"\n{version} at {place(url)}: what touches the database", flush=True)
        outcomes.append(run(["-m", "database", *(chosen or files)], DATABASE_URL=url))
        report.append(f"{version} at {place(url)}: what touches the database: {outcomes[1]}")
    else:
        report.append(f"PostgreSQL does not answer at {place(url)}: not run ({fault})")

    total = Outcome(0, sum((outcome.counts for outcome in outcomes), Counter()))
    print("\n" + "\n".join(report))
    print(f"===== {total} in {time.monotonic() - began:.2f}s =====", flush=True)
    # A selection (`-k`) may leave nothing for PostgreSQL; the whole suite never does.
    unanswered = (asked_for and not version) or not (chosen or files)
    fine = {0, NOTHING_COLLECTED} if chosen else {0}
    return 1 if unanswered or any(outcome.status not in fine for outcome in outcomes) else 0


def run_and_list(arguments: list[str]) -> tuple[Outcome, list[str]]:
    """What pytest found, and the files with tests that touch the database."""
    with tempfile.TemporaryDirectory(prefix="attest-tests-run-") as folder:
        listed = Path(folder) / "files"
        outcome = run(arguments, **{DATABASE_FILES: str(listed)})
        return outcome, listed.read_text().splitlines() if listed.exists() else []


def workers(arguments: list[str]) -> list[str]:
    """Processes of their own cost more than the tests of one file mostly take."""
    files = [argument for argument in arguments if Path(argument.partition("::")[0]).is_file()]
    return [] if len(files) == 1 else SHARED


def run(arguments: list[str], **environment: str) -> Outcome:
    """Runs pytest, showing what it says, and reads its last line."""
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    summary, parent = "", os.getpid()
    # Hundreds of processes import the same modules: the first compiles them, also where the shell
    # says that nothing compiled is kept.
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(
        [*PYTEST, *workers(arguments), *colour, *arguments],
        env={**kept, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=lambda: die_with_parent(parent),
    ) as pytest:
        assert pytest.stdout
        for line in pytest.stdout:
            print(line, end="", flush=True)
            summary = line
    return Outcome(pytest.returncode, counts(summary))


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
