"""The systems of a study, for programs."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.exchange import deletion
from annotate.models import Role, System
from annotate.studies import lifecycle as studies
from annotate.studies.api.removals import RemovalSerializer
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import ReadMixin, StudyViewSet


class SystemSerializer(serializers.ModelSerializer[System]):
    class Meta:
        model = System
        fields = ["id", "name", "display_name", "description", "uses_autoais"]


class SystemViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The systems of the study."""

    role = Role.VIEWER
    roles = {"partial_update": Role.RESEARCHER, "destroy": Role.OWNER}
    find = access.system_of
    lookup_url_kwarg = "system_id"
    serializer_class = SystemSerializer
    bodies = {"partial_update": SystemSerializer}
    answers = {"destroy": RemovalSerializer}
    statuses = {"destroy": 200}
    pagination_class = pages("systems")

    def get_queryset(self) -> Any:
        return System.objects.loaded().filter(study=self.study)

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Rename or describe a system, or say that it used the metric itself."""
        system = self.get_object()
        fields = ("name", "display_name", "description", "uses_autoais")
        present = {name: getattr(system, name) for name in fields}
        return self.reply(studies.change_system(system, **present | self.given()))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a system with its responses. For some days it can be put back."""
        return self.reply(deletion.delete_system(self.get_object(), by=self.user))
