"""Keeping a lease while a model is loaded or a long computation tells nothing."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Protocol

from django.conf import settings
from django.db import DatabaseError, connection

log = logging.getLogger(__name__)

RENEW_EVERY = settings.ATTEST_PATIENCE_SECONDS / 3


class Kept(Protocol):
    """What is held under a lease."""

    def keep(self) -> bool:
        """Hold it for longer; whether it is still ours."""
        ...


@contextmanager
def held(holding: Kept) -> Iterator[None]:
    """Renew the lease from a thread until the work is over."""
    over = Event()

    def renew() -> None:
        while not over.wait(RENEW_EVERY):
            try:
                holding.keep()
            except DatabaseError:
                log.warning("a lease could not be renewed now")
            connection.close()

    thread = Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
