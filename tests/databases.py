"""Databases of one test's own, dropped afterwards."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.run import LOCAL

KINDS = ("SQLite", "PostgreSQL")


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """Its DATABASE_URL."""
    if kind == "SQLite":
        yield f"sqlite:///{folder}/attest.sqlite3"
        return
    given = os.environ.get("DATABASE_URL", "")
    server = (given if given.startswith("postgres") else LOCAL).rpartition("/")[0]
    try:
        connection = psycopg.connect(f"{server}/postgres", autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        pytest.skip(f"PostgreSQL does not answer: {error}")
    name = f"attest_test_{secrets.token_hex(4)}"
    with connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{server}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))
