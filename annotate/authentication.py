"""Authentication: a password in the browser, a token for programs."""

import hashlib
import math
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotate.models import Allowance, ApiToken, Scope, Study, User
from annotate.web import audit

if TYPE_CHECKING:  # it imports this module
    from rest_framework.views import APIView


class EmailOrUsernameBackend(ModelBackend):
    """Sign in by e-mail address or user name, in any case. allauth uses it also."""

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session, if the account is active."""
        user = User.objects.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None

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


def new_token(
    user: User,
    label: str,
    *,
    scopes: Sequence[str] = (Scope.ADMIN,),
    study: Study | None = None,
    lasts: timedelta | None = None,
) -> str:
    """Create a token and return its key, which is not stored."""
    key = f"attest_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user,
            label=label,
            digest=token_digest(key),
            scopes=list(scopes),
            study=study,
            expires_at=timezone.now() + lasts if lasts else None,
        )
        audit.note("token-made", token, by=user, scopes=list(scopes))
    return key


def delete_token(token: ApiToken) -> None:
    with transaction.atomic():
        audit.note("token-deleted", token)
        token.delete()


MINUTE = timedelta(minutes=1)


def _count_request(token: ApiToken) -> Allowance | None:
    """Count a request in the token's current minute, and return what is left of its limit.

    One SQL statement counts, so all web processes count together. Refused requests do not count.
    """
    now, most = timezone.now(), settings.ATTEST_REQUESTS_PER_MINUTE
    row = ApiToken.objects.filter(pk=token.pk)
    if not most:
        row.update(last_used_at=now)
        return None
    in_minute = Q(counted_from__gt=now - MINUTE)
    allowed = row.filter(~in_minute | Q(counted__lt=most)).update(
        last_used_at=now,
        counted=Case(When(in_minute, then=F("counted") + 1), default=1),
        counted_from=Case(When(in_minute, then=F("counted_from")), default=Value(now)),
    )
    began, before = token.counted_from, token.counted
    if began is None or began <= now - MINUTE:
        began, before = now, 0
    seconds = math.ceil((began + MINUTE - now).total_seconds())
    left = max(0, most - before - 1) if allowed else 0
    return Allowance(most, left, seconds, bool(allowed))


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer attest_…`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = get_authorization_header(request).decode("latin-1").split()
        if not header or header[0].lower() != "bearer":
            return None
        if len(header) != 2:
            raise AuthenticationFailed("Expected one token after Bearer.")
        tokens = ApiToken.objects.select_related("user")
        token = tokens.filter(digest=token_digest(header[1])).first()
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("This token is not known, or was deleted.")
        if token.has_expired:
            raise AuthenticationFailed("This token has expired. Make another under Your account.")
        token.allowance = _count_request(token)
        token.user.came_by = token  # it limits `access.memberships_of`
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class WithinToken(BasePermission):
    """Check a token's scopes: `read` to read, and the view's `writing_needs` to write.

    Without `writing_needs`, a view needs the scope `admin`, so older tokens cannot use new views.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        writing: Scope = getattr(view, "writing_needs", Scope.ADMIN)
        needed = Scope.READ if request.method in SAFE_METHODS else writing
        self.message = f"This token is for “{token.opens}”; this needs the scope “{needed}”."
        return token.allows(needed)
