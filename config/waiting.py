"""How long a page waits for another's lock before it says so; workers wait as long as it takes."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

LOCK_SECONDS = 20


def waits_not_for_ever(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """PostgreSQL lets a statement wait without an end; SQLite has its own limit."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")


def in_a_web_process() -> None:
    """From now on each connection of this process."""
    connection_created.connect(waits_not_for_ever)
