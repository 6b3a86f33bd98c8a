"""Health checks without sign-in: `/healthz` (can answer) and `/readyz` (can work)."""

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
CACHE_SECONDS = 5
"""How long a result is cached, because each check opens a connection to the broker."""

CHECKING = Lock()
"""Only one request checks at a time. The others get its result."""


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database answers and is migrated to this version, otherwise 503."""
    return _answer(_database())


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 if queue, disk, bucket (if files are in one) and workers are ready as well."""
    cache = caches["process"]
    with CHECKING:
        found = cache.get("readyz")
        if found is None:
            found = _checked()
            cache.set("readyz", found, CACHE_SECONDS)
    return _answer(found)


def _checked() -> dict[str, str]:
    found = _database()
    if set(found.values()) == {"ok"}:
        found |= {"broker": _broker(), "disk": _disk(), "workers": _workers()}
        if ping := getattr(default_storage, "ping", None):  # a folder has none
            found["storage"] = _storage(ping)
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
    """Return the (app, name) of the code's migrations, which do not change while it runs."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset(loader.disk_migrations)


def _broker() -> str:
    try:
        with current_app.connection(connect_timeout=BROKER_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
    except (OperationalError, OSError):
        return "unreachable"
    return "ok"


def _storage(ping: Callable[[], object]) -> str:
    try:
        ping()
    except OSError:
        return "unreachable"
    return "ok"


def _disk() -> str:
    free = disk_usage(settings.DATA_DIR).free
    return "ok" if free >= settings.ATTEST_RESERVED_BYTES else "full"


def _workers() -> str:
    missing = [queue for queue in settings.ATTEST_WORKER_QUEUES if not serving(queue)]
    return f"none for {', '.join(missing)}" if missing else "ok"
