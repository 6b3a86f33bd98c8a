"""One's own connections for programs: their keys go in, and never out."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms.models import model_to_dict
from django.http import Http404
from rest_framework import serializers

from annotate.access import may_own_connections
from annotate.api.endpoint import PageSerializer, cut, listed, refuse_invalid, says
from annotate.models import User
from evaluation.access import connection_of
from evaluation.forms import ConnectionForm
from evaluation.models import Connection
from evaluation.outside.connections import own_connections, remove, save

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
    """What the page's form has."""

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
    """All but its name, by which judges are named."""

    class Meta(NewConnectionSerializer.Meta):
        fields = [name for name in NewConnectionSerializer.Meta.fields if name != "name"]


def _who_may(user: User) -> User:
    if not may_own_connections(user):
        raise Http404("Nobody makes connections of their own here.")
    if user.came_by is not None and user.came_by.study_id is not None:
        raise PermissionDenied("This token is for one study; connections are yours in all of them.")
    return user


@says(
    "Your own connections, without their keys.",
    query=PageSerializer,
    gives=listed("connections", ConnectionSerializer),
)
def list_connections(user: User, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(own_connections(_who_may(user)), asked)
    return {"connections": ConnectionSerializer(rows, many=True).data, "after": after}


@says(
    "Make a connection of your own.",
    takes=NewConnectionSerializer,
    gives=ConnectionSerializer,
    status=201,
)
def make_connection(user: User, given: dict[str, Any]) -> dict[str, Any]:
    return _kept(Connection(owner=_who_may(user)), given)


@says("One of your connections, without its key.", gives=ConnectionSerializer)
def read_connection(user: User, connection_id: int) -> dict[str, Any]:
    return _told(connection_of(_who_may(user), connection_id))


@says(
    "Change a connection of your own. What is left out stays; to another address the key must be "
    "given again.",
    takes=ChangedConnectionSerializer,
    gives=ConnectionSerializer,
)
def change_connection(user: User, connection_id: int, given: dict[str, Any]) -> dict[str, Any]:
    return _kept(connection_of(_who_may(user), connection_id), given)


@says("Delete a connection of your own, and its key with it.", status=204)
def delete_connection(user: User, connection_id: int) -> None:
    remove(connection_of(_who_may(user), connection_id))


def _kept(connection: Connection, given: dict[str, Any]) -> dict[str, Any]:
    form = ConnectionForm(model_to_dict(connection, fields=SAID) | given, instance=connection)
    refuse_invalid(form)
    return _told(save(form.instance, key=form.given_key))


def _told(connection: Connection) -> dict[str, Any]:
    return dict(ConnectionSerializer(connection).data)
