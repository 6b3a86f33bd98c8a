"""The ways to prove who one is: a password in the browser, a token for programs."""

import hashlib
import secrets
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotate.models import ApiToken, User


class EmailOrUsernameBackend(ModelBackend):
    """Signs in by e-mail address or user name, in any case."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        if not username or password is None:
            return None
        # One person's user name may be another's address, so the password decides.
        named = User.objects.filter(Q(email__iexact=username) | Q(username__iexact=username))
        users = list(named.order_by("pk")[:3])
        if not users:
            User().set_password(password)  # takes as long as a real check would
        for user in users:
            if user.check_password(password) and self.user_can_authenticate(user):
                return user
        return None


def token_digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def new_token(user: User, label: str) -> str:
    """Make a token and return its key, which cannot be read again."""
    key = f"attest_{secrets.token_urlsafe(32)}"
    ApiToken.objects.create(user=user, label=label, digest=token_digest(key))
    return key


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer attest_…`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = get_authorization_header(request).decode("latin-1").split()
        if not header or header[0].lower() != "bearer":
            return None
        if len(header) != 2:
            raise AuthenticationFailed("Expected one token after Bearer.")
        token = (
            ApiToken.objects.select_related("user").filter(digest=token_digest(header[1])).first()
        )
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("This token is not known, or was deleted.")
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=timezone.now())
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
