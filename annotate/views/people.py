"""Who is asking."""

from django.http import HttpRequest

from annotate.models import User


def signed_in(request: HttpRequest) -> User:
    """The person behind a request that `login_required` let through."""
    if not isinstance(request.user, User):
        raise TypeError("this view needs login_required")
    return request.user
