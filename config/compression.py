"""Compress pages without secrets.

The size of a compressed page reveals whether it contains a text twice. An attacker who can insert
text into the page could guess a secret in it step by step (BREACH). See docs/security.md.
"""

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from annotate.people.gate import OWN_PAGES

TEXTS = re.compile(r"text/|application/(?:json|javascript|yaml|x-ndjson)|image/svg\+xml")
"""Types that compress well."""

SECRET = frozenset(
    {
        *("members", "join"),  # invitations
        *("batches", "batch", "batch-edit", "batch-new", "admission"),  # links and codes of a crowd
        *("participants", "participants-csv", "participants-mturk"),
        *("crowd", "crowd-done", "crowd-leave"),
        *("personal", "personal-download"),
        *("webhooks", "webhook"),  # the path of an address may be secret
    }
)
"""The names of pages that contain a secret."""


class Compressing(GZipMiddleware):
    """Compress responses to GET, except streamed files.

    Responses to forms may contain a secret, such as a new token, and are not compressed.
    """

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
