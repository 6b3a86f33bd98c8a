"""Error pages, and JSON errors under /api/."""

import logging
import sqlite3
import sys
from collections.abc import Callable

from django.core.exceptions import BadRequest, ObjectDoesNotExist
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from annotate.models import Study
from annotate.web.errors import FULL
from annotate.web.messages import is_htmx

log = logging.getLogger(__name__)

DISK_FULL, LOCKED = "53100", "55P03"
"""PostgreSQL's error codes."""


def _answer(
    request: HttpRequest, *, status: int, code: str, title: str, message: str
) -> HttpResponse:
    if request.path.startswith("/api/"):
        error = {"code": code, "message": message, "details": None}
        return JsonResponse({"error": error}, status=status)
    context = {"title": title, "message": message}
    return render(request, "error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a bad request. Django's reasons for suspicious requests are only for the log."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    return _answer(
        request,
        status=400,
        code="bad_request",
        title="This request cannot be read",
        message=reason or "Go back, reload the page and try again.",
    )


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(
        request,
        status=403,
        code="permission_denied",
        title="Not for your role",
        message=str(exception) or "Ask an owner of the study if you need this page.",
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a valid token, from an old page or another site.

    Settings name it in CSRF_FAILURE_VIEW. A page's script without a session gets status 401,
    because the token is gone with the session.
    """
    if is_htmx(request) and not request.user.is_authenticated:
        return HttpResponse("You are signed out.", status=401)
    return _answer(
        request,
        status=403,
        code="permission_denied",
        title="This form has expired",
        message="Nothing was changed. Go back, reload the page and send it again.",
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(
        request,
        status=404,
        code="not_found",
        title="There is nothing here",
        message=(
            "The address may be mistyped, or the page may be gone. "
            "Or it belongs to a study that you are not a member of."
        ),
    )


class gone_meanwhile:  # noqa: N801 (named in the settings, as functions are)
    """Middleware that answers 404 if the object was deleted while the request was processed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, fault: Exception) -> HttpResponse | None:
        if not (isinstance(fault, ObjectDoesNotExist) or _is_gone(request, fault)):
            return None
        log.warning("%s: gone meanwhile (%s)", request.path, fault)
        return not_found(request, fault)


def _is_gone(request: HttpRequest, fault: Exception) -> bool:
    """Whether the database refused because the study of this address was deleted."""
    found = request.resolver_match
    slug = found.kwargs.get("slug") if found else None
    if slug is None or not isinstance(fault, DatabaseError):
        return False
    return not Study.objects.filter(slug=slug).exists()


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer without the visitor's session, because the database may have failed."""
    status, code, title = 500, "server_error", "Something went wrong on our side"
    message = (
        "Nothing that was saved is lost. Try again. If it fails again, tell your administrator."
    )
    if _is_disk_full(sys.exception()):
        status, code, title = 507, "no_room", "The server has no disk space left"
        message = "Saved data is safe. Ask your administrator to free space, then try again."
    elif _has_state(sys.exception(), LOCKED):
        status, code, title = 503, "busy", "Something else is changing this just now"
        message = "Nothing was changed. Try again in a minute; work in the background may hold it."
    if request.path.startswith("/api/"):
        return _answer(request, status=status, code=code, title=title, message=message)
    page = render_to_string("error.html", {"title": title, "message": message})
    return HttpResponse(page, status=status)


def _is_disk_full(fault: BaseException | None) -> bool:
    """Whether the disk of the files or of the database is full."""
    if _has_state(fault, DISK_FULL):
        return True
    while fault is not None:
        if isinstance(fault, OSError) and fault.errno in FULL:
            return True
        if isinstance(fault, sqlite3.OperationalError) and "disk is full" in str(fault):
            return True
        fault = fault.__cause__
    return False


def _has_state(fault: BaseException | None, state: str) -> bool:
    while fault is not None:
        if getattr(fault, "sqlstate", "") == state:
            return True
        fault = fault.__cause__
    return False
