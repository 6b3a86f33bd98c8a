"""Responses for programs: found by the filters of the page, and read one by one."""

from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import AfterSerializer, as_query, key, listed, refuse_invalid, says
from annotate.api.serializers import (
    ClaimSerializer,
    ResponseSerializer,
    SourceSerializer,
    UnitSerializer,
)
from annotate.export.desk import written_claims
from annotate.forms import ResponseFilterForm
from annotate.forms.responses import APART, JUDGED, SHOWN
from annotate.models import Role
from annotate.reading import browsing


class FilterSerializer(AfterSerializer):
    """As on the page of responses."""

    q = serializers.CharField(required=False, allow_blank=True, help_text="Words of both texts.")
    system = key("A system's id.")
    slice = serializers.CharField(required=False, allow_blank=True, help_text="KEY=VALUE")
    show = serializers.ChoiceField(SHOWN, required=False)
    by = key("A judge's id.")
    judged = serializers.ChoiceField(JUDGED, required=False)
    apart = serializers.ChoiceField(APART, required=False)
    low = serializers.FloatField(required=False, min_value=0, max_value=1)
    high = serializers.FloatField(required=False, min_value=0, max_value=1)

    def get_fields(self) -> dict[str, Any]:
        """`label` is another thing of every field."""
        label = serializers.CharField(
            required=False, allow_blank=True, help_text="DIMENSION or DIMENSION:VALUE"
        )
        return {**super().get_fields(), "label": label}


class WholeResponseSerializer(ResponseSerializer):
    """A response with all that belongs to it."""

    references = serializers.JSONField()
    metadata = serializers.JSONField()
    passages = SourceSerializer(many=True)
    units = UnitSerializer(many=True)
    claims = ClaimSerializer(
        many=True, required=False, help_text="Those that people wrote, where there are some."
    )

    class Meta(ResponseSerializer.Meta):
        fields = [
            *ResponseSerializer.Meta.fields,
            "references",
            "metadata",
            "passages",
            "units",
            "claims",
        ]


@says(
    "Responses, 25 at a time, found as on the page.",
    role=Role.VIEWER,
    query=FilterSerializer,
    gives=listed(
        "responses",
        ResponseSerializer,
        total=serializers.IntegerField(help_text="It stops at 10,000; `more` then says so."),
        more=serializers.BooleanField(),
    ),
)
def list_responses(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    after = asked.pop("after", None)
    form = ResponseFilterForm(entered.study, as_query(asked), named=entered.researches)
    refuse_invalid(form)
    filtered = browsing.filtered(entered.study, form.cleaned_data)
    found = browsing.page(filtered, after=after, before=None)
    return {
        "total": found.total,
        "more": found.more,
        "after": found.after,
        "responses": ResponseSerializer(found.responses, many=True).data,
    }


@says(
    "One response with its passages and units, and with the claims that people wrote.",
    role=Role.VIEWER,
    gives=WholeResponseSerializer,
)
def read_response(entered: Access, response_id: int) -> dict[str, Any]:
    row = access.response_of(entered, response_id)
    units = row.units.select_related("source").order_by("pk")
    claims = written_claims(entered.study).filter(unit__response=row)
    told = claims if entered.researches else claims.none()  # they name who wrote them
    written = {"claims": ClaimSerializer(told, many=True).data} if told else {}
    return {
        **ResponseSerializer(row).data,
        "references": row.question.references,
        "metadata": row.metadata,
        "passages": SourceSerializer(row.sources.select_related("passage"), many=True).data,
        "units": UnitSerializer(units, many=True).data,
        **written,
    }
