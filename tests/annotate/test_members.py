"""Roles, leaving, removing: a study always keeps an owner, and judgments stay."""

from functools import partial

import pytest
from django.urls import reverse

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Judgment, Membership, Role, Unit
from annotate.people import members
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once


def membership(study, user):
    return Membership.objects.get(study=study, user=user)


def role(study, user):
    return membership(study, user).role


def post_role(client, study, user, new):
    path = reverse("member-role", args=["peaks", membership(study, user).pk])
    return client.post(path, {"role": new}, follow=True)


def test_an_owner_changes_roles(study, alice, bob, signed_in):
    page = post_role(signed_in(alice), study, bob, "owner")
    assert "Bob is now owner." in page.content.decode()
    assert role(study, bob) == Role.OWNER
    post_role(signed_in(bob), study, alice, "rater")
    assert role(study, alice) == Role.RATER


def test_the_last_owner_keeps_the_role(study, alice, bob, signed_in):
    client = signed_in(alice)
    remove = reverse("member-remove", args=["peaks", membership(study, alice).pk])
    for page in (
        post_role(client, study, alice, "researcher"),
        post_role(client, study, alice, "rater"),
        client.post(reverse("leave", args=["peaks"]), follow=True),
        client.post(remove, follow=True),
    ):
        assert "A study needs an owner." in page.content.decode()
        assert role(study, alice) == Role.OWNER
    post_role(client, study, bob, "superuser")
    post_role(client, study, bob, "")
    assert role(study, bob) == Role.RESEARCHER


@pytest.mark.parametrize("way", ["leave", "remove"])
def test_whoever_goes_leaves_their_judgments(peaks, alice, rita, signed_in, way):
    judge = judge_of(peaks, rita)
    unit = Unit.objects.get(response=peaks.responses.first(), key="s1")
    record_judgment(judge=judge, unit=unit, dimension="citation_recall", value="no")
    if way == "leave":
        signed_in(rita).post(reverse("leave", args=["peaks"]))
    else:
        path = reverse("member-remove", args=["peaks", membership(peaks, rita).pk])
        page = signed_in(alice).post(path, follow=True)
        assert "Rita is no longer a member. Their judgments stay." in page.content.decode()
    assert not Membership.objects.filter(study=peaks, user=rita).exists()
    assert Judgment.objects.filter(judge=judge, value="no").count() == 1
    assert signed_in(rita).get(reverse("study", args=["peaks"])).status_code == 404


def test_a_role_read_too_early_does_not_take_the_last_owner(study, alice, bob):
    """Bob became an owner, and alice left, after this request had read him as a researcher."""
    early = membership(study, bob)
    members.change_role(membership(study, bob), Role.OWNER)
    members.remove_member(membership(study, alice))
    with pytest.raises(Refused):
        members.change_role(early, Role.RATER)
    with pytest.raises(Refused):
        members.remove_member(early)
    assert role(study, bob) == Role.OWNER


@pytest.mark.django_db(transaction=True)
def test_two_owners_leaving_at_once_leave_one(study, alice, bob):
    members.change_role(membership(study, bob), Role.OWNER)
    both = [membership(study, user) for user in (alice, bob)]
    outcomes = at_once([partial(members.remove_member, member) for member in both])
    assert [type(outcome) for outcome in outcomes].count(Refused) == 1, outcomes
    assert Membership.objects.filter(study=study, role=Role.OWNER).count() == 1
