"""Second factors: encrypted secrets, and the people who must have one."""

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from annotate import access
from annotate.models import Participant, User
from annotate.web.errors import Refused
from annotate.web.sealing import keeps, opened, sealed

SEALED_FOR = "second factors"
"""The purpose in place of an address, because the secrets are sent nowhere."""

keeps(Authenticator, "data", lambda _: SEALED_FOR, ("secret", "seed"))


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypt the secrets like the keys of connections: the database alone reveals none."""

    def encrypt(self, text: str) -> str:
        return sealed(text, SEALED_FOR)

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return opened(encrypted_text, SEALED_FOR)
        except Refused:
            raise PermissionDenied(
                "Your second factor was encrypted with a secret that this server no longer has. "
                "Ask your administrator to remove it."
            ) from None

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        return f"Passkey {Authenticator.objects.filter(user=user, type=type).count() + 1}"


def must_add_one(request: HttpRequest) -> bool:
    """Whether a user must add a second factor first (ATTEST_SECOND_FACTOR_FOR).

    With single sign-on, the issuer checks its own second factor.
    """
    user = request.user
    if not isinstance(user, User) or not _is_required(user):
        return False
    if any(one["method"] == "socialaccount" for one in get_authentication_records(request)):
        return False
    strong = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return not Authenticator.objects.filter(user=user, type__in=strong).exists()


def _is_required(user: User) -> bool:
    match settings.ATTEST_SECOND_FACTOR_FOR:
        case "everybody":
            return not Participant.objects.filter(user=user).exists()
        case "researchers":
            return user.is_staff or access.researches(user)
        case "operators":
            return user.is_staff
    return False


def remove_all(user: User) -> None:
    Authenticator.objects.filter(user=user).delete()
