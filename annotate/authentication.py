"""The ways to prove who one is: a password in the browser, a token for programs."""

import hashlib
import math
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.db import transaction
from django.db.models import (
    Case,
    F,
    Q,
    Value,
    When,
)
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotate.models import Allowance, ApiToken, Scope, Study, User
from annotate.models.remembered import Remembered
from annotate.models.told import session_told
from annotate.services import audit

if TYPE_CHECKING:  # it asks for this module while it is imported
    from rest_framework.views import APIView


_OPENED = Remembered[bytes](2_000_000, len)
_WHOSE = Remembered[int](10_000, lambda _: 1)


class SessionStore(DatabaseSessions):
    """Sessions as Django keeps them, found in less time."""

    def load(self) -> dict[str, Any]:
        found = session_told(self.session_key, timezone.now()).first()
        if found is None:
            self._session_key = None
            return {}
        return self.decode(found)

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """The same text says the same, so its signature is looked at once."""
        form = self.serializer()
        opened = _OPENED.of(
            session_data, lambda: form.dumps(super(SessionStore, self).decode(session_data))
        )
        found: dict[str, Any] = form.loads(opened)
        return found

    @property
    def person(self) -> int:
        """Whose session it was when this process first read it; 0 where it was nobody's."""
        return _WHOSE.of(self.session_key, lambda: int(self.get(SESSION_KEY, 0)))

    def is_still(self, person: int, data: str | None) -> bool:
        """Whether the session, of which this was read with something else, is this person's."""
        if data is None:
            return False
        if not hasattr(self, "_session_cache"):
            self._session_cache = self.decode(data)
        return bool(self.get(SESSION_KEY) == str(person))


_READ: ContextVar[User | None] = ContextVar("read", default=None)


@contextmanager
def known_already(user: User) -> Iterator[None]:
    """Whoever asks meanwhile whose session it is has this person at hand, read a moment ago."""
    token = _READ.set(user)
    try:
        yield
    finally:
        _READ.reset(token)


class EmailOrUsernameBackend(ModelBackend):
    """Signs in by e-mail address or user name, in any case; allauth asks it, too."""

    def get_user(self, user_id: int) -> User | None:
        """The person of a session, while their account is open."""
        read = _READ.get()
        found = User.objects.filter(pk=user_id).first() if read is None else read
        if found is None or found.pk != user_id:
            return None
        return found if self.user_can_authenticate(found) else None

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
    """Make a token and return its key, which cannot be read again."""
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
    """It no longer works."""
    with transaction.atomic():
        audit.note("token-deleted", token)
        token.delete()


MINUTE = timedelta(minutes=1)


def _counted(token: ApiToken) -> Allowance | None:
    """Note that a token was used, and count that: in one statement, so that web processes count
    together. What is too much is not counted, and moves nothing."""
    now, most = timezone.now(), settings.ATTEST_REQUESTS_PER_MINUTE
    row = ApiToken.objects.filter(pk=token.pk)
    if not most:
        row.update(last_used_at=now)
        return None
    runs = Q(counted_from__gt=now - MINUTE)
    holds = row.filter(~runs | Q(counted__lt=most)).update(
        last_used_at=now,
        counted=Case(When(runs, then=F("counted") + 1), default=1),
        counted_from=Case(When(runs, then=F("counted_from")), default=Value(now)),
    )
    began, before = token.counted_from, token.counted
    if began is None or began <= now - MINUTE:
        began, before = now, 0
    seconds = math.ceil((began + MINUTE - now).total_seconds())
    left = max(0, most - before - 1) if holds else 0
    return Allowance(most, left, seconds, bool(holds))


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
        if token.has_expired:
            raise AuthenticationFailed("This token has expired. Make another under Your account.")
        token.allowance = _counted(token)
        token.user.came_by = token  # which studies it opens: `access.memberships_of`
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class WithinToken(BasePermission):
    """What a token's scopes allow: `read` to read, and to write what the view `needs`. One that
    says nothing needs all of them, so that nothing new is open to the tokens of before."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        writing: Scope = getattr(view, "writing_needs", Scope.ADMIN)
        needed = Scope.READ if request.method in SAFE_METHODS else writing
        self.message = f"This token is for “{token.opens}”; this needs the scope “{needed}”."
        return token.allows(needed)
