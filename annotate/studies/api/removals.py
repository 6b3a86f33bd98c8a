"""The API of deleted objects: restore them, or remove them at once."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.exchange import deletion
from annotate.models import Removal
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import ApiViewSet, post


class RemovalSerializer(serializers.ModelSerializer[Removal]):
    what = serializers.CharField(help_text="study, system or batch")
    name = serializers.CharField(source="thing")
    study = serializers.CharField(source="study.slug", help_text="The study's slug.")
    due_at = serializers.DateTimeField(help_text="Until then you can restore it.")

    class Meta:
        model = Removal
        fields = ["id", "what", "name", "study", "state", "due_at"]


class RemovalViewSet(ListModelMixin, ApiViewSet):
    """Deleted studies, systems and batches that you may restore."""

    find = access.removal_of
    lookup_url_kwarg = "removal_id"
    serializer_class = RemovalSerializer
    pagination_class = pages("deleted")

    def get_queryset(self) -> Any:
        return access.removals_of(self.user)

    @post(status=204)
    def back(self, request: Request, **names: Any) -> Response:
        """Restore a deleted study, system or batch. Cancelled work stays cancelled."""
        deletion.put_back(self.get_object())
        return self.reply()

    @post(status=204)
    def now(self, request: Request, **names: Any) -> Response:
        """Delete it permanently, without waiting."""
        deletion.remove_now(self.get_object())
        return self.reply()
