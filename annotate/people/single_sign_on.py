"""Single sign-on: accounts and roles from an issuer's claims."""

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
    """Admit everybody whom the operator's issuer knows."""

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
        """Return the account with an address that both the issuer and Attest have verified.

        An unverified address here may be anybody's. An attacker could have created the account
        with a password, passkey or token, and waited for the address's owner to sign in.
        """
        for claimed in sociallogin.email_addresses:
            ours = EmailAddress.objects.filter(email__iexact=claimed.email, verified=True)
            found = ours.select_related("user").first() if claimed.verified is True else None
            if found is not None and found.user.is_active:
                return found.user, found.email
        return None

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Set the roles from the issuer at each sign-in, for a new account before it is saved."""
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
    """Return the issuer's claims about a person, from the token and the user info."""
    data = sociallogin.account.extra_data
    return {**(data.get("id_token") or {}), **(data.get("userinfo") or {})}


def take_roles(user: User, claims: Mapping[str, Any]) -> list[str]:
    """Set a user's roles from their groups, and return the changed fields.

    A role without groups in the settings stays as it is. Memberships in studies do not change.
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
