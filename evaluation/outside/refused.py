"""What the server behind a connection took and refused to be told, for all who ask it."""

from datetime import timedelta

from django.core.cache import cache

from evaluation.asking.bending import ServerHabits
from evaluation.models import Connection

REMEMBERED = timedelta(days=3)
"""Servers are upgraded: then each is told everything again."""


class Refusals:
    """Of one edition of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._key = f"told:{connection.pk}:{connection.edition}"

    def read(self) -> ServerHabits:
        return ServerHabits(*map(frozenset, cache.get(self._key, ())))

    def keep(self, known: ServerHabits) -> None:
        """Of two who learn at a time, both count."""
        all_of_it = self.read() | known
        kept = sorted(all_of_it.refused), sorted(all_of_it.taken)
        cache.set(self._key, kept, REMEMBERED.total_seconds())

    def forget(self) -> None:
        cache.delete(self._key)
