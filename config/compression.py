"""Pages go compressed to browsers that take it; those that hold a secret do not.

The size of a compressed page tells whether a text that somebody chose stands in it twice, and so,
guess by guess, a secret that stands beside it (BREACH). See docs/security.md.
"""

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from annotate.people.gate import OWN_PAGES

TEXTS = re.compile(r"text/|application/(?:json|javascript|yaml|x-ndjson)|image/svg\+xml")
"""What becomes smaller by it, by the beginning of its type."""

SECRET = frozenset(
    {
        *("members", "join"),  # invitations
        *("batches", "batch", "batch-edit", "batch-new", "admission"),  # links and codes of a crowd
        *("participants", "participants-csv", "participants-mturk"),
        *("crowd", "crowd-done", "crowd-leave"),
        *("personal", "personal-download"),
        *("webhooks", "webhook"),  # the path of an address may be known to few
    }
)
"""The pages that hold one, by the names of their addresses."""


class Compressing(GZipMiddleware):
    """Compresses what browsers fetch. What they are told after a form, as a new token that is
    shown once, goes as it is, and so do files that are sent piece by piece."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if request.method != "GET" or response.streaming or _holds_secret(request):
            return response
        if not TEXTS.match(response.headers.get("Content-Type", "")):
            return response
        return super().process_response(request, response)


def _holds_secret(request: HttpRequest) -> bool:
    place = request.resolver_match
    named = place is not None and place.url_name in SECRET
    return named or request.path_info.startswith(OWN_PAGES)
