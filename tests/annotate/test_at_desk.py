"""The desk's door: a task with its study and its rater at once, and what is kept of a response."""

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate import access
from annotate.models import Batch, Membership, Role, System, Unit
from annotate.services.rating.contents import contents_of
from tests.annotate.loading import load, response
from tests.annotate.rating import at, open_work, take

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@pytest.fixture
def task(study, signed_in, rita):
    load(study, [response("One [1]. Two [1][2].", question_id="q1")])
    return take(signed_in(rita), open_work(study))


def found(task, person, *, shown=False):
    return access.at_desk(person.pk, task.batch.study.slug, task.pk, None, shown=shown)


@pytest.mark.parametrize("shown", [False, True])
def test_it_finds_what_the_doors_one_by_one_find(task, rita, shown):
    entered, there = found(task, rita, shown=shown)
    assert (entered.study, entered.user, entered.role) == (task.batch.study, rita, Role.RATER)
    assert there == task
    one_by_one = access.task_of(access.enter_to_rate(rita, task.batch.study.slug), task.pk)
    for name in ("batch", "item", "judge", "guidelines", "state", "lease_until"):
        assert getattr(there, name) == getattr(one_by_one, name)
    assert entered.unread_answers == 0
    assert entered.study.current_guidelines == task.batch.study.current_guidelines


def test_it_opens_to_nobody_else(task, rita, signed_in):
    other = task.batch.study.memberships.exclude(user=rita).first().user
    assert found(task, other) is None
    assert access.at_desk(0, task.batch.study.slug, task.pk, None) is None
    assert access.at_desk(rita.pk, "elsewhere", task.pk, None) is None
    for role, opens in ((Role.VIEWER, False), (Role.RESEARCHER, True), (Role.RATER, True)):
        Membership.objects.filter(user=rita).update(role=role)
        assert (found(task, rita) is not None) is opens
    for rows in (Batch.every.filter(pk=task.batch_id), System.every.all()):
        rows.update(deleted_at=timezone.now())
        assert found(task, rita) is None
        assert signed_in(rita).get(at(task, "task")).status_code == 404
        rows.update(deleted_at=None)
    Membership.objects.filter(user=rita).delete()
    assert found(task, rita) is None


def test_a_session_that_does_not_hold_any_more_opens_nothing(task, rita, signed_in):
    client = signed_in(rita)
    rita.set_password("another")
    rita.save()
    assert client.get(at(task, "task")).status_code == 302
    sent = client.post(at(task, "task-answer"), headers={"hx-request": "true"})
    assert sent.status_code == 401
    client = signed_in(rita)
    rita.is_active = False
    rita.save()
    assert client.post(at(task, "task-answer"), headers={"hx-request": "true"}).status_code == 401


def asked_by(client, task):
    """What a page's script is told, and how many statements that took."""
    address = at(task, "task-seen")
    with CaptureQueriesContext(connection) as queries:
        sent = client.post(address, headers={"hx-request": "true"})
    return sent.status_code, len(queries)


def test_a_session_is_read_with_the_task_and_each_time(task, rita, signed_in):
    client = signed_in(rita)
    assert [asked_by(client, task) for _ in range(3)] == [(200, 2), (200, 1), (200, 1)]
    Session.objects.filter(session_key=client.session.session_key).delete()
    assert asked_by(client, task)[0] == 401
    client = signed_in(rita)
    assert asked_by(client, task)[0] == 200
    row = Session.objects.filter(session_key=client.session.session_key)
    row.update(expire_date=timezone.now())
    assert asked_by(client, task)[0] == 401


def test_a_session_that_became_another_persons_opens_their_tasks(task, rita, bob, signed_in):
    client, theirs = signed_in(rita), signed_in(bob).session
    assert asked_by(client, task) == (200, 2)
    row = Session.objects.get(session_key=client.session.session_key)
    row.session_data = theirs.encode(dict(theirs.items()))
    row.save()
    assert asked_by(client, task)[0] == 404
    row.session_data = row.session_data[:-1] + "_"  # nobody signed this
    row.save()
    assert asked_by(client, task)[0] == 401


def test_contents_are_read_once_until_units_come_or_go(task, rita):
    def item():
        return found(task, rita)[1].item

    def asked():
        with CaptureQueriesContext(connection) as queries:
            units.append([(u.pk, u.parent, u.retired_at) for u in contents_of(one).units])
        return len(queries)

    units: list = []
    one = item()
    assert (asked(), asked()) == (2, 0)
    assert units[0] == units[1]
    whole = Unit.objects.get(response=one.response_id, key="r")
    claim = Unit.objects.create(
        response_id=one.response_id, kind="reference_claim", key="k1", parent=whole, ordinal=1,
        text="One", start=0, end=0,
    )  # fmt: skip
    one = item()
    assert (asked(), asked()) == (2, 0)
    assert len(units[-1]) == len(units[0]) + 1
    for retired_at in (timezone.now(), None):
        Unit.objects.filter(pk=claim.pk).update(retired_at=retired_at)
        one = item()
        asked()
        assert units[-1][-1][2] == retired_at
    claim.delete()
    one = item()
    asked()
    assert units[-1] == units[0]


def test_contents_are_the_callers_own(task, rita):
    one = found(task, rita)[1].item
    first, second = contents_of(one), contents_of(one)
    first.units[0].text = "changed"
    assert second.units[0].text != "changed"
    assert contents_of(one).units[0].text != "changed"
    assert first.sources[0].passage is not second.sources[0].passage
    assert not first.units[0]._state.fields_cache.get("response")
