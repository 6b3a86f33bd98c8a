"""A new password for somebody who forgot theirs: by mail, and by an operator's link."""

import re
from datetime import datetime, timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.models import User
from tests.conftest import PASSWORD

NEW = "another plain password"


def ask(client, email):
    return client.post(reverse("account_reset_password"), {"email": email}, follow=True)


def choose(path, password=NEW):
    """Follow a link in a fresh browser; what the page says in the end."""
    client = Client()
    form = client.get(path, follow=True)
    if not form.redirect_chain:
        return form.content.decode()
    sent = {"password1": password, "password2": password}
    return client.post(form.redirect_chain[-1][0], sent, follow=True).content.decode()


def signs_in(name, password):
    client = Client()
    client.post(reverse("account_login"), {"login": name, "password": password})
    return SESSION_KEY in client.session


def link_in(mail):
    (found,) = re.findall(r"http://testserver(/\S+)", mail.body)
    return found


@pytest.mark.parametrize("address", ["alice@example.org", "Alice@Example.ORG"])
def test_link_in_a_mail_gives_a_new_password_once(client, alice, mailoutbox, signed_in, address):
    there = signed_in(alice)
    page = ask(client, address)
    assert "Check your mail" in page.content.decode()
    (mail,) = mailoutbox
    assert mail.to == ["alice@example.org"]
    assert "Your password was changed" in choose(link_in(mail))
    assert there.get(reverse("account")).status_code == 302, "the sessions are over"
    assert "This link no longer works" in choose(link_in(mail), "a third plain password")
    assert signs_in("alice", NEW)
    assert not signs_in("alice", PASSWORD)


def test_old_or_made_up_link_does_not_work(client, alice, mailoutbox, monkeypatch):
    made_up = reverse("account_reset_password_from_key", args=["1", "abc-0123456789abcdef"])
    assert "This link no longer works" in choose(made_up)
    ask(client, "alice@example.org")
    later = datetime.now() + timedelta(days=3, seconds=5)
    monkeypatch.setattr(
        "django.contrib.auth.tokens.PasswordResetTokenGenerator._now", lambda self: later
    )
    assert "This link no longer works" in choose(link_in(mailoutbox[0]))
    assert signs_in("alice", PASSWORD)


def test_the_page_does_not_tell_who_has_an_account(client, alice, mailoutbox):
    known, unknown = ask(client, "alice@example.org"), ask(client, "nobody@example.org")
    token = re.compile(rb"[A-Za-z0-9]{64}")
    assert token.sub(b"", known.content) == token.sub(b"", unknown.content)
    assert [mail.to for mail in mailoutbox] == [["alice@example.org"], ["nobody@example.org"]]


def test_nobodys_mailbox_is_filled(client, alice, mailoutbox):
    for _ in range(30):
        client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    assert len(mailoutbox) == 5
    page = client.post(reverse("account_reset_password"), {"email": "alice@example.org"})
    assert page.status_code == 429
    assert "Too many requests" in page.content.decode()


def test_a_second_factor_is_asked_for_after_a_new_password(client, alice, mailoutbox):
    """Whoever reads somebody's mail alone does not come in."""
    Authenticator.objects.create(user=alice, type="totp", data={"secret": ""})
    ask(client, "alice@example.org")
    choose(link_in(mailoutbox[0]))
    assert not signs_in("alice", NEW)


def test_where_no_mail_is_sent_the_page_says_whom_to_ask(client, alice, settings, mailoutbox):
    settings.ATTEST_SENDS_MAIL = False
    assert (
        "Email is not set up on this server"
        in client.get(reverse("account_reset_password")).content.decode()
    )
    ask(client, "alice@example.org")
    assert not mailoutbox


def test_mail_that_cannot_be_sent(client, alice, settings, caplog):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = ask(client, "alice@example.org")
    assert "The mail could not be sent." in page.content.decode()
    assert "ATTEST_MAIL_URL" in caplog.text


def printed(capsys, *arguments):
    call_command("reset_link", *arguments)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", ["alice", "ALICE@example.org"])
def test_by_an_operators_command(alice, capsys, name):
    link = printed(capsys, name, "--address", "https://attest.example.org/")
    assert link.startswith("https://attest.example.org/account/password/reset/key/")
    assert "Your password was changed" in choose(link.removeprefix("https://attest.example.org"))
    assert signs_in("alice", NEW)


def test_the_command_removes_a_lost_second_factor_only_when_told(alice, capsys):
    Authenticator.objects.create(user=alice, type="totp", data={"secret": ""})
    printed(capsys, "alice")
    assert Authenticator.objects.exists()
    printed(capsys, "alice", "--remove-second-factor")
    assert not Authenticator.objects.exists()


def test_nobody_is_called_so(alice, bob, capsys):
    User.objects.filter(pk=bob.pk).update(username="alice@example.org")
    stranger = User(username="crowd-7")
    stranger.set_unusable_password()
    stranger.save()
    for name in ("nobody", "", "crowd-7"):
        with pytest.raises(CommandError, match="There is no account"):
            call_command("reset_link", name)
    with pytest.raises(CommandError, match="More than one account"):
        call_command("reset_link", "alice@example.org")


def test_by_an_operators_page(alice, bob, signed_in):
    operator = signed_in(bob)
    assert operator.get(reverse("reset-link")).status_code == 403
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    asked = operator.post(reverse("reset-link"), {"name": "alice"})
    assert asked.url.startswith(reverse("account_reauthenticate"))
    operator.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = operator.post(reverse("reset-link"), {"name": "alice"}).content.decode()
    (path,) = re.findall(r"http://testserver(/account/password/reset/key/[^<\s]+)", page)
    assert "Your password was changed" in choose(path)
    refused = operator.post(reverse("reset-link"), {"name": "nobody"})
    assert refused.status_code == 422
    assert "There is no account" in refused.content.decode()


def test_an_account_of_an_operator(db, tmp_path):
    (tmp_path / "password").write_text(PASSWORD)
    call_command(
        "create_account", "o@example.org", "--operator", "--password-file", tmp_path / "password"
    )
    assert User.objects.get().is_staff
