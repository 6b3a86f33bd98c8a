"""Single sign-on: whom an issuer's word lets in, and as what."""

from collections.abc import Mapping
from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from annotate.models import User
from annotate.web import audit

NAME_CHARS = 100


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The operator named the issuer, so whom it knows may come in."""

    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "email_taken": (
            "An account has this address. Sign in to it with its password, and connect %s under "
            "Your account."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return True

    def new_user(self, request: HttpRequest, sociallogin: SocialLogin) -> User:
        return User()

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: Mapping[str, Any]
    ) -> User:
        user: User = super().populate_user(request, sociallogin, {"email": data.get("email")})
        user.name = str(data.get("name") or "")[:NAME_CHARS]
        return user

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """The account that has an address, where both the issuer and we know that it is theirs.

        An address that was only typed here may be anybody's: whoever typed it could have left a
        password, a passkey or a token behind, and waited for its owner to come by the issuer.
        """
        for claimed in sociallogin.email_addresses:
            ours = EmailAddress.objects.filter(email__iexact=claimed.email, verified=True)
            found = ours.select_related("user").first() if claimed.verified is True else None
            if found is not None and found.user.is_active:
                return found.user, found.email
        return None

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Roles follow the issuer at each sign-in; a new account gets them before it is saved."""
        if sociallogin.state.get("process") == "connect":
            return
        fields = take_roles(sociallogin.user, claims_of(sociallogin))
        if fields and sociallogin.is_existing:
            user = sociallogin.user
            with transaction.atomic():
                user.save(update_fields=fields)
                changed = {field: getattr(user, field) for field in fields}
                audit.note("account-changed", user, by=user, **changed)


def claims_of(sociallogin: SocialLogin) -> dict[str, Any]:
    """What the issuer says of somebody, in the token and when asked."""
    said = sociallogin.account.extra_data
    return {**(said.get("id_token") or {}), **(said.get("userinfo") or {})}


def take_roles(user: User, claims: Mapping[str, Any]) -> list[str]:
    """Give and take the roles that groups stand for; says which fields changed.

    A role without groups in the settings is left as it is. Who may research stays a member of the
    studies that they are in.
    """
    given = claims.get(settings.ATTEST_SSO_GROUPS_CLAIM) or []
    groups = {given} if isinstance(given, str) else {str(group) for group in given}
    operates = bool(groups & set(settings.ATTEST_SSO_OPERATORS))
    roles = {
        "is_staff": (settings.ATTEST_SSO_OPERATORS, operates),
        "is_researcher": (
            settings.ATTEST_SSO_RESEARCHERS,
            operates or bool(groups & set(settings.ATTEST_SSO_RESEARCHERS)),
        ),
    }
    changed = []
    for field, (mapped, has_role) in roles.items():
        if mapped and getattr(user, field) != has_role:
            setattr(user, field, has_role)
            changed.append(field)
    return changed
