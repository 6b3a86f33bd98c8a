"""The API of a user's own connections. Keys can be written and never read."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms.models import model_to_dict
from django.http import Http404
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import may_own_connections
from annotate.web.api.pagination import pages
from annotate.web.api.queries import refuse_invalid
from annotate.web.api.viewsets import ApiViewSet, ReadMixin
from evaluation.access import connection_of
from evaluation.language_models.connections import remove, save
from evaluation.language_models.forms.connections import ConnectionForm
from evaluation.models import Connection

SAID = ConnectionForm.Meta.fields


class ConnectionSerializer(serializers.ModelSerializer[Connection]):
    """A connection without its key."""

    has_key = serializers.SerializerMethodField()

    class Meta:
        model = Connection
        fields = ["id", *SAID, "has_key"]

    def get_has_key(self, connection: Connection) -> bool:
        return bool(connection.sealed_key)


class NewConnectionSerializer(serializers.ModelSerializer[Connection]):
    """The fields of the page's form."""

    key = serializers.CharField(
        max_length=500,
        required=False,
        allow_blank=True,
        write_only=True,
        help_text="Kept encrypted, sent to that address alone and never told. Where a connection "
        "is changed: left out or empty, the key that is kept.",
    )

    class Meta:
        model = Connection
        fields = [*SAID, "key"]


class ChangedConnectionSerializer(NewConnectionSerializer):
    """All fields but the name, which is part of judges' names."""

    class Meta(NewConnectionSerializer.Meta):
        fields = [name for name in NewConnectionSerializer.Meta.fields if name != "name"]


class ConnectionViewSet(ListModelMixin, ReadMixin, ApiViewSet):
    """Your own connections, without their keys."""

    find = connection_of
    lookup_url_kwarg = "connection_id"
    serializer_class = ConnectionSerializer
    bodies = {"create": NewConnectionSerializer, "partial_update": ChangedConnectionSerializer}
    pagination_class = pages("connections")

    def enter(self, request: Request, **kwargs: Any) -> None:
        user = self.user
        if not may_own_connections(user):
            raise Http404("Nobody makes connections of their own here.")
        if user.came_by is not None and user.came_by.study_id is not None:
            raise PermissionDenied(
                "This token is for one study; connections are yours in all of them."
            )

    def get_queryset(self) -> Any:
        return Connection.objects.filter(owner=self.user)

    def create(self, request: Request, **names: Any) -> Response:
        """Create a connection of your own."""
        return self._save(Connection(owner=self.user))

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change a connection of your own. Omitted fields stay; a new address needs the key
        again."""
        return self._save(self.get_object())

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a connection of your own with its key."""
        remove(self.get_object())
        return self.reply()

    def _save(self, connection: Connection) -> Response:
        sent = model_to_dict(connection, fields=SAID) | self.given()
        form = ConnectionForm(sent, instance=connection)
        refuse_invalid(form)
        return self.reply(save(form.instance, key=form.given_key))
