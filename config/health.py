"""Is Attest fit to answer (`/healthz`), and to work (`/readyz`)? Asked by health checks and by
`manage.py serve`; needs no sign-in."""

from collections.abc import Callable
from functools import cache
from shutil import disk_usage
from threading import Lock

from celery import current_app
from django.conf import settings
from django.core.cache import caches
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from annotate.work.jobs.workers import serving

BROKER_SECONDS = 2
KEPT_SECONDS = 5
"""Whoever asks more often gets the same answer: asking the broker costs a connection."""

ASKING = Lock()
"""Of many who ask at once, one looks, and the others get what it found."""


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Alive: 200 where the database answers and has the tables this code expects, otherwise 503."""
    return _answer(_database())


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Ready: also the queue answers, there is room on the disk, the bucket answers where files lie
    in one, and workers serve every queue."""
    kept = caches["process"]
    with ASKING:
        found = kept.get("readyz")
        if found is None:
            found = _looked()
            kept.set("readyz", found, KEPT_SECONDS)
    return _answer(found)


def _looked() -> dict[str, str]:
    found = _database()
    if set(found.values()) == {"ok"}:
        found |= {"broker": _broker(), "disk": _disk(), "workers": _workers()}
        if ask := getattr(default_storage, "ask", None):  # a folder is on the disk
            found["storage"] = _storage(ask)
    return found


def _answer(found: dict[str, str]) -> JsonResponse:
    return JsonResponse(found, status=200 if set(found.values()) == {"ok"} else 503)


def _database() -> dict[str, str]:
    try:
        missing = known_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    except DatabaseError:
        return {"database": "unreachable", "migrations": "unknown"}
    return {"database": "ok", "migrations": "missing" if missing else "ok"}


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """The migrations in the code, as (app, name); they cannot change while the process runs."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset(loader.disk_migrations)


def _broker() -> str:
    try:
        with current_app.connection(connect_timeout=BROKER_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
    except (OperationalError, OSError):
        return "unreachable"
    return "ok"


def _storage(ask: Callable[[], object]) -> str:
    try:
        ask()
    except OSError:
        return "unreachable"
    return "ok"


def _disk() -> str:
    free = disk_usage(settings.DATA_DIR).free
    return "ok" if free >= settings.ATTEST_RESERVED_BYTES else "full"


def _workers() -> str:
    missing = [queue for queue in settings.ATTEST_WORKER_QUEUES if not serving(queue)]
    return f"none for {', '.join(missing)}" if missing else "ok"
