"""Pages of lists: `?after=` continues after the previous page, `?limit=` shortens a page."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

MOST_LISTED = 100
MOST_KEY = 2**63 - 1


class AfterSerializer(serializers.Serializer[Any]):
    """Where a page of a list begins."""

    after = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_KEY, help_text="The `after` of the page before."
    )


class PageSerializer(AfterSerializer):
    """Which part of a list is wanted."""

    limit = serializers.IntegerField(
        default=MOST_LISTED,
        min_value=1,
        max_value=MOST_LISTED,
        help_text="Rows on the page, at most.",
    )


class KeyPagination(BasePagination):
    """Pages by the rows' ids, so that new and deleted rows shift nothing. See `pages`."""

    name = ""
    newest_first = False
    query: ClassVar[type[serializers.Serializer[Any]]] = PageSerializer
    more_fields: ClassVar[dict[str, Any]] = {}
    """OpenAPI schemas of the fields in addition to the rows."""

    after: int | None = None

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        query = self.query(data=request.query_params)
        query.is_valid(raise_exception=True)
        return self.cut(queryset, **query.validated_data)

    def cut(self, rows: Any, *, after: int | None = None, limit: int = MOST_LISTED) -> list[Any]:
        """Return the rows of one page, and set `after` to the start of the next one."""
        if after is not None:
            rows = rows.filter(pk__lt=after) if self.newest_first else rows.filter(pk__gt=after)
        found = list(rows.order_by("-pk" if self.newest_first else "pk")[: limit + 1])
        self.after = found[limit - 1].pk if len(found) > limit else None
        return found[:limit]

    def get_paginated_response(self, data: Any, **more: Any) -> Response:
        return Response({self.name: data, **more, "after": self.after})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        after = {
            "type": ["integer", "null"],
            "description": "Where the next page begins; null where there is none.",
        }
        fields = {**self.more_fields, self.name: schema, "after": after}
        return {"type": "object", "properties": fields, "required": [*fields]}


def pages(name: str, *, newest_first: bool = False) -> type[KeyPagination]:
    """Return the pagination of a list whose rows are in the field `name`."""
    return type("Pages", (KeyPagination,), {"name": name, "newest_first": newest_first})
