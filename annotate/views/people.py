"""Who is asking, and telling them what a service refused."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest

from annotate.models import User
from annotate.services.errors import Refused


def signed_in(request: HttpRequest) -> User:
    """The person behind a request that `login_required` let through."""
    if not isinstance(request.user, User):
        raise TypeError("this view needs login_required")
    return request.user


def is_htmx(request: HttpRequest) -> bool:
    """Whether the page's own script asks, for a part of the page."""
    return bool(getattr(request, "htmx", False))


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """A service's refusal becomes a message on the page that the view leads to."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, str(refusal))
