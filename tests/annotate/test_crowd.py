"""People from crowd platforms: arriving, coming back; nothing personal kept."""

from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.models import (
    Assignment,
    Batch,
    Enrolment,
    Membership,
    Participant,
    Role,
    User,
)
from annotate.people import crowd, members
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.crowd import (
    MTURK,
    PROLIFIC,
    arrive,
    come,
    link,
    open_batch,
    page,
    same_browser,
    signed_in_as,
    text_of,
)
from tests.annotate.desk import claim, do_next

# The link ----------------------------------------------------------------------------------------


def test_the_link_is_signed_and_is_no_invitation(peaks, alice):
    batch = open_batch(peaks)
    assert crowd.find_batch(crowd.batch_code(batch)) == batch
    assert crowd.find_batch(f"{batch.nonce}:made-up") is None
    assert Client().get(reverse("crowd", args=["made-up"])).status_code == 404
    invitation = members.invite(peaks, role=Role.RATER, author=alice)
    Batch.objects.filter(pk=batch.pk).update(nonce=invitation.nonce)
    assert crowd.find_batch(members.invitation_code(invitation)) is None


# Arriving ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (PROLIFIC, ("prolific", "5z3a", "se1", "st1")),
        (MTURK, ("mturk", "A1B2", "as1", "hi1")),
        ({"worker": " w7 "}, ("link", "w7", "", "")),
    ],
)
def test_each_platform_says_who_comes(peaks, sent, kept):
    batch = open_batch(peaks)
    client = come(batch, sent)
    enrolment = Enrolment.objects.get()
    who = enrolment.participant
    assert (who.platform, who.external_id, enrolment.session, enrolment.project) == kept
    assert signed_in_as(client) == who.user
    assert page("desk", batch, client).status_code == 200


def test_nothing_personal_is_kept(peaks):
    come(open_batch(peaks), PROLIFIC | {"name": "Eve", "email": "eve@example.org"})
    user = Participant.objects.get().user
    assert (user.name, user.email, user.is_researcher) == ("", "", False)
    assert user.username.startswith("crowd-")
    assert PROLIFIC["PROLIFIC_PID"] not in user.username
    assert not user.has_usable_password()
    kept = {field.name for field in Participant._meta.concrete_fields}
    assert kept == {"id", "study", "platform", "external_id", "user", "browser", "created_at"}


def test_looking_previews_and_wrong_ids_make_nobody(peaks):
    batch, client = open_batch(peaks), Client()
    answered = client.get(link(batch), PROLIFIC)
    assert answered.status_code == 200
    assert "5z3a" in text_of(answered)
    assert "_auth_user_id" not in client.session
    for sent in (
        MTURK | {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"},
        {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}", "SESSION_ID": "{{%SESSION_ID%}}"},
    ):
        answered = client.get(link(batch), sent)
        assert "This is a preview" in text_of(answered)
        assert '<button type="submit" class="primary">' not in text_of(answered)
        client.post(link(batch), sent)
    assert 'name="worker"' in text_of(client.get(link(batch)))
    answered = client.post(link(batch), {"worker": "   "})
    assert answered.status_code == 422
    assert "missing" in text_of(answered)
    for worker in ("x" * 201, "mine\nanother's"):  # in a list for approval it would be two
        assert client.post(link(batch), {"worker": worker}).status_code == 422
    assert not Participant.objects.exists()
    assert not User.objects.filter(username__startswith="crowd-").exists()


def test_consent_is_asked_for_once(peaks):
    batch = open_batch(peaks, consent="We study **citations**.")
    client = Client()
    html = text_of(client.get(link(batch), PROLIFIC))
    assert "<strong>citations</strong>" in html
    assert "I agree" in html
    refused = client.post(link(batch), PROLIFIC)
    assert refused.status_code == 422
    assert "Agree to take part first" in text_of(refused)
    assert not Participant.objects.exists()
    began = come(batch, PROLIFIC, consent="1")
    when = Enrolment.objects.get().consented_at
    assert when is not None
    again = same_browser(began)
    html = text_of(again.get(link(batch), PROLIFIC))
    assert "Welcome back" in html
    assert "citations</strong>" not in html
    come(batch, PROLIFIC, client=again)
    assert Enrolment.objects.get().consented_at == when


def test_the_same_person_goes_on_with_what_they_began(peaks):
    batch = open_batch(peaks)
    began = come(batch)
    judge = judge_of(peaks, signed_in_as(began))
    begun = claim(batch, judge)
    client = come(batch, PROLIFIC | {"SESSION_ID": "se2"}, client=same_browser(began))
    assert judge_of(peaks, signed_in_as(client)) == judge
    assert claim(batch, judge) == begun
    enrolment = Enrolment.objects.get()
    assert enrolment.session == "se2"
    assert enrolment.project == "st1"
    assert User.objects.filter(username__startswith="crowd-").count() == 1


def test_one_person_per_platform_and_study_with_a_part_per_batch(peaks, elsewhere):
    one, two = open_batch(peaks), open_batch(peaks, "Other")
    first, second = arrive(one), arrive(two)
    assert first.participant == second.participant
    assert first != second
    assert Membership.objects.filter(user=first.participant.user).count() == 1
    there = arrive(open_batch(elsewhere)).participant
    other = crowd.arrive(one, platform="mturk", external_id="5z3a").participant
    assert len({first.participant.user_id, there.user_id, other.user_id}) == 3


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_arrivals_at_once_are_one_person(peaks):
    batch = open_batch(peaks)
    outcomes = at_once([partial(arrive, batch)] * 4)
    assert {type(outcome) for outcome in outcomes} == {Enrolment}, outcomes
    assert Participant.objects.count() == Enrolment.objects.count() == 1
    assert User.objects.filter(username__startswith="crowd-").count() == 1
    assert Membership.objects.filter(user__username__startswith="crowd-").count() == 1


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_different_people_at_once_are_different_raters(peaks):
    batch = open_batch(peaks)

    def come_and_claim(external_id):
        return claim(batch, crowd.judge_behind(arrive(batch, external_id)))

    outcomes = at_once([partial(come_and_claim, f"p{n}") for n in range(4)])
    assert {type(outcome) for outcome in outcomes} == {Assignment}, outcomes
    assert len({outcome.judge.name for outcome in outcomes}) == 4


# Who is signed in already ------------------------------------------------------------------------


def test_a_researcher_who_tries_the_link_stays_who_they_are(peaks, bob, oscar, signed_in):
    batch, client = open_batch(peaks), signed_in(bob)
    preview = reverse("batch-preview", args=["peaks", batch.pk])
    html = text_of(client.get(link(batch), PROLIFIC))
    assert "You are signed in as <strong><bdi>Bob</bdi></strong>" in html
    assert preview in html
    outsider = text_of(signed_in(oscar).get(link(batch), PROLIFIC))
    assert "Oscar" in outsider
    assert preview not in outsider
    assert client.post(link(batch), PROLIFIC).status_code == 200
    assert signed_in_as(client) == bob
    assert not Participant.objects.exists()
    answered = client.post(link(batch), PROLIFIC | {"sign_out": "1"}, follow=True)
    assert "_auth_user_id" not in client.session
    assert "5z3a" in text_of(answered)
    come(batch, PROLIFIC, client=client)


# Not now -----------------------------------------------------------------------------------------


def test_a_batch_that_takes_nobody_says_why_and_what_to_do(peaks):
    closed: list[tuple[dict[str, Any], str]] = [
        ({"state": Batch.State.DRAFT}, "not open yet"),
        ({"state": Batch.State.CLOSED}, "closed"),
        ({"audience": Batch.Audience.MEMBERS}, "not open to people who come by a link"),
    ]
    for change, why in closed:
        batch = open_batch(peaks, f"Crowd {why}", **change)
        answered = Client().get(link(batch), PROLIFIC)
        assert answered.status_code == 410
        assert why in text_of(answered)
        assert "return the submission" in text_of(answered)
        assert Client().post(link(batch), PROLIFIC).status_code == 410
    assert not Participant.objects.exists()


def test_full_or_closed_batch_lets_its_own_back(peaks):
    batch = open_batch(peaks, raters_per_item=1)
    client = come(batch)
    html = text_of(client.get(link(batch)))
    assert "Welcome back" in html
    assert 'name="worker"' not in html
    judge = judge_of(peaks, signed_in_as(client))
    for _ in range(2):
        do_next(batch, judge)
    answered = Client().get(link(batch), {"PROLIFIC_PID": "late"})
    assert answered.status_code == 410
    assert "All places" in text_of(answered)
    with pytest.raises(Refused, match="All places"):
        arrive(batch, "late")
    again = come(batch, client=same_browser(client))
    batch.state = Batch.State.CLOSED
    batch.save()
    last = come(batch, client=same_browser(again))
    assert "C0DE" in text_of(page("crowd-done", batch, last))
