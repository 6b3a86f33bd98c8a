"""Share links for programs: made, listed, ended."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.models import Role, Scope
from evaluation.access import link_of
from evaluation.api.reports import FiltersSerializer, filters_of
from evaluation.models import ReportLink
from evaluation.reporting import sharing

LinkSerializer = shape(
    "ReportLink",
    id=serializers.IntegerField(),
    purpose=serializers.CharField(allow_blank=True),
    with_texts=serializers.BooleanField(),
    created_at=serializers.DateTimeField(),
    expires_at=serializers.DateTimeField(),
    uses=serializers.IntegerField(),
    over=serializers.CharField(allow_blank=True, help_text="Why it works no more; else empty."),
)


class NewLinkSerializer(serializers.Serializer[Any]):
    purpose = serializers.CharField(default="", allow_blank=True, max_length=100)
    days = serializers.IntegerField(default=30, min_value=1, max_value=365)
    with_texts = serializers.BooleanField(
        default=False, help_text="Words of questions, responses and passages leave the study, too."
    )


@says(
    "The study's share links, the newest first.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("links", LinkSerializer),
    tag="report",
)
def list_report_links(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(sharing.links_of(entered.study), asked, newest=True)
    over = sharing.why_over(entered.study, rows)
    return {"links": [_told(*row) for row in zip(rows, over, strict=True)], "after": after}


def _told(link: ReportLink, over: str) -> dict[str, Any]:
    names = ("id", "purpose", "with_texts", "created_at", "expires_at", "uses")
    return {**{name: getattr(link, name) for name in names}, "over": over}


@says(
    "Make a link to the report under the filters of the address. It is told once.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    query=FiltersSerializer,
    takes=NewLinkSerializer,
    gives=shape("NewReportLink", path=serializers.CharField(help_text="Without the host.")),
    status=201,
    tag="report",
)
def share_report(entered: Access, asked: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    filters = filters_of(entered.study, asked)
    secret = sharing.share(entered.study, filters, by=entered.user, **given)
    return {"path": reverse("shared-report", args=[secret])}


@says(
    "One share link.",
    role=Role.RESEARCHER,
    gives=LinkSerializer,
    counts=("uses", "over"),
    tag="report",
)
def read_report_link(entered: Access, link_id: int) -> dict[str, Any]:
    link = link_of(entered, link_id)
    return _told(link, *sharing.why_over(entered.study, [link]))


@says("End a share link.", role=Role.RESEARCHER, needs=Scope.RUN, status=204, tag="report")
def end_report_link(entered: Access, link_id: int) -> None:
    sharing.end(link_of(entered, link_id))
