"""Who takes part, for programs: members, roles, invitation links."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.models import Invitation, Membership, Role
from annotate.services.people import members

INVITED = [(role, role.label) for role in (Role.RATER, Role.VIEWER, Role.RESEARCHER)]

MemberSerializer = shape(
    "Member",
    id=serializers.IntegerField(),
    name=serializers.CharField(),
    username=serializers.CharField(),
    role=serializers.ChoiceField(Role.choices),
)
InvitationSerializer = shape(
    "Invitation",
    id=serializers.IntegerField(),
    role=serializers.ChoiceField(INVITED),
    label=serializers.CharField(allow_blank=True),
    max_uses=serializers.IntegerField(allow_null=True),
    uses=serializers.IntegerField(),
    expires_at=serializers.DateTimeField(),
    path=serializers.CharField(help_text="The link, without the host."),
    fault=serializers.CharField(allow_blank=True, help_text="Why it works no more; else empty."),
)


NewInvitationSerializer = shape(
    "NewInvitation",
    role=serializers.ChoiceField(INVITED, default=Role.RATER),
    label=serializers.CharField(default="", allow_blank=True, max_length=100),
    max_uses=serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=1_000_000
    ),
    days=serializers.IntegerField(required=False, min_value=1, max_value=365),
)


class RoleSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(Role.choices)


def told_member(member: Membership) -> dict[str, Any]:
    user = member.user
    return {"id": member.pk, "name": str(user), "username": user.username, "role": member.role}


def told_invitation(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.pk,
        "role": invitation.role,
        "label": invitation.label,
        "max_uses": invitation.max_uses,
        "uses": invitation.uses,
        "expires_at": invitation.expires_at,
        "path": reverse("join", args=[members.invitation_code(invitation)]),
        "fault": members.invitation_fault(invitation),
    }


@says(
    "The members, but for those who came from a crowd platform.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("members", MemberSerializer),
)
def list_members(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    found = entered.study.memberships.filter(user__participant__isnull=True)
    rows, after = cut(found.select_related("user"), asked)
    return {"members": [told_member(row) for row in rows], "after": after}


@says("One member.", role=Role.RESEARCHER, gives=MemberSerializer)
def read_member(entered: Access, membership_id: int) -> dict[str, Any]:
    return told_member(access.membership_of(entered, membership_id))


@says("Give a member another role.", role=Role.OWNER, takes=RoleSerializer, gives=MemberSerializer)
def change_role(entered: Access, membership_id: int, given: dict[str, Any]) -> dict[str, Any]:
    member = access.membership_of(entered, membership_id)
    members.change_role(member, Role(given.get("role", member.role)))
    return told_member(member)


@says("End a membership. The person's judgments stay.", role=Role.OWNER, status=204)
def remove_member(entered: Access, membership_id: int) -> None:
    members.remove_member(access.membership_of(entered, membership_id))


@says(
    "The invitation links, the newest first.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("invitations", InvitationSerializer),
)
def list_invitations(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(entered.study.invitations.all(), asked, newest=True)
    return {"invitations": [told_invitation(row) for row in rows], "after": after}


@says(
    "Make a link by which people become members.",
    role=Role.RESEARCHER,
    takes=NewInvitationSerializer,
    gives=InvitationSerializer,
    status=201,
)
def invite(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    options = {"days": settings.ATTEST_INVITATION_DAYS, **given, "role": Role(given["role"])}
    return told_invitation(members.invite(entered.study, author=entered.user, **options))


@says(
    "One invitation link.",
    role=Role.RESEARCHER,
    gives=InvitationSerializer,
    counts=("uses", "fault"),
)
def read_invitation(entered: Access, invitation_id: int) -> dict[str, Any]:
    return told_invitation(access.invitation_of(entered, invitation_id))


@says("End a link. Who came by it stays a member.", role=Role.RESEARCHER, status=204)
def revoke_invitation(entered: Access, invitation_id: int) -> None:
    members.revoke(access.invitation_of(entered, invitation_id))
