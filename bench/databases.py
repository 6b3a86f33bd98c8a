"""The databases that a measurement runs on: SQLite always, PostgreSQL where one answers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

POSTGRESQL = os.environ.get("BENCH_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432")
NAME = "attest_bench"


@dataclass(frozen=True, slots=True)
class Database:
    name: str
    url: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """That of a process that works on it."""
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": self.url,
            "ATTEST_DATA_DIR": str(self.folder),
        }


def databases(folder: Path) -> Iterator[Database]:
    """Each database, empty; the one on PostgreSQL is dropped afterwards."""
    data = folder / "data"
    data.mkdir()
    yield Database("SQLite", f"sqlite:///{folder}/bench.sqlite3", data)
    with on_postgresql(NAME, data) as database:
        if database is None:
            print(f"  PostgreSQL does not answer at {POSTGRESQL}: not measured")
        else:
            yield database


@contextmanager
def on_postgresql(named: str, data: Path) -> Iterator[Database | None]:
    """An empty database, dropped afterwards; none where PostgreSQL does not answer."""
    try:
        server = psycopg.connect(f"{POSTGRESQL}/postgres", autocommit=True, connect_timeout=3)
    except psycopg.OperationalError:
        yield None
        return
    name = sql.Identifier(named)
    with server:
        server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(name))
        server.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            version = server.info.server_version // 10_000
            yield Database(f"PostgreSQL {version}", f"{POSTGRESQL}/{named}", data)
        finally:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))


def apart(module: str, step: str, database: Database, *arguments: str) -> dict[str, Any]:
    """What one step of a measurement says as its last line, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", module, step, *arguments],
        env=database.environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
