"""The one shape of errors that programs get: {"error": {"code", "message", "details"}}."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler


def one_shape(error: Exception, context: dict[str, Any]) -> Response | None:
    """Rewrite every error that the framework knows; others stay server errors."""
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
    response.data = {"error": {"code": code, "message": message, "details": details}}
    return response
