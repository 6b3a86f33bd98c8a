"""A database that is filled once and put back for each test that begins with it.

SQLite copies a database in memory within milliseconds. On PostgreSQL it is filled each time.
"""

import sqlite3
from collections.abc import Callable

from django.db import connection


class Kept:
    """What `fill` writes into an empty database."""

    def __init__(self, fill: Callable[[], None]) -> None:
        self.fill = fill
        self.copy: sqlite3.Connection | None = None

    def put(self) -> None:
        if connection.vendor != "sqlite":
            self.fill()
            return
        connection.ensure_connection()
        if self.copy is None:
            self.fill()
            self.copy = sqlite3.connect(":memory:", check_same_thread=False)
            connection.connection.backup(self.copy)
        else:
            self.copy.backup(connection.connection)
