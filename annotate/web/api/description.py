"""The OpenAPI 3.1 document of the API, and the reference page."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from annotate import access
from annotate.web.api import reference


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer attest_…`"""

    target_class = "annotate.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


def anything_may_be_null(result: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """Replace “anything or null” by “anything” in the schema, as a hook named in the settings.

    With `oneOf`, null would match both and be invalid.
    """
    return {name: _plain(value) for name, value in result.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        twice = {} in (value.get("oneOf") or [])
        return {name: _plain(one) for name, one in value.items() if not (twice and name == "oneOf")}
    return [_plain(one) for one in value] if isinstance(value, list) else value


@cache
def described() -> dict[str, Any]:
    """Return the OpenAPI document, which is the same for all studies."""
    document: dict[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return document


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI document without sign-in."""
    return JsonResponse(described(), json_dumps_params={"indent": 2})


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the reference page, on which requests can be tried."""
    studies = access.memberships_of(request.user).values_list("study__slug", flat=True)
    context = {"operations": shown(), "studies": studies}
    return render(request, "api/page.html", context)


@cache
def shown() -> SafeString:
    """Return the operations as HTML, the same for everybody."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            described_operation = reference.of(operation, described())
            [tag] = operation["tags"]
            groups.setdefault(tag, []).append(
                {"path": path, "method": method.upper(), **described_operation}
            )
    return SafeString(render_to_string("api/operations.html", {"groups": groups}))
