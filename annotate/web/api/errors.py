"""The API's errors and their format: {"error": {"code", "message", "details"}}."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from drf_spectacular.utils import extend_schema_field
from rest_framework import exceptions, serializers, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate.protocol.written import NotAProtocol
from annotate.web.errors import NoRoom, Refused


class RefusedError(exceptions.APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class NoRoomError(exceptions.APIException):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    default_code = "no_room"


class ChangedError(exceptions.APIException):
    """The object changed since the program read it."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "changed_meanwhile"
    default_detail = "This was changed since you read it. Read it again, and change that."


class TooManyError(exceptions.Throttled):
    """The token's rate limit is used up. The response also has `Retry-After`."""

    default_code = "too_many_requests"
    default_detail = "A token may not make as many requests in a minute."
    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."


@extend_schema_field({})
class AnyField(serializers.JSONField):
    """Any JSON value, including null."""


class FaultSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="A word for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    details = AnyField(help_text="Of `invalid`, what is wrong with each field; else null.")


class ErrorSerializer(serializers.Serializer[Any]):
    """The response to every failed request."""

    error = FaultSerializer()


def one_shape(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for the framework's errors and for `Refused`; None for others."""
    if isinstance(error, NoRoom):
        error = NoRoomError(str(error))
    elif isinstance(error, Refused):
        error = RefusedError(str(error))
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, Http404):
        code, message = "not_found", "There is nothing here, or you are not a member of the study."
    elif isinstance(error, PermissionDenied):
        code, message = (
            "permission_denied",
            str(error) or "Your role in the study does not allow it.",
        )
    elif isinstance(error, exceptions.ValidationError):
        code, message = "invalid", "Some fields cannot be accepted."
    elif isinstance(error, exceptions.APIException):
        code, message = error.default_code, str(error.detail)
    else:
        code, message = "error", str(error)
    details = getattr(error, "details", None)
    if isinstance(error, exceptions.ValidationError):
        details = response.data
    response.data = {"error": _encodable({"code": code, "message": message, "details": details})}
    return response


def _encodable(value: Any) -> Any:
    """Replace lone surrogates in texts that repeat the request, because UTF-8 has none."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_encodable(one) for one in value]
    if isinstance(value, dict):
        return {_encodable(name): _encodable(one) for name, one in value.items()}
    return value


class FaultyError(exceptions.APIException):
    """A faulty dimension or protocol file, with all faults by line and field."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid"
    default_detail = "Some fields cannot be accepted."

    def __init__(self, error: NotAProtocol) -> None:
        super().__init__()
        self.details = [asdict(fault) for fault in error.faults]


@contextmanager
def faults_reported() -> Iterator[None]:
    """Turn `NotAProtocol` into an error of the API."""
    try:
        yield
    except NotAProtocol as error:
        raise FaultyError(error) from None
