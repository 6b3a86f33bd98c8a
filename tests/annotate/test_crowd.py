"""People from crowd platforms: arriving, coming back, the end, leaving; nothing personal kept."""

from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate import access
from annotate.models import (
    Assignment,
    Batch,
    Enrolment,
    Judge,
    Membership,
    Participant,
    User,
)
from annotate.services.errors import Refused
from annotate.services.judgments import judge_of
from annotate.services.people import crowd, members, standing
from annotate.services.rating import answering, assignments, practice
from annotate.services.rating.assignments import WhyNoTask
from tests.annotate.concurrency import at_once
from tests.annotate.desk import WRONG, answer, batch_of, claim, do_next, practice_of, rater

PROLIFIC = {"PROLIFIC_PID": "5f3a", "STUDY_ID": "st1", "SESSION_ID": "se1"}
MTURK = {"workerId": "A1B2", "assignmentId": "as1", "hitId": "hi1"}


def open_batch(study, name="Crowd", **more):
    terms = {"audience": Batch.Audience.LINK, "completion_code": "C0DE", "raters_per_item": 2}
    return batch_of(study, name, **terms | more)


def link(batch):
    return reverse("crowd", args=[crowd.batch_code(batch)])


def arrive(batch, external_id="5f3a", **more):
    return crowd.arrive(batch, platform="prolific", external_id=external_id, **more)


def come(batch, sent=PROLIFIC, client=None, **more):
    """Follow the link and press start; the browser that did it."""
    client = client or Client()
    client.get(link(batch), sent)
    answered = client.post(link(batch), sent | more)
    assert answered.status_code == 302, answered.content.decode()
    return client


def signed_in_as(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def page(name, batch, client, *, method="get"):
    return getattr(client, method)(reverse(name, args=["peaks", batch.pk]), follow=True)


def text_of(answered):
    return answered.content.decode()


# The link ----------------------------------------------------------------------------------------


def test_the_link_is_signed(peaks):
    batch = open_batch(peaks)
    assert crowd.find_batch(crowd.batch_code(batch)) == batch
    assert crowd.find_batch(f"{batch.nonce}:made-up") is None
    assert Client().get(reverse("crowd", args=["made-up"])).status_code == 404


def test_an_invitation_is_no_batch_link(peaks, alice):
    """The two are signed apart, so that neither stands for the other."""
    from annotate.models import Role

    invitation = members.invite(peaks, role=Role.RATER, author=alice)
    batch = open_batch(peaks)
    Batch.objects.filter(pk=batch.pk).update(nonce=invitation.nonce)
    assert crowd.find_batch(members.invitation_code(invitation)) is None


# Arriving ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (PROLIFIC, ("prolific", "5f3a", "se1", "st1")),
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
    assert kept == {"id", "study", "platform", "external_id", "user", "created_at"}


def test_looking_makes_nobody(peaks):
    client = Client()
    answered = client.get(link(open_batch(peaks)), PROLIFIC)
    assert answered.status_code == 200
    assert "5f3a" in text_of(answered)
    assert not Participant.objects.exists()
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "sent",
    [
        MTURK | {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"},
        {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}", "SESSION_ID": "{{%SESSION_ID%}}"},
    ],
)
def test_a_preview_on_the_platform_makes_nobody(peaks, sent):
    client = Client()
    answered = client.get(link(open_batch(peaks)), sent)
    assert "This is a preview" in text_of(answered)
    assert '<button type="submit" class="primary">' not in text_of(answered)
    client.post(link(Batch.objects.get()), sent)
    assert not User.objects.filter(username__startswith="crowd-").exists()


def test_without_an_id_the_page_asks_for_one(peaks):
    batch, client = open_batch(peaks), Client()
    assert 'name="worker"' in text_of(client.get(link(batch)))
    answered = client.post(link(batch), {"worker": "   "})
    assert answered.status_code == 422
    assert "missing" in text_of(answered)
    assert client.post(link(batch), {"worker": "x" * 201}).status_code == 422
    assert not Participant.objects.exists()


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
    come(batch, PROLIFIC, consent="1")
    when = Enrolment.objects.get().consented_at
    assert when is not None
    again = Client()
    html = text_of(again.get(link(batch), PROLIFIC))
    assert "Welcome back" in html
    assert "citations</strong>" not in html
    come(batch, PROLIFIC, client=again)
    assert Enrolment.objects.get().consented_at == when


def test_the_same_person_goes_on_with_what_they_began(peaks):
    batch = open_batch(peaks)
    judge = judge_of(peaks, signed_in_as(come(batch)))
    begun = claim(batch, judge)
    client = come(batch, PROLIFIC | {"SESSION_ID": "se2"})
    assert judge_of(peaks, signed_in_as(client)) == judge
    assert claim(batch, judge) == begun
    enrolment = Enrolment.objects.get()
    assert enrolment.session == "se2"
    assert enrolment.project == "st1"
    assert User.objects.filter(username__startswith="crowd-").count() == 1


def test_one_rater_per_study_and_one_part_per_batch(peaks):
    one, two = open_batch(peaks), open_batch(peaks, "Other")
    first, second = arrive(one), arrive(two)
    assert first.participant == second.participant
    assert first != second
    assert Membership.objects.filter(user=first.participant.user).count() == 1


def test_the_same_id_elsewhere_is_somebody_else(peaks, elsewhere):
    here = arrive(open_batch(peaks)).participant
    there = arrive(open_batch(elsewhere)).participant
    other = crowd.arrive(
        Batch.objects.get(study=peaks), platform="mturk", external_id="5f3a"
    ).participant
    assert len({here.user_id, there.user_id, other.user_id}) == 3


@pytest.mark.django_db(transaction=True)
def test_two_arrivals_at_once_are_one_person(peaks):
    batch = open_batch(peaks)
    outcomes = at_once([partial(arrive, batch)] * 4)
    assert {type(outcome) for outcome in outcomes} == {Enrolment}, outcomes
    assert Participant.objects.count() == Enrolment.objects.count() == 1
    assert User.objects.filter(username__startswith="crowd-").count() == 1
    assert Membership.objects.filter(user__username__startswith="crowd-").count() == 1


@pytest.mark.django_db(transaction=True)
def test_different_people_at_once_are_different_raters(peaks):
    batch = open_batch(peaks)

    def come_and_claim(external_id):
        return claim(batch, crowd.judge_behind(arrive(batch, external_id)))

    outcomes = at_once([partial(come_and_claim, f"p{n}") for n in range(4)])
    assert {type(outcome) for outcome in outcomes} == {Assignment}, outcomes
    assert len({outcome.judge.name for outcome in outcomes}) == 4


# Who is signed in already ------------------------------------------------------------------------


def test_a_researcher_who_tries_the_link_stays_who_they_are(peaks, bob, signed_in):
    batch, client = open_batch(peaks), signed_in(bob)
    html = text_of(client.get(link(batch), PROLIFIC))
    assert "You are signed in as <strong><bdi>Bob</bdi></strong>" in html
    assert reverse("batch-preview", args=["peaks", batch.pk]) in html
    assert client.post(link(batch), PROLIFIC).status_code == 200
    assert signed_in_as(client) == bob
    assert not Participant.objects.exists()
    answered = client.post(link(batch), PROLIFIC | {"sign_out": "1"}, follow=True)
    assert "_auth_user_id" not in client.session
    assert "5f3a" in text_of(answered)
    come(batch, PROLIFIC, client=client)


def test_an_outsider_is_not_offered_the_preview(peaks, oscar, signed_in):
    batch = open_batch(peaks)
    html = text_of(signed_in(oscar).get(link(batch), PROLIFIC))
    assert "Oscar" in html
    assert reverse("batch-preview", args=["peaks", batch.pk]) not in html


def test_a_participant_needs_no_id_again(peaks):
    batch = open_batch(peaks)
    client = come(batch)
    html = text_of(client.get(link(batch)))
    assert "Welcome back" in html
    assert 'name="worker"' not in html


# Not now -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"state": Batch.State.DRAFT}, "not open yet"),
        ({"state": Batch.State.CLOSED}, "closed"),
        ({"audience": Batch.Audience.MEMBERS}, "not open to people who come by a link"),
    ],
)
def test_a_batch_that_takes_nobody_says_why_and_what_to_do(peaks, change, why):
    batch = open_batch(peaks, **change)
    answered = Client().get(link(batch), PROLIFIC)
    assert answered.status_code == 410
    assert why in text_of(answered)
    assert "return the submission" in text_of(answered)
    assert Client().post(link(batch), PROLIFIC).status_code == 410
    assert not Participant.objects.exists()


def test_a_full_batch_takes_nobody_new_but_lets_its_own_back(peaks):
    batch = open_batch(peaks, raters_per_item=1)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    for _ in range(2):
        do_next(batch, judge)
    answered = Client().get(link(batch), {"PROLIFIC_PID": "late"})
    assert answered.status_code == 410
    assert "All places" in text_of(answered)
    with pytest.raises(Refused, match="All places"):
        arrive(batch, "late")
    come(batch)


def test_who_took_part_gets_their_code_after_it_closed(peaks):
    batch = open_batch(peaks)
    do_next(batch, judge_of(peaks, signed_in_as(come(batch))))
    batch.state = Batch.State.CLOSED
    batch.save()
    client = come(batch)
    assert "C0DE" in text_of(page("crowd-done", batch, client))


# The end -----------------------------------------------------------------------------------------


def test_the_code_comes_after_the_last_task_and_not_before(peaks):
    batch = open_batch(peaks, completion_url="https://app.example.org/done?cc=C0DE")
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    html = text_of(page("crowd-done", batch, client))
    assert "C0DE" not in html
    assert "Not finished yet" in html
    do_next(batch, judge)
    html = text_of(page("crowd-done", batch, client))
    assert "C0DE" not in html
    assert "1 task so far" in html
    assert Enrolment.objects.get().finished_at is None
    do_next(batch, judge)
    html = text_of(page("crowd-done", batch, client))
    assert 'data-copy="C0DE"' in html
    assert 'href="https://app.example.org/done?cc=C0DE"' in html
    assert "2 tasks" in html
    when = Enrolment.objects.get().finished_at
    assert when is not None
    page("crowd-done", batch, client)
    assert Enrolment.objects.get().finished_at == when


def test_the_quota_is_the_end_too(peaks):
    batch = open_batch(peaks, tasks_per_rater=1)
    client = come(batch)
    do_next(batch, judge_of(peaks, signed_in_as(client)))
    answered = page("desk-next", batch, client, method="post")
    assert answered.redirect_chain[-1][0] == reverse("crowd-done", args=["peaks", batch.pk])
    assert "C0DE" in text_of(answered)


def test_without_a_finished_task_there_is_no_code(peaks):
    batch = open_batch(peaks, raters_per_item=1)
    client = come(batch)
    other = rater(peaks, "robin")
    for _ in range(2):
        do_next(batch, other)
    html = text_of(page("crowd-done", batch, client))
    assert "C0DE" not in html
    assert "you finished no task" in html
    assert Enrolment.objects.get().finished_at is None


def test_only_an_address_of_a_web_page_is_linked(peaks):
    batch = open_batch(peaks, tasks_per_rater=1, completion_url="javascript:alert(1)")
    client = come(batch)
    do_next(batch, judge_of(peaks, signed_in_as(client)))
    html = text_of(page("crowd-done", batch, client))
    assert "C0DE" in html
    assert "javascript:" not in html


def test_who_is_paused_or_excluded_waits_for_the_researchers(peaks):
    batch = open_batch(peaks)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    do_next(batch, judge)
    for to in (Judge.Standing.PAUSED, Judge.Standing.EXCLUDED):
        standing.change_standing(judge, to, reason="random")
        html = text_of(page("crowd-done", batch, client))
        assert "C0DE" not in html
        assert "Write to them through the platform" in html


def test_practice_is_not_the_end(peaks):
    practice = practice_of(peaks)
    batch = open_batch(peaks, qualification=practice)
    client = come(batch)
    answered = page("desk-next", batch, client, method="post")
    assert "Not finished yet" in text_of(answered)
    assert page("desk", practice, client).status_code == 200


# Leaving -----------------------------------------------------------------------------------------


def test_leaving_frees_the_place_and_keeps_the_answers(peaks):
    batch = open_batch(peaks, raters_per_item=1)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    done = do_next(batch, judge)
    begun = claim(batch, judge)
    answered = page("crowd-leave", batch, client, method="post")
    assert "You stopped taking part" in text_of(answered)
    assert "C0DE" not in text_of(answered)
    begun.refresh_from_db()
    assert begun.state == Assignment.State.ACTIVE
    assert begun.lease_until <= timezone.now()
    other = rater(peaks, "robin")
    assert claim(batch, other).item_id == begun.item_id
    done.refresh_from_db()
    assert done.is_done
    assert Enrolment.objects.get().left_at is not None


def test_who_left_may_come_back(peaks):
    batch = open_batch(peaks)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    begun = claim(batch, judge)
    page("crowd-leave", batch, client, method="post")
    come(batch)
    assert Enrolment.objects.get().left_at is None
    assert do_next(batch, judge) == begun
    do_next(batch, judge)
    assert "C0DE" in text_of(page("crowd-done", batch, client))


def test_who_left_gets_nothing_in_another_tab_until_they_come_back(peaks):
    batch = open_batch(peaks)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    begun = claim(batch, judge)
    answer(begun)
    page("crowd-leave", batch, client, method="post")
    assert claim(batch, judge).why is WhyNoTask.LEFT
    assert not assignments.keep(begun)
    with pytest.raises(Refused, match="You stopped taking part"):
        answering.finish(begun)
    html = text_of(page("desk-next", batch, client, method="post"))
    assert "You stopped taking part" in html
    assert "C0DE" not in html
    come(batch)
    assert answering.finish(begun).is_done


# Removed from the study --------------------------------------------------------------------------


def test_who_was_removed_is_let_in_by_no_link(peaks):
    one, two = open_batch(peaks), open_batch(peaks, "Other")
    client = come(one)
    members.remove_member(Membership.objects.get(user=signed_in_as(client)))
    for batch in (one, two):
        for browser in (client, Client()):
            for answered in (
                browser.get(link(batch), PROLIFIC),
                browser.post(link(batch), PROLIFIC),
            ):
                assert answered.status_code == 403
                assert "have ended your part" in text_of(answered)
                assert "try the link again later" not in text_of(answered)
        with pytest.raises(Refused, match="ended your part"):
            arrive(batch)
    assert not Membership.objects.filter(user__participant__isnull=False).exists()


# Waiting, and practice that was not passed -------------------------------------------------------


def test_no_code_while_others_hold_what_is_left(peaks):
    batch = open_batch(peaks, raters_per_item=1)
    client = come(batch)
    judge, other = judge_of(peaks, signed_in_as(client)), rater(peaks, "robin")
    do_next(batch, judge)
    held = claim(batch, other)
    html = text_of(page("desk-next", batch, client, method="post"))
    assert "Wait a little" in html
    assert "Look again" in html
    assert "C0DE" not in html
    until = timezone.localtime(held.lease_until)
    assert f"{until:%H:%M}" in html
    assert Enrolment.objects.get().finished_at is None
    assignments.give_back(held, for_good=True)
    do_next(batch, judge)
    assert "C0DE" in text_of(page("crowd-done", batch, client))


def fail_practice(practice_batch, judge):
    trainee = practice.begin(practice_batch, judge).trainee
    for _ in range(2):
        do_next(practice_batch, trainee, WRONG)


def test_practice_that_cannot_be_passed_any_more_is_the_end(peaks):
    trial = practice_of(peaks, max_rounds=2)
    batch = open_batch(peaks, qualification=trial)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    fail_practice(trial, judge)
    assert claim(batch, judge).why is WhyNoTask.NOT_QUALIFIED
    html = text_of(page("desk", trial, client))
    assert "Practise again" in html
    fail_practice(trial, judge)
    assert claim(batch, judge).why is WhyNoTask.FAILED_PRACTICE
    html = text_of(page("desk", trial, client))
    assert "Practise again" not in html
    assert "Return the submission on the platform" in html
    for html in (
        text_of(page("desk-next", batch, client, method="post")),
        text_of(page("crowd-done", batch, client)),
    ):
        assert "Not finished yet" not in html
        assert "used all the rounds" in html
        assert "you did not pass the practice" in html
        assert "Return the submission on the platform" in html
    html = text_of(page("desk", batch, client))
    assert "Return the submission on the platform" in html
    assert "Go to the practice" not in html


# What participants and researchers see -----------------------------------------------------------


def test_a_participant_sees_their_batch_and_nothing_else(peaks):
    batch = open_batch(peaks)
    batch_of(peaks, "For members")
    open_batch(peaks, "For others by link")
    user = arrive(batch).participant.user
    entered = access.enter(user, "peaks")
    assert list(access.batches_to_rate(entered)) == [batch]
    client = come(batch)
    html = text_of(client.get(reverse("study", args=["peaks"])))
    assert "Crowd" in html
    assert "For members" not in html
    assert "For others by link" not in html
    assert reverse("leave", args=["peaks"]) not in html
    assert client.get(reverse("guidelines", args=["peaks"])).status_code == 200
    assert client.post(reverse("leave", args=["peaks"])).status_code == 403
    assert Membership.objects.filter(user=user).exists()
    for name in ("members", "responses", "data", "batches", "uploads"):
        assert client.get(reverse(name, args=["peaks"])).status_code == 403


def test_a_participant_has_no_account_to_fill_in(peaks):
    client = come(open_batch(peaks))
    assert client.get(reverse("account")).status_code == 403
    sent = {"name": "Eve", "email": "eve@example.org"}
    assert client.post(reverse("account"), sent).status_code == 403
    assert client.post(reverse("token-new"), {"label": "script"}).status_code == 403
    assert signed_in_as(client).email == ""


def test_only_their_own_end_and_leave(peaks, rita, bob, signed_in):
    batch = open_batch(peaks)
    come(batch)
    for who in (rita, bob):
        client = signed_in(who)
        assert page("crowd-done", batch, client).status_code == 404
        assert page("crowd-leave", batch, client, method="post").status_code == 404


def test_members_are_not_flooded(peaks, bob, signed_in):
    batch = open_batch(peaks)
    for number in range(3):
        arrive(batch, f"p{number}")
    html = text_of(signed_in(bob).get(reverse("members", args=["peaks"])))
    assert "crowd-" not in html
    assert "3 people</a> in <bdi>Crowd</bdi>" in html
    assert reverse("participants", args=["peaks", batch.pk]) in html


def test_researchers_see_who_came_and_how_far(peaks, bob, signed_in):
    batch = open_batch(peaks)
    worker = judge_of(peaks, signed_in_as(come(batch, MTURK)))
    do_next(batch, worker, WRONG)
    claim(batch, worker)
    arrive(batch, "idle")
    rows = {part.enrolment.participant.external_id: part for part in crowd.parts(batch)}
    assert (rows["A1B2"].done, rows["A1B2"].begun, rows["A1B2"].state) == (1, 1, "at work")
    assert (rows["idle"].done, rows["idle"].judge, rows["idle"].state) == (0, None, "came")
    client = signed_in(bob)
    html = text_of(page("participants", batch, client))
    assert "A1B2" in html
    assert "Mechanical Turk" in html
    assert worker.name in html
    path = reverse("participant-return", args=["peaks", batch.pk, rows["A1B2"].enrolment.pk])
    assert path in html
    assert "1 unfinished task went back" in text_of(client.post(path, follow=True))
    assert {part.state for part in crowd.parts(batch)} == {"left", "came"}
    other = batch_of(peaks, "Another")
    wrong = reverse("participant-return", args=["peaks", other.pk, rows["A1B2"].enrolment.pk])
    assert client.post(wrong).status_code == 404


def test_the_states_of_a_part(peaks):
    batch = open_batch(peaks)
    enrolment = arrive(batch)
    judge = crowd.judge_behind(enrolment)
    crowd.finish(enrolment)
    assert [part.state for part in crowd.parts(batch)] == ["finished"]
    standing.change_standing(judge, Judge.Standing.EXCLUDED, reason="random")
    assert [part.state for part in crowd.parts(batch)] == ["excluded"]
