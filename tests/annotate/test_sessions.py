"""Where one is signed in: listed, ended one by one or all but this, and forgotten."""

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.models import Participant, SharedCount, User
from annotate.people import account_signals
from tests.conftest import PASSWORD


def signed_in_by(browser, name="alice"):
    client = Client(headers={"user-agent": browser})
    client.post(reverse("account_login"), {"login": name, "password": PASSWORD})
    return client


def is_in(client):
    return client.get(reverse("account")).status_code == 200


def test_ones_own_sessions_are_listed_and_ended(alice, bob):
    client, others = signed_in_by("Desk/1.0"), [signed_in_by(f"Pocket/{n}") for n in range(3)]
    bobs = signed_in_by("Other/3.0", "bob")
    page = client.get(reverse("usersessions_list")).content.decode()
    for shown in ("Desk/1.0", "Pocket/2", "127.0.0.1"):
        assert shown in page
    assert "Other/3.0" not in page
    session = UserSession.objects.get(user=bob)
    assert client.post(reverse("session-end", args=[session.pk])).status_code == 404
    pocket = UserSession.objects.get(user_agent="Pocket/0")
    client.post(reverse("session-end", args=[pocket.pk]))
    assert [is_in(one) for one in (client, bobs, *others)] == [True, True, False, True, True]
    client.post(reverse("usersessions_list"))
    assert [is_in(one) for one in (client, bobs, *others)] == [True, True, False, False, False]


def test_what_is_over_is_forgotten(alice):
    here, there = signed_in_by("Desk/1.0"), signed_in_by("Pocket/2.0")
    there.post(reverse("account_logout"))
    now = timezone.now()
    account_signals.delete_expired(now)
    assert [one.user_agent for one in UserSession.objects.all()] == ["Desk/1.0"]
    assert is_in(here)
    here.post(reverse("account_reauthenticate"), {"password": "wrong"})
    account_signals.delete_expired(now)
    assert SharedCount.objects.exists()
    account_signals.delete_expired(now + timedelta(days=15))
    for table in (Session, UserSession, SharedCount):
        assert not table.objects.exists()


def test_of_people_from_crowd_platforms_nothing_is_noted(study, signed_in):
    stranger = User(username="crowd-7")
    stranger.set_unusable_password()
    stranger.save()
    Participant.objects.create(study=study, platform="link", external_id="w7", user=stranger)
    client = signed_in(stranger)
    assert SESSION_KEY in client.session
    assert not UserSession.objects.exists()
    for name in (
        "account",
        "account_email",
        "account_set_password",
        "mfa_index",
        "mfa_activate_totp",
        "usersessions_list",
        "socialaccount_connections",
        "tokens",
    ):
        assert client.get(reverse(name)).status_code == 403, name
        assert client.post(reverse(name)).status_code == 403, name
    assert "Your account" not in client.get(reverse("formats")).content.decode()
