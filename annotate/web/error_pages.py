"""Error pages that say what to do, and the one JSON shape under /api/."""

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
"""What PostgreSQL says."""


def _answer(
    request: HttpRequest, *, status: int, code: str, title: str, message: str
) -> HttpResponse:
    if request.path.startswith("/api/"):
        error = {"code": code, "message": message, "details": None}
        return JsonResponse({"error": error}, status=status)
    context = {"title": title, "message": message}
    return render(request, "error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's own reasons, of suspicious requests, are for its log."""
    said = str(exception) if isinstance(exception, BadRequest) else ""
    return _answer(
        request,
        status=400,
        code="bad_request",
        title="This request cannot be read",
        message=said or "Go back, reload the page and try again.",
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
    """A form without its token: an old page, or another site's. Named in CSRF_FAILURE_VIEW.

    A page's script whose session is gone is told that, for its token went with it.
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
    """Middleware: what a page was about can be deleted between the door and the last line of a
    service. That is no fault: whoever asked is told that it is gone."""

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
    """Whether the database refused since the study of this address was deleted."""
    found = request.resolver_match
    slug = found.kwargs.get("slug") if found else None
    if slug is None or not isinstance(fault, DatabaseError):
        return False
    return not Study.objects.filter(slug=slug).exists()


def server_error(request: HttpRequest) -> HttpResponse:
    """Made without the visitor's session: the database may be what failed."""
    status, code, title = 500, "server_error", "Something went wrong on our side"
    message = (
        "Nothing that was saved is lost. Try again. If it fails again, tell your administrator."
    )
    if _is_disk_full(sys.exception()):
        status, code, title = 507, "no_room", "The server has no disk space left"
        message = "Saved data is safe. Ask your administrator to free space, then try again."
    elif _says(sys.exception(), LOCKED):
        status, code, title = 503, "busy", "Something else is changing this just now"
        message = "Nothing was changed. Try again in a minute; work in the background may hold it."
    if request.path.startswith("/api/"):
        return _answer(request, status=status, code=code, title=title, message=message)
    page = render_to_string("error.html", {"title": title, "message": message})
    return HttpResponse(page, status=status)


def _is_disk_full(fault: BaseException | None) -> bool:
    """Whether the disk of the files or of the database has no room."""
    if _says(fault, DISK_FULL):
        return True
    while fault is not None:
        if isinstance(fault, OSError) and fault.errno in FULL:
            return True
        if isinstance(fault, sqlite3.OperationalError) and "disk is full" in str(fault):
            return True
        fault = fault.__cause__
    return False


def _says(fault: BaseException | None, state: str) -> bool:
    while fault is not None:
        if getattr(fault, "sqlstate", "") == state:
            return True
        fault = fault.__cause__
    return False
