"""Sign-in: allauth's hooks, and limits that slow guessing without locking the owner out.

Wrong passwords are counted by account and place. The place is the visitor's address or, after an
earlier sign-in to the account, the browser with its signed cookie. A guesser has five tries at an
address; the owner has five other tries at another address, or in a known browser. Two wider limits
count one account from many addresses, and many accounts from one address; known browsers are exempt
from both. A try is counted before the password is checked and given back if it was right, under a
lock that all web processes share: sixty simultaneous tries are also only five.
"""

import logging
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from annotate.models import User
from annotate.people.rate_limits import (
    CountedTry,
    Limit,
    address_of,
    count_try,
    give_back,
    network_of,
)

log = logging.getLogger(__name__)

BY_PLACE = Limit(5, seconds=5 * 60), Limit(30, seconds=60 * 60)
BY_ACCOUNT = Limit(50, seconds=60 * 60)
BY_ADDRESS = Limit(50, seconds=15 * 60)

COOKIE = "attest_known"
KNOWN_FOR = timedelta(days=180)
MOST_KNOWN = 10
"""The accounts that a browser's cookie holds, the latest ones."""

_SALT = "annotate.known-browser"
NOWHERE = "0.0.0.0"  # noqa: S104 - for visitors without a known address


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Sign-up, limits of sign-in, and mail that cannot be sent."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        **dict.fromkeys(
            ("username_password_mismatch", "email_password_mismatch"),
            "No account has this name and password. Check both; capitals count in the password.",
        ),
        "too_many_login_attempts": (
            "Too many wrong passwords or codes. Wait at least five minutes and try again."
        ),
        "email_taken": "There is an account with this address. Sign in instead.",
        "incorrect_password": "This is not your present password.",
        "enter_current_password": "This is not your present password.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.ATTEST_OPEN_SIGN_UP)

    def new_user(self, request: HttpRequest) -> User:
        """People who sign up without an invitation are researchers."""
        return User(is_researcher=settings.ATTEST_OPEN_SIGN_UP)

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.name = form.cleaned_data.get("name") or user.name
        super().save_user(request, user, form, commit=commit)
        return user

    def populate_username(self, request: HttpRequest, user: User) -> None:
        """Use the e-mail address as the user name, unless it is taken."""
        room = User._meta.get_field("username").max_length or 0
        taken = User.objects.filter(username__iexact=user.email).exists()
        if not user.username and user.email and len(user.email) <= room and not taken:
            user.username = user.email
        super().populate_username(request, user)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        name = str(credentials.get("username") or credentials.get("email") or "").strip()
        accounts = accounts_called(name)
        account = " ".join(map(str, accounts)) or name.casefold()
        known = known_browser(request, accounts)
        place = known or self.get_client_ip(request)
        limits: list[tuple[str, str, tuple[Limit, ...]]] = [
            ("place", f"{account} {place}", BY_PLACE)
        ]
        if not known:
            limits += [
                ("account", account, (BY_ACCOUNT,)),
                ("address", network_of(request), (BY_ADDRESS,)),
            ]
        self._tries: list[CountedTry] = []
        for name, who, allowed in limits:
            counted = count_try(name, who, *allowed)
            if counted is None:
                raise self.validation_error("too_many_login_attempts")
            self._tries += counted

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            give_back(self._tries)
        return user

    def post_login(self, request: HttpRequest, user: User, **hooks: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **hooks)
        remember_browser(request, user, response)
        return response

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the visitor's address; visitors without one count together."""
        return str(address_of(request) or NOWHERE)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Report mail that cannot be sent, without undoing the change that it announces."""
        if not settings.ATTEST_SENDS_MAIL:
            return
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:
            log.exception("a mail could not be sent (ATTEST_MAIL_URL)")
            fault = "The mail could not be sent. Try again later, or tell your administrator."
            messages.error(self.request, fault)


def accounts_called(name: str) -> list[int]:
    """Return the keys of the accounts with this user name or e-mail address.

    A user name may be another person's address. Tries with both names of an account count together.
    """
    named = User.objects.filter(Q(email__iexact=name) | Q(username__iexact=name))
    return list(named.order_by("pk").values_list("pk", flat=True)[:3]) if name else []


def known_browser(request: HttpRequest, accounts: Collection[int]) -> str:
    """Return the browser's name if one of these accounts signed in there before, or ""."""
    mark, known = _known(request)
    return mark if set(known) & set(accounts) else ""


def remember_browser(request: HttpRequest, user: User, response: HttpResponse) -> None:
    """Store in a signed cookie that this account signed in with the browser."""
    mark, accounts = _known(request)
    accounts = [*(pk for pk in accounts if pk != user.pk), user.pk][-MOST_KNOWN:]
    response.set_cookie(
        COOKIE,
        signing.dumps([mark or secrets.token_urlsafe(12), accounts], salt=_SALT),
        max_age=KNOWN_FOR,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _known(request: HttpRequest) -> tuple[str, list[int]]:
    try:
        mark, accounts = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KNOWN_FOR
        )
    except signing.BadSignature:
        return "", []
    return mark, accounts
