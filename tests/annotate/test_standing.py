"""Pausing, excluding and readmitting raters."""

from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Judge, Judgment, StandingChange
from annotate.rating import places, standing
from annotate.rating.assignments import NoTask, WhyNoTask
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.desk import answers_by, batch_of, claim, do_next, gold_judge, rater
from tests.shared_rows import shared_rows

ACTIVE, PAUSED, EXCLUDED = Judge.Standing.ACTIVE, Judge.Standing.PAUSED, Judge.Standing.EXCLUDED


@shared_rows
def me(peaks, rita):
    return judge_of(peaks, rita)


def change(judge, to, reason="hasty", **more):
    return standing.change_standing(judge, to, reason=reason, **more)


def test_a_change_is_kept_once_with_its_reason_and_who(peaks, me, bob):
    with pytest.raises(Refused, match="Give a reason"):
        change(me, EXCLUDED, "  ")
    with pytest.raises(Refused, match="Only raters"):
        change(gold_judge(peaks), PAUSED)
    me.refresh_from_db()
    assert me.standing == ACTIVE
    assert not StandingChange.objects.exists()
    assert change(me, PAUSED, "  too fast  ", by=bob) == 0
    me.refresh_from_db()
    assert me.standing == PAUSED
    assert change(me, PAUSED, "again") is None
    kept = StandingChange.objects.get()
    assert (kept.judge, kept.standing, kept.reason, kept.by) == (me, PAUSED, "too fast", bob)


def test_a_paused_rater_gets_nothing_and_keeps_what_they_did(peaks, me):
    batch = batch_of(peaks)
    do_next(batch, me)
    held = claim(batch, me)
    change(me, PAUSED)
    assert claim(batch, me).why is WhyNoTask.PAUSED
    held.refresh_from_db()
    assert held.state == Assignment.State.ACTIVE
    other = rater(peaks, "robin")
    # Both places are still taken: one is done, of the other the lease runs.
    assert claim(batch, other).why is WhyNoTask.LEASED


def test_exclusion_frees_every_place(peaks, me):
    batch = batch_of(peaks)
    done = do_next(batch, me)
    held = claim(batch, me)
    other = rater(peaks, "robin")
    assert isinstance(claim(batch, other), NoTask)
    kept = answers_by(me)
    assert change(me, EXCLUDED) == 1
    held.refresh_from_db()
    assert held.state == Assignment.State.ACTIVE
    assert held.lease_until <= timezone.now()
    assert claim(batch, me).why is WhyNoTask.EXCLUDED
    got = {do_next(batch, other).item_id for _ in range(2)}
    assert got == {done.item_id, held.item_id}
    assert answers_by(me) == kept > 0
    done.refresh_from_db()
    assert done.state == Assignment.State.DONE


def test_whoever_is_readmitted_goes_on_with_what_they_had_begun(peaks, me):
    """Nobody else is there: the response must not stay without its ratings."""
    batch = batch_of(peaks)
    held = claim(batch, me)
    change(me, EXCLUDED)
    change(me, ACTIVE, "a mistake of ours")
    assert claim(batch, me) == held
    for _ in range(2):
        do_next(batch, me)
    assert claim(batch, me).why is WhyNoTask.ALL_DONE
    rated = list(Judgment.objects.filter(judge=me).values_list("pk", "value"))
    change(me, EXCLUDED)
    assert list(Judgment.objects.filter(judge=me).values_list("pk", "value")) == rated != []


def test_whoever_is_readmitted_counts_again_and_the_surplus_is_told(peaks, me):
    batch = batch_of(peaks)
    do_next(batch, me)
    change(me, EXCLUDED)
    other = rater(peaks, "robin")
    for _ in range(2):
        do_next(batch, other)
    assert standing.surplus(me) == 0
    change(me, ACTIVE, "a mistake of ours")
    assert standing.surplus(me) == 1
    assert claim(batch, me).why is WhyNoTask.ALL_DONE
    counted = places.counting(Assignment.objects.filter(batch=batch, state="done"))
    assert counted.count() == 3


@pytest.mark.django_db(transaction=True)
def test_exclusion_and_a_claim_at_once_leave_no_place_held(peaks, rita):
    me, batch = judge_of(peaks, rita), batch_of(peaks)
    outcomes = at_once([partial(claim, batch, me), partial(change, me, EXCLUDED)] * 2)
    assert not [o for o in outcomes if isinstance(o, Exception)], outcomes
    assert not Assignment.objects.filter(judge=me, lease_until__gt=timezone.now()).exists()
    assert StandingChange.objects.filter(judge=me).count() == 1


# The page's form ---------------------------------------------------------------------------------


@pytest.fixture
def post(peaks, me, bob, signed_in):
    client = signed_in(bob)

    def send(judge=me, **data):
        return client.post(reverse("rater-standing", args=["peaks", judge.pk]), data)

    return send


def said(answered):
    return [str(message) for message in answered.wsgi_request._messages]


def test_a_researcher_excludes_and_readmits(peaks, me, bob, post):
    batch = batch_of(peaks)
    do_next(batch, me)
    claim(batch, me)
    answered = post(standing="excluded", reason="random answers")
    assert answered.url == reverse("rater", args=["peaks", me.pk])
    assert "1 unfinished task went back" in said(answered)[-1]
    assert StandingChange.objects.get().by == bob
    do_next(batch, other := rater(peaks, "robin"))
    do_next(batch, other)
    answered = post(standing="active", reason="explained")
    assert "1 task that they did now has more ratings than wanted" in said(answered)[-1]
    me.refresh_from_db()
    assert me.standing == ACTIVE


def test_what_cannot_be_is_told(peaks, me, post):
    for data, message in (
        ({"standing": "excluded", "reason": " "}, "Give a reason"),
        ({"standing": "gone", "reason": "so"}, "Choose: active"),
        ({"reason": "so"}, "Choose: active"),
        ({"standing": "active", "reason": "so"}, "is active already"),
    ):
        assert message in said(post(**data))[-1]
    me.refresh_from_db()
    assert me.standing == ACTIVE
    assert not StandingChange.objects.exists()
    answered = post(gold_judge(peaks), standing="paused", reason="so")
    assert answered.status_code == 404
