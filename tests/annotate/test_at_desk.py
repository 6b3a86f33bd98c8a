"""The door to a task at the desk: who gets in, with one statement for a rater."""

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone

from annotate import access
from annotate.models import Batch, Membership, Role, System
from tests.annotate.loading import load, response
from tests.annotate.rating import at, open_work, take

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@pytest.fixture
def task(study, signed_in, rita):
    load(study, [response("One [1]. Two [1][2].", question_id="q1")])
    return take(signed_in(rita), open_work(study))


def enters(task, person):
    try:
        return access.enter_task(person, task.batch.study.slug, task.pk)
    except (Http404, PermissionDenied):
        return None


def test_it_finds_what_the_doors_one_by_one_find(task, rita):
    entered, there = enters(task, rita)
    assert (entered.study, entered.user, entered.role) == (task.batch.study, rita, Role.RATER)
    one_by_one = access.task_of(access.enter_to_rate(rita, task.batch.study.slug), task.pk)
    assert there == one_by_one == task
    for name in ("batch", "item", "judge", "guidelines_id", "state", "lease_until"):
        assert getattr(there, name) == getattr(one_by_one, name)


def test_it_opens_to_nobody_else(task, rita, signed_in):
    other = task.batch.study.memberships.exclude(user=rita).first().user
    assert enters(task, other) is None
    for key in (0, 2**63):
        with pytest.raises(Http404):
            access.enter_task(rita, task.batch.study.slug, key)
    with pytest.raises(Http404):
        access.enter_task(rita, "elsewhere", task.pk)
    for role, opens in ((Role.VIEWER, False), (Role.RESEARCHER, True), (Role.RATER, True)):
        Membership.objects.filter(user=rita).update(role=role)
        assert (enters(task, rita) is not None) is opens
    for rows in (Batch.every.filter(pk=task.batch_id), System.every.all()):
        rows.update(deleted_at=timezone.now())
        assert enters(task, rita) is None
        assert signed_in(rita).get(at(task, "task")).status_code == 404
        rows.update(deleted_at=None)
    Membership.objects.filter(user=rita).delete()
    assert enters(task, rita) is None


def said_to(client, task):
    """The status that a page's script is told."""
    return client.post(at(task, "task-seen"), headers={"hx-request": "true"}).status_code


def test_a_session_that_does_not_hold_any_more_opens_nothing(task, rita, signed_in):
    client = signed_in(rita)
    rita.set_password("another")
    rita.save()
    assert client.get(at(task, "task")).status_code == 302
    assert said_to(client, task) == 401
    client = signed_in(rita)
    rita.is_active = False
    rita.save()
    assert said_to(client, task) == 401


def test_an_ended_session_opens_nothing(task, rita, signed_in):
    client = signed_in(rita)
    assert said_to(client, task) == 200
    Session.objects.filter(session_key=client.session.session_key).delete()
    assert said_to(client, task) == 401
    client = signed_in(rita)
    assert said_to(client, task) == 200
    row = Session.objects.filter(session_key=client.session.session_key)
    row.update(expire_date=timezone.now())
    assert said_to(client, task) == 401
