"""Who did what, for programs: a study's record for its owners."""

from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.models import Role
from annotate.reading import audit_log
from annotate.services.audit import ACTS

EntrySerializer = shape(
    "AuditEntry",
    id=serializers.IntegerField(),
    at=serializers.DateTimeField(),
    act=serializers.CharField(),
    user=serializers.CharField(allow_blank=True),
    via=serializers.CharField(allow_blank=True),
    about=serializers.CharField(allow_blank=True),
    details=serializers.DictField(),
)


class WantedEntriesSerializer(PageSerializer):
    act = serializers.ChoiceField(sorted(ACTS), required=False)
    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)


@says(
    "The study's audit log, the newest entries first.",
    role=Role.OWNER,
    query=WantedEntriesSerializer,
    gives=listed("entries", EntrySerializer),
)
def list_audit_log(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(audit_log.filtered(entered.study, asked), asked, newest=True)
    return {
        "entries": [
            {
                "id": one.entry.pk,
                "at": one.entry.at,
                "act": one.entry.act,
                "user": one.user,
                "via": one.entry.via,
                "about": one.entry.about,
                "details": one.entry.details,
            }
            for one in audit_log.told(rows)
        ],
        "after": after,
    }
