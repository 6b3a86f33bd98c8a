"""Give each request an id for logs, and record its duration and audit entries."""

import logging
import re
import secrets
import time
from collections.abc import Callable
from functools import partial

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponse

from annotate.web import audit
from annotate.work.telemetry import ERRORS, REQUESTS, under

NAME = re.compile(r"[A-Za-z0-9_.-]{8,64}")
"""An id from a proxy. Other texts are refused, because they would appear in the log."""

log = logging.getLogger("attest.requests")


def followed(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """The first middleware. The response has the request's id, so that users can report it."""

    def respond(request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        name = given if NAME.fullmatch(given) else secrets.token_hex(8)
        address = partial(_address, request)
        with under(afresh=True, request_id=name), audit.visited(request, address):
            began = time.perf_counter()
            response = get_response(request)
            seconds = time.perf_counter() - began
            response.headers["X-Request-ID"] = name
            match = request.resolver_match
            # Use the page's name: paths are unlimited in number and reveal names of studies.
            view = match.view_name if match else "none"
            if match and response.status_code == 200 and request.method != "HEAD":
                audit.note_reading(view, match.kwargs)
            REQUESTS.labels(view, _method(request), response.status_code).observe(seconds)
            if response.status_code >= 500:
                ERRORS.labels("web").inc()
            log.info(
                "%s %s: %s in %.0f ms",
                request.method,
                view,
                response.status_code,
                1000 * seconds,
            )
        return response

    return respond


def _address(request: HttpRequest) -> str:
    found: str = get_adapter(request).get_client_ip(request)
    return found


def _method(request: HttpRequest) -> str:
    return request.method if request.method in {"GET", "HEAD", "POST", "PUT", "DELETE"} else "other"
