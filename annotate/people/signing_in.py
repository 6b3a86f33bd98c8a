"""Signing in: allauth's hooks, and how guessing is slowed without shutting out the owner.

Wrong passwords are counted for an account and a place: the visitor's address or, where the account
was signed in to before, the browser, which proves that by a signed cookie. Whoever guesses has
five tries there; the owner elsewhere, or at the same address in a known browser, has five of
their own. Beside that stand two wide limits, for many addresses on one account and for one address
on many accounts; known browsers are exempt from both. A try is counted before the password is
looked at and given back when it was right, under a lock that all web processes share: sixty at
once are no more than five.
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
from annotate.people.addresses import address_of, network_of
from annotate.people.rate_limits import CountedTry, Limit, count_try, give_back

log = logging.getLogger(__name__)

BY_PLACE = Limit(5, seconds=5 * 60), Limit(30, seconds=60 * 60)
BY_ACCOUNT = Limit(50, seconds=60 * 60)
BY_ADDRESS = Limit(50, seconds=15 * 60)

COOKIE = "attest_known"
KNOWN_FOR = timedelta(days=180)
MOST_KNOWN = 10
"""How many accounts one browser is known to, the latest."""

_SALT = "annotate.known-browser"
NOWHERE = "0.0.0.0"  # noqa: S104 - for those who come from nowhere that is known


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Who may sign up, what of a visitor is counted, and mail that cannot be sent."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": (
            "No account has this name and password. Check both; capitals count in the password."
        ),
        "email_password_mismatch": (
            "No account has this name and password. Check both; capitals count in the password."
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
        """Whoever signs up by themselves is a researcher: raters come by invitation."""
        return User(is_researcher=settings.ATTEST_OPEN_SIGN_UP)

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.name = form.cleaned_data.get("name") or user.name
        super().save_user(request, user, form, commit=commit)
        return user

    def populate_username(self, request: HttpRequest, user: User) -> None:
        """The address, unless somebody is called that already."""
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
        """Those who cannot be told apart count as one."""
        return str(address_of(request) or NOWHERE)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Mail that cannot be sent is no reason to undo what it tells of."""
        if not settings.ATTEST_SENDS_MAIL:
            return
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:
            log.exception("a mail could not be sent (ATTEST_MAIL_URL)")
            fault = "The mail could not be sent. Try again later, or tell your administrator."
            messages.error(self.request, fault)


def accounts_called(name: str) -> list[int]:
    """The accounts that a typed name may mean: one person's user name may be another's address, and
    two names of one account are no two chances."""
    named = User.objects.filter(Q(email__iexact=name) | Q(username__iexact=name))
    return list(named.order_by("pk").values_list("pk", flat=True)[:3]) if name else []


def known_browser(request: HttpRequest, accounts: Collection[int]) -> str:
    """What the browser is called, where one of these accounts was signed in to before."""
    mark, known = _known(request)
    return mark if set(known) & set(accounts) else ""


def remember_browser(request: HttpRequest, user: User, response: HttpResponse) -> None:
    """Note in the browser, where nobody can forge it, that this account was signed in to there."""
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
