"""Invitation links: who may join by them, how often, until when, and as what."""

import re
from datetime import timedelta
from functools import partial
from urllib.parse import quote

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import SESSION_KEY
from django.core import signing
from django.urls import reverse
from django.utils import timezone

from annotate.models import Invitation, Membership, Role, User
from annotate.people import members
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.conftest import PASSWORD, person


@pytest.fixture
def link(study, alice):
    """Makes an invitation and gives it with its address."""

    def make(role=Role.RATER, **options):
        invitation = members.invite(study, role=role, author=alice, **options)
        return invitation, reverse("join", args=[members.invitation_code(invitation)])

    return make


def role_of(user, study):
    return Membership.objects.get(study=study, user=user).role


NEW = {"name": "Nora", "email": "Nora@Example.org", "password1": PASSWORD}


@pytest.mark.parametrize("role", [Role.RATER, Role.RESEARCHER])
def test_joining_with_a_new_account_gives_the_role_of_the_link(client, study, link, role):
    invitation, path = link(role)
    assert "Peaks and skies" in client.get(path).content.decode()
    answer = client.post(path, {**NEW, "role": "owner", "is_researcher": "on"})
    assert answer.url == reverse("study", args=["peaks"])
    nora = User.objects.get(email="nora@example.org")
    assert client.session[SESSION_KEY] == str(nora.pk)
    assert role_of(nora, study) == role
    assert Membership.objects.get(user=nora).invitation == invitation
    assert nora.is_researcher is (role == Role.RESEARCHER)
    allowed = client.get(reverse("study-new")).status_code
    assert allowed == (200 if nora.is_researcher else 403)


def test_joining_with_the_account_one_has(client, study, link, oscar, signed_in):
    _, path = link()
    assert f"{reverse('account_login')}?next={quote(path)}" in client.get(path).content.decode()
    data = {"login": "oscar", "password": PASSWORD, "next": path}
    assert client.post(reverse("account_login"), data).url == path
    assert "You are signed in as Oscar" in client.get(path).content.decode()
    assert role_of_none(oscar, study)
    assert client.post(path).url == reverse("study", args=["peaks"])
    assert role_of(oscar, study) == Role.RATER


def role_of_none(user, study):
    """Looking at the link alone joins nobody."""
    return not Membership.objects.filter(study=study, user=user).exists()


def test_where_addresses_are_confirmed_the_account_waits_for_that(
    client, study, link, settings, mailoutbox
):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    _, path = link()
    assert client.post(path, NEW).url == reverse("account_email_verification_sent")
    assert SESSION_KEY not in client.session
    (mail,) = mailoutbox
    (confirming,) = re.findall(r"http://testserver(/account/confirm-email/\S+)", mail.body)
    assert "nora@example.org" in client.get(confirming).content.decode()
    client.post(confirming)
    nora = User.objects.get(email="nora@example.org")
    assert EmailAddress.objects.get(user=nora).verified
    client.post(reverse("account_login"), {"login": nora.email, "password": PASSWORD})
    assert client.session[SESSION_KEY] == str(nora.pk)
    assert role_of(nora, study) == Role.RATER


def test_an_address_that_has_an_account_joins_nobody(client, study, link, oscar):
    _, path = link()
    page = client.post(path, {**NEW, "email": "OSCAR@example.org"})
    assert "There is an account with this address. Sign in instead." in page.content.decode()
    assert role_of_none(oscar, study)
    assert SESSION_KEY not in client.session


@pytest.mark.parametrize("role", [Role.RATER, Role.RESEARCHER])
def test_following_a_link_again_keeps_the_role(study, link, alice, bob, rita, signed_in, role):
    invitation, path = link(role)
    for user in (alice, bob, rita):
        before = role_of(user, study)
        assert signed_in(user).post(path).status_code == 302
        assert role_of(user, study) == before
    assert invitation.memberships.count() == 0


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "expired"),
        ({"revoked_at": timezone.now()}, "withdrawn"),
        ({"max_uses": 0}, "used as often as allowed"),
    ],
)
def test_a_link_that_works_no_more(client, study, link, oscar, signed_in, change, complaint):
    invitation, path = link()
    Invitation.objects.filter(pk=invitation.pk).update(**change)
    people = User.objects.count()
    for browser, data in ((client, NEW), (signed_in(oscar), {})):
        page = browser.post(path, data)
        assert page.status_code == 410
        assert complaint in page.content.decode()
        assert browser.get(path).status_code == 410
    assert User.objects.count() == people
    assert role_of_none(oscar, study)
    invitation.refresh_from_db()
    with pytest.raises(Refused, match=complaint):
        members.join(invitation, oscar)


def test_a_link_is_used_up_also_by_somebody_who_was_removed(client, study, link, oscar, signed_in):
    invitation, path = link(max_uses=1)
    assert client.post(path, NEW).status_code == 302
    assert client.post(path).status_code in {302, 410}
    assert signed_in(oscar).post(path).status_code == 410
    assert study.memberships.count() == 4
    members.remove_member(Membership.objects.get(invitation=invitation))
    invitation.refresh_from_db()
    with pytest.raises(Refused, match="used as often as allowed"):
        members.join(invitation, oscar)


def test_a_made_up_link_is_not_found(client, link, settings):
    invitation, path = link()
    for code in (
        *("made-up", "x:y", ":", "{nonce}", "{nonce}:", "{nonce}:AAAA", "{code}x", "x{code}"),
        "{other}",
    ):
        made = code.format(
            nonce=invitation.nonce,
            code=members.invitation_code(invitation),
            other=signing.Signer(salt="another purpose").sign(invitation.nonce),
        )
        address = reverse("join", args=[made])
        assert client.get(address).status_code == 404, code
        assert client.post(address, NEW).status_code == 404
    settings.SECRET_KEY = "the key of another installation, quite as long as this one"
    assert client.get(path).status_code == 404
    assert not User.objects.filter(email="nora@example.org").exists()


def test_making_and_withdrawing_a_link(study, bob, client, signed_in):
    browser = signed_in(bob)
    data = {"role": "rater", "label": "pilot", "max_uses": "2", "days": "5"}
    assert browser.post(reverse("invite", args=["peaks"]), data).status_code == 302
    invitation = Invitation.objects.get()
    assert (invitation.role, invitation.label, invitation.max_uses) == ("rater", "pilot", 2)
    assert invitation.created_by == bob
    days = (invitation.expires_at - timezone.now()) / timedelta(days=1)
    assert days == pytest.approx(5, abs=0.01)
    path = reverse("join", args=[members.invitation_code(invitation)])
    page = browser.get(reverse("members", args=["peaks"])).content.decode()
    assert f"http://testserver{path}" in page
    assert "pilot" in page
    browser.post(reverse("invitation-revoke", args=["peaks", invitation.pk]))
    assert path not in browser.get(reverse("members", args=["peaks"])).content.decode()
    assert client.get(path).status_code == 410


def test_withdrawing_keeps_those_who_came(client, study, link):
    invitation, path = link()
    client.post(path, NEW)
    members.revoke(invitation)
    first = Invitation.objects.get().revoked_at
    members.revoke(Invitation.objects.get())
    assert Invitation.objects.get().revoked_at == first
    assert client.get(reverse("study", args=["peaks"])).status_code == 200


def test_a_link_that_cannot_be_made(study, alice, signed_in):
    client = signed_in(alice)
    for changes in (
        {"role": "owner"},
        {"role": ""},
        {"days": "0"},
        {"days": "366"},
        {"days": "many"},
        {"days": "99999999999999999999"},
        {"max_uses": "0"},
        {"max_uses": "-1"},
        {"max_uses": "1000001"},
        {"max_uses": "99999999999999999999"},
        {"label": "x" * 101},
    ):
        data = {"role": "rater", "days": "3"} | changes
        assert client.post(reverse("invite", args=["peaks"]), data).status_code == 422, changes
    with pytest.raises(Refused, match="not by link"):
        members.invite(study, role=Role.OWNER, author=alice)
    assert not Invitation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_on_a_link_for_one(study, link):
    invitation, _ = link(max_uses=1)
    people = [person(name) for name in ("una", "uli", "udo", "uma")]
    outcomes = at_once([partial(members.join, invitation, user) for user in people])
    joined = [outcome for outcome in outcomes if isinstance(outcome, Membership)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert (len(joined), len(refused)) == (1, 3), outcomes
    assert invitation.memberships.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_double_click_joins_once(study, link, oscar):
    invitation, _ = link()
    outcomes = at_once([partial(members.join, invitation, oscar)] * 3)
    assert len({outcome.pk for outcome in outcomes}) == 1, outcomes
