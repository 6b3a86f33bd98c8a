"""Limit how long a page waits for a database lock. Workers wait without limit."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

LOCK_SECONDS = 20


def limit_lock_waits(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Set PostgreSQL's lock timeout, which is unlimited by default. SQLite has its own limit."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")


def in_a_web_process() -> None:
    """Limit lock waits of all new connections of this process."""
    connection_created.connect(limit_lock_waits)
