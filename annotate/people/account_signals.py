"""Record account events of Django and allauth in the audit log; delete expired sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as factors
from allauth.socialaccount import signals as single_sign_on
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.contrib.sessions.models import Session
from django.db import transaction
from django.dispatch import Signal, receiver

from annotate.models import SharedCount, User
from annotate.people.signing_in import accounts_called
from annotate.web import audit
from annotate.work import jobs

account.user_signed_up.connect(
    lambda sender, user, **_: audit.note_account(user), weak=False, dispatch_uid="audit-account"
)

RECORDED: tuple[tuple[Signal, str], ...] = (
    (user_logged_in, "signed-in"),
    (user_logged_out, "signed-out"),
    (account.password_changed, "password-changed"),
    (account.password_set, "password-changed"),
    (account.password_reset, "password-changed"),
    (account.email_added, "address-changed"),
    (account.email_removed, "address-changed"),
    (account.email_changed, "address-changed"),
    (factors.authenticator_added, "factor-added"),
    (factors.authenticator_removed, "factor-removed"),
    (factors.authenticator_reset, "factor-added"),
)


def _recorder(act: str) -> Any:
    def record(sender: Any, user: User | None = None, **_: object) -> None:
        if user is not None:  # None: signing out without being signed in
            audit.note(act, user, by=user)

    return record


for _signal, _act in RECORDED:
    _signal.connect(_recorder(_act), weak=False, dispatch_uid=f"audit-{_act}-{id(_signal)}")


@receiver(single_sign_on.social_account_added)
def record_connected(sender: Any, sociallogin: SocialLogin, **_: object) -> None:
    audit.note("sso-connected", sociallogin.user, by=sociallogin.user)


@receiver(single_sign_on.social_account_removed)
def record_disconnected(sender: Any, socialaccount: SocialAccount, **_: object) -> None:
    audit.note("sso-disconnected", socialaccount.user, by=socialaccount.user)


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]
    """Also record the browsers that a user signs out."""

    def end_sessions(self, sessions: Sequence[UserSession]) -> None:
        with transaction.atomic():
            super().end_sessions(sessions)
            if sessions:
                user = sessions[0].user
                audit.note("sessions-ended", user, by=user, sessions=len(sessions))


@receiver(user_login_failed)
def record_failure(sender: Any, credentials: dict[str, Any], **_: object) -> None:
    """Record the account, not the typed name: people type passwords into the name's field."""
    name = str(credentials.get("username") or credentials.get("email") or "").strip()
    tried = User.objects.filter(pk__in=accounts_called(name)).first()
    audit.note("sign-in-failed", tried, by=tried)


@jobs.swept
def delete_expired(now: datetime) -> None:
    """Delete expired counts and sessions, with the sessions' addresses and browsers."""
    SharedCount.objects.filter(expires__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
