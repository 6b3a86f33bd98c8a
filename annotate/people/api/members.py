"""The API of members, roles and invitation links."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.models import Invitation, Membership, Role
from annotate.people import members
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import ReadMixin, StudyViewSet

INVITED = [(role, role.label) for role in (Role.RATER, Role.VIEWER, Role.RESEARCHER)]


class MemberSerializer(serializers.ModelSerializer[Membership]):
    name = serializers.CharField(source="user", read_only=True)
    username = serializers.CharField(source="user.username", read_only=True)

    class Meta:
        model = Membership
        fields = ["id", "name", "username", "role"]


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    path = serializers.SerializerMethodField(help_text="The link, without the host.")
    fault = serializers.SerializerMethodField(help_text="Why it no longer works; otherwise empty.")

    class Meta:
        model = Invitation
        fields = ["id", "role", "label", "max_uses", "uses", "expires_at", "path", "fault"]

    def get_path(self, invitation: Invitation) -> str:
        return reverse("join", args=[members.invitation_code(invitation)])

    def get_fault(self, invitation: Invitation) -> str:
        return members.invitation_fault(invitation)


class NewInvitationSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(INVITED, default=Role.RATER)
    label = serializers.CharField(  # type: ignore[assignment]
        default="", allow_blank=True, max_length=100
    )
    max_uses = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=1_000_000
    )
    days = serializers.IntegerField(required=False, min_value=1, max_value=365)


class RoleSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(Role.choices)


class MemberViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """List the members, except those from crowd platforms."""

    role = Role.RESEARCHER
    roles = {"partial_update": Role.OWNER, "destroy": Role.OWNER}
    find = access.membership_of
    lookup_url_kwarg = "membership_id"
    serializer_class = MemberSerializer
    bodies = {"partial_update": RoleSerializer}
    pagination_class = pages("members")

    def get_queryset(self) -> Any:
        found = self.study.memberships.filter(user__participant__isnull=True)
        return found.select_related("user")

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Give a member another role."""
        member = self.get_object()
        members.change_role(member, Role(self.given().get("role", member.role)))
        return self.reply(member)

    def destroy(self, request: Request, **names: Any) -> Response:
        """End a membership. The person's judgments stay."""
        members.remove_member(self.get_object())
        return self.reply()


class InvitationViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The invitation links, the newest first."""

    role = Role.RESEARCHER
    find = access.invitation_of
    lookup_url_kwarg = "invitation_id"
    serializer_class = InvitationSerializer
    bodies = {"create": NewInvitationSerializer}
    counts = ("uses", "fault")
    pagination_class = pages("invitations", newest_first=True)

    def get_queryset(self) -> Any:
        return self.study.invitations.all()

    def create(self, request: Request, **names: Any) -> Response:
        """Create a link by which people become members."""
        options = {"days": settings.ATTEST_INVITATION_DAYS, **self.given()}
        options["role"] = Role(options["role"])
        return self.reply(members.invite(self.study, author=self.user, **options))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Revoke a link. People who joined by it stay members."""
        members.revoke(self.get_object())
        return self.reply()
