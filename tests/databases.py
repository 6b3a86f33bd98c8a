"""Databases of one test's own, dropped afterwards."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from tests.migrated import migrated, migrated_on
from tests.run import LOCAL

KINDS = ("SQLite", "PostgreSQL")


@contextmanager
def database(kind: str, folder: Path, *, begun: bool = False) -> Iterator[str]:
    """Its DATABASE_URL; it is empty, or `begun` as `migrate` leaves it."""
    if kind == "SQLite":
        file = folder / "attest.sqlite3"
        if begun:
            shutil.copy(migrated(), file)
        yield f"sqlite:///{file}"
        return
    given = os.environ.get("DATABASE_URL", "")
    server = (given if given.startswith("postgres") else LOCAL).rpartition("/")[0]
    try:
        psycopg.connect(f"{server}/postgres", connect_timeout=3).close()
    except psycopg.OperationalError as error:
        pytest.skip(f"PostgreSQL does not answer: {error}")
    name = f"attest_test_{secrets.token_hex(4)}"
    with on_postgresql(server, name, begun=begun):
        yield f"{server}/{name}"


@contextmanager
def on_postgresql(server: str, name: str, *, begun: bool) -> Iterator[None]:
    """One of that name, in the place of one that a killed run left."""
    like = migrated_on(server) if begun else "template1"
    known, model = sql.Identifier(name), sql.Identifier(like)
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(known)
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(known, model))
        try:
            yield
        finally:
            connection.execute(drop)


def triggers() -> str:
    """The names of those in the database that Django is connected with."""
    known = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    if connection.vendor == "postgresql":
        known = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    with connection.cursor() as cursor:
        cursor.execute(known)
        return " ".join(name for (name,) in cursor.fetchall())
