"""Share links for programs."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Role, Scope
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import ReadMixin, StudyViewSet
from evaluation.access import link_of
from evaluation.models import ReportLink
from evaluation.report_pages import sharing
from evaluation.report_pages.api.reports import FiltersSerializer, filters_of


class ReportLinkSerializer(serializers.ModelSerializer[ReportLink]):
    over = serializers.SerializerMethodField(help_text="Why it works no more; else empty.")

    class Meta:
        model = ReportLink
        fields = ["id", "purpose", "with_texts", "created_at", "expires_at", "uses", "over"]

    def get_over(self, link: ReportLink) -> str:
        return sharing.why_over(link.study, [link])[0]


class NewLinkSerializer(serializers.Serializer[Any]):
    purpose = serializers.CharField(default="", allow_blank=True, max_length=100)
    days = serializers.IntegerField(default=30, min_value=1, max_value=365)
    with_texts = serializers.BooleanField(
        default=False, help_text="Also share texts of questions, responses and passages."
    )


class NewReportLinkSerializer(serializers.Serializer[Any]):
    path = serializers.CharField(help_text="Without the host.")


class ReportLinkViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The study's share links, the newest first."""

    role = Role.RESEARCHER
    needs = Scope.RUN
    tag = "report"
    find = link_of
    lookup_url_kwarg = "link_id"
    serializer_class = ReportLinkSerializer
    queries = {"create": FiltersSerializer}
    bodies = {"create": NewLinkSerializer}
    answers = {"create": NewReportLinkSerializer}
    counts = ("uses", "over")
    pagination_class = pages("links", newest_first=True)

    def get_queryset(self) -> Any:
        return sharing.links_of(self.study).select_related("study")

    def create(self, request: Request, **names: Any) -> Response:
        """Make a link to the report under the filters of the address. The link is shown once."""
        filters = filters_of(self.study, self.asked())
        secret = sharing.share(self.study, filters, by=self.user, **self.given())
        return self.reply({"path": reverse("shared-report", args=[secret])})

    def destroy(self, request: Request, **names: Any) -> Response:
        """End a share link."""
        sharing.end(self.get_object())
        return self.reply()
