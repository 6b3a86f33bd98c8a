"""What is not to be stored: the NUL character, which PostgreSQL refuses, and what people typed."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.utils.crypto import salted_hmac

FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


def no_nul(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: a NUL in the address or in a field of a form is refused; files may have any.

    Nobody types one. What programs send is left to the serializers, which refuse it field by
    field, after they have asked whose token it is.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", "") or _has_nul(_sent(request)):
            raise BadRequest("A field holds a character that cannot be stored.")
        return get_response(request)

    return respond


def _sent(request: HttpRequest) -> QueryDict:
    """The fields of a form, which the check against forgery reads in any case."""
    is_form = request.method == "POST" and request.content_type in FORMS
    if not is_form or request.path.startswith("/api/"):
        return QueryDict()
    try:
        return request.POST
    except UnreadablePostError:
        raise BadRequest("The request broke off.") from None


def _has_nul(sent: QueryDict) -> bool:
    return any("\0" in name or any("\0" in v for v in values) for name, values in sent.lists())


def unreadable(key: str, prefix: str, version: int) -> str:
    """What is counted is kept under a digest: people type passwords into the field for the name,
    and nobody's address is to be read off a count."""
    return salted_hmac("config.text", f"{prefix}:{version}:{key}", algorithm="sha256").hexdigest()
