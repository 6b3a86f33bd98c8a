"""A study's members: invitation links, roles, leaving; and sign-up by invitation."""

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.models import Invitation, Membership, Participant, Role, Study, User
from annotate.web import audit
from annotate.web.errors import Refused

ADDRESS_CHARS = 150
"""The longest e-mail address, because it is also the user name."""

_SALT = "annotate.invitation"


def invite(
    study: Study,
    *,
    role: Role,
    author: User | None,
    label: str = "",
    max_uses: int | None = None,
    days: int | None = None,
) -> Invitation:
    """Create an invitation link for `days` days and `max_uses` people, or any number of them."""
    if role == Role.OWNER:
        raise Refused("Owners are made from researchers, not by link.")
    lifetime = timedelta(days=days or settings.ATTEST_INVITATION_DAYS)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            study=study,
            role=role,
            label=label,
            max_uses=max_uses,
            expires_at=timezone.now() + lifetime,
            created_by=author,
        )
        audit.note("invited", invitation, by=author, role=role, max_uses=max_uses)
    return invitation


def invitation_code(invitation: Invitation) -> str:
    """Return the signed part of the link, which only this installation can create."""
    return signing.Signer(salt=_SALT).sign(invitation.nonce)


def find_invitation(code: str) -> Invitation | None:
    """Return the invitation of a link in any state, or None if the link is not signed here."""
    try:
        nonce = signing.Signer(salt=_SALT).unsign(code)
    except signing.BadSignature:
        return None
    invitations = Invitation.objects.filter(nonce=nonce, study__deleted_at__isnull=True)
    return invitations.select_related("study").first()


def invitation_fault(invitation: Invitation) -> str:
    """Return why the link no longer works, or ""."""
    if invitation.revoked_at is not None:
        return "This invitation was withdrawn. Ask the study's researchers for a new link."
    if invitation.expires_at <= timezone.now():
        return "This invitation has expired. Ask the study's researchers for a new link."
    if invitation.max_uses is not None and invitation.uses >= invitation.max_uses:
        return "This invitation was used as often as allowed. Ask for a new link."
    return ""


def join(invitation: Invitation, user: User) -> Membership:
    """Add a user to the study. A member who follows a link keeps their role."""
    with transaction.atomic():
        locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
        member = Membership.objects.filter(study_id=locked.study_id, user=user).first()
        if member is not None:
            return member
        if fault := invitation_fault(locked):
            raise Refused(fault)
        if locked.role == Role.RESEARCHER and not user.is_researcher:
            user.is_researcher = True
            user.save(update_fields=["is_researcher"])
        locked.uses += 1
        locked.save(update_fields=["uses"])
        member = Membership.objects.create(
            study_id=locked.study_id, user=user, role=locked.role, invitation=locked
        )
        audit.note("joined", member, by=user, role=locked.role, invitation=locked.pk)
        return member


def sign_up(
    *,
    name: str,
    email: str,
    password: str,
    is_researcher: bool = False,
    is_operator: bool = False,
) -> User:
    """Create an account. The user name is the e-mail address."""
    if len(email) > ADDRESS_CHARS:
        raise Refused(f"An e-mail address has at most {ADDRESS_CHARS} characters here.")
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                username=email.lower(),
                email=email.lower(),
                password=password,
                name=name,
                is_researcher=is_researcher,
                is_staff=is_operator,
            )
            EmailAddress.objects.create(user=user, email=user.email, primary=True)
            audit.note_account(user)
            return user
    except IntegrityError:
        raise Refused("There is an account with this address. Sign in instead.") from None


def come(invitation: Invitation, *, name: str, email: str, password: str) -> Membership:
    """Create an account and its membership, both or none."""
    with transaction.atomic():
        return join(invitation, sign_up(name=name, email=email, password=password))


def revoke(invitation: Invitation) -> None:
    """Revoke a link. People who joined by it stay."""
    if invitation.revoked_at is None:
        invitation.revoked_at = timezone.now()
        with transaction.atomic():
            invitation.save(update_fields=["revoked_at"])
            audit.note("invitation-revoked", invitation)


def change_role(member: Membership, role: Role) -> None:
    """Change a member's role. A study always keeps an owner."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=member.study_id)
        member.refresh_from_db(fields=["role"])
        if Participant.objects.filter(user_id=member.user_id).exists():
            raise Refused("Somebody from a crowd platform stays a rater.")
        if member.role == Role.OWNER and role != Role.OWNER:
            _keep_an_owner(member)
        audit.note("role-changed", member, member=member.user_id, before=member.role, after=role)
        member.role = role
        member.save(update_fields=["role"])


def remove_member(member: Membership) -> None:
    """End a membership. The person's judgments stay, with the judge's name."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=member.study_id)
        member.refresh_from_db(fields=["role"])
        if member.role == Role.OWNER:
            _keep_an_owner(member)
        audit.note("member-removed", member, member=member.user_id, role=member.role)
        member.delete()


def _keep_an_owner(member: Membership) -> None:
    others = Membership.objects.filter(study_id=member.study_id, role=Role.OWNER)
    if not others.exclude(pk=member.pk).exists():
        raise Refused("A study needs an owner. Make somebody else an owner first.")
