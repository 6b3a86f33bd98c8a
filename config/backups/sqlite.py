"""SQLite: the online backup, which neither waits for writers nor lets them wait."""

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
def snapshot(beside: Path) -> Iterator[tuple[Ask, Callable[[Callable[[bytes], None]], None]]]:
    """The database of this moment: how it is asked, and how it is written.

    It needs as much space `beside` the backup as the database has.
    """
    with TemporaryDirectory(prefix=".attest-", dir=beside) as folder:
        path = Path(folder) / MEMBER
        with closing(sqlite3.connect(path)) as copy:
            live().backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file

            def write(to: Callable[[bytes], None]) -> None:
                with path.open("rb") as file:
                    while block := file.read(1_000_000):
                        to(block)

            yield _ask(copy), write


def replace(database: IO[bytes], check: Callable[[Ask], None]) -> None:
    """Put a database in the place of this one, in one step; before, it is checked and migrated."""
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
    """The connection to this Attest's own database."""
    connection.ensure_connection()
    return connection.connection


def _ask(database: sqlite3.Connection) -> Ask:
    return lambda query: database.execute(query).fetchall()
