"""Refuse NUL characters, which PostgreSQL cannot store, and hash keys of counters."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.utils.crypto import salted_hmac

FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


def no_nul(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that refuses NUL in queries and in fields of forms, but not in files.

    The API's serializers refuse it field by field, after authentication.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", "") or _has_nul(_form_fields(request)):
            raise BadRequest("A field holds a character that cannot be stored.")
        return get_response(request)

    return respond


def _form_fields(request: HttpRequest) -> QueryDict:
    """Return the fields of a form, which the CSRF check reads in any case."""
    is_form = request.method == "POST" and request.content_type in FORMS
    if not is_form or request.path.startswith("/api/"):
        return QueryDict()
    try:
        return request.POST
    except UnreadablePostError:
        raise BadRequest("The request broke off.") from None


def _has_nul(fields: QueryDict) -> bool:
    return any("\0" in name or any("\0" in v for v in values) for name, values in fields.lists())


def unreadable(key: str, prefix: str, version: int) -> str:
    """Return a digest as the key of a counter.

    Keys contain network addresses and typed names, which may be passwords by mistake.
    """
    return salted_hmac("config.text", f"{prefix}:{version}:{key}", algorithm="sha256").hexdigest()
