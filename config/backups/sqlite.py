"""Backups of SQLite by its online backup, which neither blocks nor waits for writers."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from django.db import connection

from config.backups.archive import Ask
from config.backups.migrating import bring_forward

MEMBER = "database.sqlite3"


@contextmanager
def snapshot(folder: Path) -> Iterator[tuple[Ask, Callable[[Callable[[bytes], None]], None]]]:
    """Yield functions that query and write a snapshot of the database.

    The snapshot is temporarily stored in `folder` and needs as much space as the database.
    """
    with TemporaryDirectory(prefix=".attest-", dir=folder) as temporary:
        path = Path(temporary) / MEMBER
        with closing(sqlite3.connect(path)) as copy:
            live().backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file

            def write(to: Callable[[bytes], None]) -> None:
                with path.open("rb") as file:
                    while block := file.read(1_000_000):
                        to(block)

            yield _ask(copy), write


def replace(database: IO[bytes], check: Callable[[Ask], None]) -> None:
    """Check and migrate a database, and then replace this one by it in one step."""
    name = connection.settings_dict["NAME"]
    with TemporaryDirectory(prefix=".attest-", dir=Path(name).resolve().parent) as folder:
        path = Path(folder) / MEMBER
        with path.open("wb") as file:
            while block := database.read(1_000_000):
                file.write(block)
        with closing(sqlite3.connect(path)) as copy:
            check(_ask(copy))
        connection.close()
        connection.settings_dict["NAME"] = str(path)
        try:
            bring_forward()
        finally:
            connection.close()
            connection.settings_dict["NAME"] = name
        with closing(sqlite3.connect(path)) as copy:
            copy.execute("PRAGMA journal_mode=DELETE")
            copy.backup(live())


def live() -> Any:
    """Return the connection to the current database."""
    connection.ensure_connection()
    return connection.connection


def _ask(database: sqlite3.Connection) -> Ask:
    return lambda query: database.execute(query).fetchall()
