"""Is Attest fit to answer? Asked by health checks and by `manage.py serve`; needs no sign-in."""

from functools import cache

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 where the database answers and has the tables this code expects, otherwise 503."""
    try:
        missing = known_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    except DatabaseError:
        return JsonResponse({"database": "unreachable", "migrations": "unknown"}, status=503)
    if missing:
        return JsonResponse({"database": "ok", "migrations": "missing"}, status=503)
    return JsonResponse({"database": "ok", "migrations": "ok"})


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """The migrations in the code, as (app, name); they cannot change while the process runs."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset(loader.disk_migrations)
