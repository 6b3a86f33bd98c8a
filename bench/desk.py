"""What the desk costs: processor time and SQL statements of a save, a finish and the next page.

Requests go through the whole application in this process, without a network; on PostgreSQL the time
of its own process stands beside. A trivial request is timed in between, so that what is said is a
ratio, too. All of it twice: one request after the other, and with so much read before each that the
processor's caches have forgotten the last, as they have when people rest between answers.
"""

import io
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from bench.databases import Database, databases
from bench.figures import keep
from bench.rating import CHOICE, SLUG, STEP, in_django, prepare

RESPONSES = 60
WARM = 5
"""Responses before any is counted."""

SAVES = 6
OTHERS_READ = 64 << 20
"""Bytes: more than the caches hold."""


@dataclass(slots=True)
class Costs:
    """Of every kind of request."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statements: dict[str, int] = field(default_factory=dict)

    def median(self, kind: str) -> float:
        """In milliseconds."""
        return 1000 * statistics.median(self.seconds[kind])


class Rater:
    """One rater's browser, within this process."""

    def __init__(
        self,
        application: Callable[..., Any],
        session: str,
        counted: list[str],
        *,
        rests: bool = False,
    ) -> None:
        self._application, self._counted = application, counted
        self._others = np.ones(OTHERS_READ if rests else 0, np.uint8)
        self._token = secrets.token_hex(16)
        self._cookies = f"sessionid={session}; csrftoken={self._token}"

    def ask(self, path: str, sent: dict[str, str] | None = None) -> tuple[float, str, str]:
        """Processor time, where the answer leads, and its text."""
        body = b"" if sent is None else urlencode(sent).encode()
        environment = {
            "REQUEST_METHOD": "GET" if sent is None else "POST",
            "PATH_INFO": path,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_COOKIE": self._cookies,
            "HTTP_X_CSRFTOKEN": self._token,
            "HTTP_HX_REQUEST": "true" if sent is not None else "false",
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
        }
        found: dict[str, Any] = {}

        def start(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
            found.update({name.lower(): value for name, value in headers}, status=status)

        self._counted.clear()
        self._others.sum()
        began = time.process_time()
        answer = self._application(environment, start)
        text = b"".join(answer).decode()
        answer.close()
        seconds = time.process_time() - began
        if int(found["status"][:3]) >= 400:
            raise RuntimeError(f"{path}: {found['status']} {text[:500]}")
        return seconds, found.get("hx-redirect", found.get("location", "")), text


def rate(batch: int, session: str, rests: bool) -> tuple[Costs, float]:
    """A rater's way through the batch; and the seconds of the database's own process."""
    from django.core.wsgi import get_wsgi_application
    from django.db import connection

    counted: list[str] = []
    rater, costs, chance = (
        Rater(get_wsgi_application(), session, counted, rests=rests),
        Costs(),
        random.Random(1),
    )

    def count(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        counted.append(sql)
        return execute(sql, *rest)

    def ask(kind: str, path: str, sent: dict[str, str] | None = None) -> tuple[str, str]:
        seconds, to, text = rater.ask(path, sent)
        costs.seconds[kind].append(seconds)
        costs.statements[kind] = len(counted)
        return to, text

    with connection.execute_wrapper(count):
        page = rater.ask(f"/studies/{SLUG}/desk/{batch}/next/", {})[1]
        for number in range(RESPONSES):
            if number == WARM:
                costs, began = Costs(), _seconds_of(connection)
            ask("a trivial request", "/healthz")
            _, text = ask("a task's page", page)
            for found in STEP.finditer(text):
                value = chance.choice(CHOICE.findall(found[0]))
                sent = {"value": value, "edit": secrets.token_hex(16), "seconds": "2.5"}
                ask("a save", f"{page}answer/", {"step": found["step"], "base": "", **sent})
            page, _ = ask("a finish", f"{page}finish/", {})
        return costs, _seconds_of(connection) - began


def _seconds_of(connection: Any) -> float:
    """What PostgreSQL's process for this connection has computed; SQLite has none."""
    if connection.vendor != "postgresql":
        return 0.0
    import os

    number = connection.connection.info.backend_pid
    columns = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")


def measure(database: Database, folder: Path) -> None:
    batch, sessions = in_django(prepare, database, folder, 1, 2 * RESPONSES + 2)
    for rests in (False, True):
        name = f"{database.name}, caches cold" if rests else database.name
        show(name, *in_django(rate, database, batch, sessions[0], rests))


def show(name: str, costs: Costs, beside: float) -> None:
    trivial = costs.median("a trivial request")
    print(f"  {name}: {RESPONSES - WARM} responses of {SAVES} questions")
    for kind, statements in costs.statements.items():
        cost = costs.median(kind)
        times = f"{cost / trivial:.1f} times a trivial request"
        print(f"    {kind}: {cost:.1f} ms of the processor, {times}; {statements} statements")
        keep(f"{name}, {kind}", cost, "ms")
        keep(f"{name}, {kind}, statements", statements, "statements")
    whole = SAVES * costs.median("a save") + costs.median("a finish")
    whole += costs.median("a task's page")
    beside = 1000 * beside / (RESPONSES - WARM)
    also = f", and {beside:.0f} ms of the database's own process" if beside else ""
    print(f"    a finished response: {whole:.0f} ms{also}")
    keep(f"{name}, a finished response", whole + beside, "ms")


def main() -> None:
    print("The desk's cost")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for database in databases(folder):
            measure(database, folder)


if __name__ == "__main__":
    main()
