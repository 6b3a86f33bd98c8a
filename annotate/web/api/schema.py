"""Describe operations in OpenAPI by their docstrings and serializers."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from annotate.web.api.errors import ErrorSerializer
from annotate.web.api.repeating import KEY

ERRORS = dict.fromkeys(("4XX", "5XX"), ErrorSerializer)
"""Error responses of every address."""

IF_MATCH = OpenApiParameter(
    "If-Match",
    location=OpenApiParameter.HEADER,
    description="The `ETag` of what was read: where it was changed since, the answer is 412. "
    "Counts that changed meanwhile do not matter.",
)
ETAG = OpenApiParameter(
    "ETag",
    location=OpenApiParameter.HEADER,
    response=[200],
    description="The version that was read. Send it as `If-Match` to change that and nothing "
    "newer.",
)
READABLE = {"application/yaml": OpenApiTypes.ANY}
"""Types of files that are text. Others are binary."""


class ApiSchema(AutoSchema):
    """One operation of an `ApiViewSet`."""

    view: Any

    def get_description(self) -> str:  # type: ignore[override]
        return " ".join(super().get_description().split())

    def get_summary(self) -> str:
        return self.get_description().partition(". ")[0].rstrip(".")

    def get_tags(self) -> list[str]:
        return [self.view.tag] if self.view.tag else list(super().get_tags())

    def get_request_serializer(self) -> Any:
        return self.view.get_body_class()

    def get_response_serializers(self) -> Any:
        view = self.view
        shape = None if view.success_status == 204 else view.get_serializer_class()
        responses: dict[Any, Any] = {view.success_status: shape}
        if view.media_types:
            kinds = {kind: READABLE.get(kind, OpenApiTypes.BINARY) for kind in view.media_types}
            responses = {(view.success_status, kind): shape for kind, shape in kinds.items()}
        return {**responses, **view.other_responses, **ERRORS}

    def get_override_parameters(self) -> list[Any]:
        view = self.view
        query = view.get_query_class()
        parameters: list[Any] = [query] if query else []
        if view.action == "list" and view.pagination_class is not None:
            parameters.append(view.pagination_class.query)
        parameters += [KEY] * (self.method == "POST")
        parameters += [IF_MATCH] * view.is_edit
        return parameters + [ETAG] * view.is_tagged

    def get_filter_backends(self) -> list[Any]:
        return list(super().get_filter_backends()) if hasattr(self.view, "filterset_class") else []

    def get_paginated_name(self, serializer_name: str) -> str:
        return "".join(map(str.title, self.view.pagination_class.name.split("_"))) + "Page"
