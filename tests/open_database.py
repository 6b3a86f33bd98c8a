"""Requests to the application itself, without a server, in one test's database."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections


@contextmanager
def one_connection() -> Iterator[None]:
    """For all requests meanwhile, as Django's own test client keeps it, which ends this."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def open_database() -> Iterator[None]:
    with one_connection():
        yield
