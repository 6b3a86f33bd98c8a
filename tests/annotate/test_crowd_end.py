"""People from crowd platforms: the end, leaving, and what they and researchers see."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate import access
from annotate.content.judgments import judge_of
from annotate.models import (
    Assignment,
    Enrolment,
    Judge,
    Membership,
)
from annotate.people import members
from annotate.people.participants import participants
from annotate.rating import answering, assignments, places, practice, standing
from annotate.rating.assignments import WhyNoTask
from annotate.web.errors import Refused
from tests.annotate.crowd import (
    MTURK,
    PROLIFIC,
    arrive,
    come,
    link,
    open_batch,
    page,
    signed_in_as,
    text_of,
)
from tests.annotate.desk import WRONG, answer, batch_of, claim, do_next, practice_of, rater

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


def test_the_last_answer_can_be_undone_beside_the_code(peaks):
    batch = open_batch(peaks, tasks_per_rater=1)
    client = come(batch)
    task = do_next(batch, judge_of(peaks, signed_in_as(client)))
    undo = f"{reverse('task', args=['peaks', task.pk])}?step=last"
    assert f'href="{undo}"' in text_of(page("crowd-done", batch, client))
    assert client.get(undo).status_code == 200
    finished = client.post(reverse("task-finish", args=["peaks", task.pk]), follow=True)
    assert "C0DE" in text_of(finished)
    batch.state = "closed"
    batch.save()
    assert undo not in text_of(page("crowd-done", batch, client))


def test_quota_ends_the_part_and_links_only_web_pages(peaks):
    batch = open_batch(peaks, tasks_per_rater=1, completion_url="javascript:alert(1)")
    client = come(batch)
    do_next(batch, judge_of(peaks, signed_in_as(client)))
    answered = page("desk-next", batch, client, method="post")
    assert answered.redirect_chain[-1][0] == reverse("crowd-done", args=["peaks", batch.pk])
    html = text_of(answered)
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


def test_leaving_frees_the_place_until_one_comes_back(peaks):
    batch = open_batch(peaks, raters_per_item=1)
    client = come(batch)
    judge = judge_of(peaks, signed_in_as(client))
    done = do_next(batch, judge)
    begun = claim(batch, judge)
    answer(begun)
    answered = page("crowd-leave", batch, client, method="post")
    assert "You left this study" in text_of(answered)
    assert "C0DE" not in text_of(answered)
    assert Enrolment.objects.get().left_at is not None
    begun.refresh_from_db()
    assert begun.state == Assignment.State.ACTIVE
    assert begun.lease_until <= timezone.now()
    done.refresh_from_db()
    assert done.is_done
    assert claim(batch, judge).why is WhyNoTask.LEFT
    assert not places.keep_lease(begun)
    with pytest.raises(Refused, match="You left this study"):
        answering.finish(begun)
    html = text_of(page("desk-next", batch, client, method="post"))
    assert "You left this study" in html
    assert "C0DE" not in html
    other = claim(batch, rater(peaks, "robin"))
    assert other.item_id == begun.item_id
    assignments.give_back(other, for_good=True)
    come(batch, client=client)
    assert Enrolment.objects.get().left_at is None
    assert do_next(batch, judge) == begun
    assert "C0DE" in text_of(page("crowd-done", batch, client))


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
    assert "Check again" in html
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
        assert "did not pass the practice" in html
        assert "Return the submission on the platform" in html
    html = text_of(page("desk", batch, client))
    assert "Return the submission on the platform" in html
    assert "Go to the practice" not in html


# What participants and researchers see -----------------------------------------------------------


def test_a_participant_sees_their_batch_and_nothing_else(peaks):
    batch = open_batch(peaks)
    batch_of(peaks, "For members")
    open_batch(peaks, "For others by link")
    client = come(batch)
    user = signed_in_as(client)
    entered = access.enter(user, "peaks")
    assert list(access.batches_to_rate(entered)) == [batch]
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
    account = {"name": "Eve", "email": "eve@example.org"}
    token = {"label": "script", "scopes": ["read"]}
    assert client.get(reverse("account")).status_code == 403
    for name, sent in (("account", account), ("tokens", token)):
        assert client.post(reverse(name), sent).status_code == 403
    user.refresh_from_db()
    assert user.email == ""


def test_only_their_own_end_and_leave(peaks, rita, bob, signed_in):
    batch = open_batch(peaks)
    come(batch)
    for who in (rita, bob):
        client = signed_in(who)
        assert page("crowd-done", batch, client).status_code == 404
        assert page("crowd-leave", batch, client, method="post").status_code == 404


def test_researchers_see_who_came_and_how_far(peaks, bob, signed_in):
    batch = open_batch(peaks)
    worker = judge_of(peaks, signed_in_as(come(batch, MTURK)))
    do_next(batch, worker, WRONG)
    claim(batch, worker)
    arrive(batch, "idle")
    rows = {part.enrolment.participant.external_id: part for part in participants(batch)}
    assert (rows["A1B2"].done, rows["A1B2"].begun, rows["A1B2"].state) == (1, 1, "at work")
    assert (rows["idle"].done, rows["idle"].judge, rows["idle"].state) == (0, None, "joined")
    client = signed_in(bob)
    html = text_of(page("participants", batch, client))
    assert "A1B2" in html
    assert "Mechanical Turk" in html
    assert worker.name in html
    path = reverse("participant-return", args=["peaks", batch.pk, rows["A1B2"].enrolment.pk])
    assert path in html
    assert "1 unfinished task went back" in text_of(client.post(path, follow=True))
    assert {part.state for part in participants(batch)} == {"returned", "joined"}
    other = batch_of(peaks, "Another")
    wrong = reverse("participant-return", args=["peaks", other.pk, rows["A1B2"].enrolment.pk])
    assert client.post(wrong).status_code == 404
