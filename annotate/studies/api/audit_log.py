"""The API of a study's audit log, for its owners."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin

from annotate.models import AuditEntry, Role
from annotate.studies import audit_log
from annotate.studies.audit_log import AuditLogFilter
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import StudyViewSet


class AuditEntrySerializer(serializers.Serializer[audit_log.AuditRow]):
    id = serializers.IntegerField(source="entry.pk")
    at = serializers.DateTimeField(source="entry.at")
    act = serializers.CharField(source="entry.act")
    user = serializers.CharField(allow_blank=True)
    via = serializers.CharField(source="entry.via", allow_blank=True)
    about = serializers.CharField(source="entry.about", allow_blank=True)
    details = serializers.DictField(source="entry.details")


class AuditLogViewSet(ListModelMixin, StudyViewSet):
    """The study's audit log, the newest entries first."""

    role = Role.OWNER
    queryset = AuditEntry.objects.none()
    filterset_class = AuditLogFilter
    serializer_class = AuditEntrySerializer
    pagination_class = pages("entries", newest_first=True)

    def get_queryset(self) -> Any:
        return audit_log.entries_of(self.study)

    def paginate_queryset(self, queryset: Any) -> Any:
        return audit_log.rows_of(super().paginate_queryset(queryset) or ())
