"""The one shape of errors that programs get: {"error": {"code", "message", "details"}}."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from drf_spectacular.utils import extend_schema_field
from rest_framework import exceptions, serializers, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate.web.errors import NoRoom, Refused


class RefusedError(exceptions.APIException):
    """A service's refusal, told to a program."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class NoRoomError(exceptions.APIException):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    default_code = "no_room"


class ChangedError(exceptions.APIException):
    """Somebody else was faster; what they wrote is not written over."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "changed_meanwhile"
    default_detail = "This was changed since you read it. Read it again, and change that."


class TooManyError(exceptions.Throttled):
    """`Retry-After` says so, too."""

    default_code = "too_many_requests"
    default_detail = "A token may not make as many requests in a minute."
    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."


@extend_schema_field({})
class AnyField(serializers.JSONField):
    """Whatever JSON can say, null among it."""


class FaultSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="A word for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    details = AnyField(help_text="Of `invalid`, what is wrong with each field; else null.")


class ErrorSerializer(serializers.Serializer[Any]):
    """What is answered instead, whatever went wrong."""

    error = FaultSerializer()


def one_shape(error: Exception, context: dict[str, Any]) -> Response | None:
    """Rewrite every error that the framework knows, and what services refuse; others stay server
    errors."""
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
    response.data = {"error": _sayable({"code": code, "message": message, "details": details})}
    return response


def _sayable(said: Any) -> Any:
    """What repeats what was sent, without half signs, which no answer can hold."""
    if isinstance(said, str):
        return said.encode("utf-8", "replace").decode("utf-8")
    if isinstance(said, list):
        return [_sayable(one) for one in said]
    if isinstance(said, dict):
        return {_sayable(name): _sayable(one) for name, one in said.items()}
    return said
