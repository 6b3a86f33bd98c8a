"""What was deleted, for programs: put back, or removed at once."""

from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.models import Removal, User
from annotate.services import deletion

RemovalSerializer = shape(
    "Removal",
    id=serializers.IntegerField(),
    what=serializers.CharField(help_text="study, system or batch"),
    name=serializers.CharField(),
    study=serializers.CharField(help_text="The study's slug."),
    state=serializers.ChoiceField(Removal.State.choices),
    due_at=serializers.DateTimeField(help_text="Until then it can be put back."),
)


def told_removal(removal: Removal) -> dict[str, Any]:
    return {
        "id": removal.pk,
        "what": removal.what,
        "name": str(removal.thing),
        "study": removal.study.slug,
        "state": removal.state,
        "due_at": removal.due_at,
    }


@says(
    "What was deleted and that you may put back.",
    query=PageSerializer,
    gives=listed("deleted", RemovalSerializer),
)
def list_deleted(user: User, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(access.removals_of(user), asked)
    return {"deleted": [told_removal(row) for row in rows], "after": after}


@says("Put back what was deleted. What was at work in it stays cancelled.", status=204)
def put_back(user: User, removal_id: int) -> None:
    deletion.put_back(access.removal_of(user, removal_id))


@says("Remove what was deleted for good, without waiting.", status=204)
def remove_now(user: User, removal_id: int) -> None:
    deletion.remove_now(access.removal_of(user, removal_id))
