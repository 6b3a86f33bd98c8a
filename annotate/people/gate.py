"""Middleware before every page: people without their own account or second factor."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotate.models import Participant
from annotate.people.second_factor import must_add_one
from annotate.web.messages import is_htmx

OWN_PAGES = "/account/"
"""The pages of a user's account: second factors, passwords, tokens."""

LACKS = "You need a second factor here. Add one under Your account."


def before_pages(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse account pages to people from crowd platforms, and require second factors.

    Only the platform's id of these people is stored, so they have no settings. Users who must have
    a second factor are sent to the page that adds one.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(OWN_PAGES) and _is_from_a_platform(request):
            raise PermissionDenied("You take part without an account, so there is nothing to set.")
        asks = settings.ATTEST_SECOND_FACTOR_FOR != "nobody" and not _is_free(request.path)
        if asks and must_add_one(request):
            return _sent_to_add_one(request)
        return get_response(request)

    return respond


def _is_from_a_platform(request: HttpRequest) -> bool:
    signed_in = request.user.is_authenticated
    return signed_in and Participant.objects.filter(user=request.user.pk).exists()


def _is_free(path: str) -> bool:
    """Whether a page works without a second factor: adding one, help, and signing out."""
    free = ("mfa_index", "account_reauthenticate", "account_logout", "healthz", "help")
    return path.startswith(tuple(reverse(name) for name in free))


def _sent_to_add_one(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/") or is_htmx(request) or request.method != "GET":
        raise PermissionDenied(LACKS)
    messages.warning(request, LACKS)
    return redirect("mfa_index")
