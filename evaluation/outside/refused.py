"""What the server behind a connection refused to be told, for all who ask it."""

from datetime import timedelta

from django.core.cache import cache

from evaluation.asking.bending import Bends
from evaluation.models import Connection

REMEMBERED = timedelta(days=3)
"""Servers are upgraded: then each is told everything again."""


class Refusals:
    """Of one edition of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._key = f"refused:{connection.pk}:{connection.edition}"

    def read(self) -> Bends:
        return frozenset(cache.get(self._key, ()))

    def keep(self, bends: Bends) -> None:
        """Of two who learn at a time, both count."""
        cache.set(self._key, sorted(self.read() | bends), REMEMBERED.total_seconds())

    def forget(self) -> None:
        cache.delete(self._key)
