"""`make test`: the whole suite on SQLite, then what touches the database on PostgreSQL.

Arguments go to pytest: `make test ARGS="-k marks"`.
"""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg

from config import environment as env

PYTEST = [sys.executable, "-m", "pytest", "--ds", "tests.settings", "-n", "2"]
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
    given = os.environ.pop("DATABASE_URL", "")
    asked_for = given.startswith("postgres")
    url = given if asked_for else LOCAL
    version, fault = postgresql_version(url)

    print("SQLite: the whole suite", flush=True)
    outcomes = [run(arguments)]
    report = [f"SQLite: whole suite: {outcomes[0]}"]
    if version:
        print(f"\n{version} at {place(url)}: what touches the database", flush=True)
        outcomes.append(run(["-m", "database", *arguments], DATABASE_URL=url))
        report.append(f"{version} at {place(url)}: what touches the database: {outcomes[1]}")
    else:
        report.append(f"PostgreSQL does not answer at {place(url)}: not run ({fault})")

    total = Outcome(0, sum((outcome.counts for outcome in outcomes), Counter()))
    print("\n" + "\n".join(report))
    print(f"===== {total} in {time.monotonic() - began:.2f}s =====", flush=True)
    unanswered = asked_for and not version
    # A selection (`-k`) may leave nothing for PostgreSQL; the whole suite never does.
    fine = {0, NOTHING_COLLECTED} if arguments else {0}
    return 1 if unanswered or any(outcome.status not in fine for outcome in outcomes) else 0


def run(arguments: list[str], **environment: str) -> Outcome:
    """Runs pytest, showing what it says, and reads its last line."""
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    summary = ""
    with subprocess.Popen(
        [*PYTEST, *colour, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
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
    sys.exit(main(sys.argv[1:]))
