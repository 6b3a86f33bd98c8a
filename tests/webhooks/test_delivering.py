"""What is told arrives: signed, again and again until it does, and under one id."""

import json
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.exchange.deletion import delete_study, put_back
from annotate.models import Delivery
from annotate.studies import webhooks
from annotate.web.errors import Refused
from annotate.work import jobs
from tests.uploads.leasing import Killed
from tests.webhooks.receiver import documented

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

State = Delivery.State


def told(study, event="run.done", **data):
    webhooks.notify(study.pk, event, **data)
    return Delivery.objects.latest("pk")


def send(delivery, *, due=True):
    if due:
        Delivery.objects.filter(pk=delivery.pk).update(due_at=timezone.now())
    was_tried = webhooks.deliver(delivery.pk)
    delivery.refresh_from_db()
    return was_tried


def test_what_happened_arrives_signed(study, made, receiver):
    _, secret = made
    delivery = told(study, run=7)
    assert send(delivery)
    assert delivery.state == State.DONE
    [(headers, body)] = receiver.got
    assert documented()(secret, headers, body)
    assert headers["webhook-id"] == delivery.key
    found = json.loads(body)
    assert (found["type"], found["study"], found["data"]) == ("run.done", "peaks", {"run": 7})
    assert not send(delivery)  # once is enough


@pytest.mark.parametrize(
    "change",
    [
        {"body": b'{"type": "run.failed"}'},
        {"webhook-id": "msg_other"},
        {"webhook-timestamp": "1764000000"},
        {"webhook-signature": "v1,AAAA"},
        {"secret": "whsec_c29tZSBvdGhlciBzZWNyZXQ="},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_receiver_notices_what_was_changed(study, made, receiver, change):
    send(told(study))
    [(headers, body)] = receiver.got
    secret = change.pop("secret", made[1])
    body = change.pop("body", body)
    assert not documented()(secret, {**headers, **change}, body)


def test_the_signature_is_that_of_the_standard():
    """The example of the standard's own libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = '{"test": 2432232314}'
    found = webhooks.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_did_not_arrive_is_tried_again_later(study, webhook, receiver, status):
    receiver.statuses = [status]
    delivery, before = told(study), timezone.now()
    assert send(delivery)
    assert (delivery.state, delivery.error) == (State.WAITING, f"the answer was {status}")
    assert delivery.due_at - before >= webhooks.WAITS[0]
    assert not send(delivery, due=False)
    assert send(delivery)
    assert (delivery.state, delivery.error) == (State.DONE, "")
    assert [one["said"] for one in delivery.tries] == [f"the answer was {status}", "delivered"]
    assert receiver.ids == [delivery.key] * 2
    assert len(receiver.got) == 2  # no redirect was followed


def test_it_waits_longer_and_longer_and_is_given_up(study, webhook, receiver):
    receiver.statuses = [503] * 9
    delivery, waited = told(study), []
    while delivery.state == State.WAITING:
        now = timezone.now()
        send(delivery)
        waited.append(delivery.due_at - now)
    assert delivery.state == State.FAILED
    assert waited == sorted(waited[:-1]) + waited[-1:]
    assert len(receiver.got) == len(webhooks.WAITS) + 1
    assert timedelta(hours=20) < sum(webhooks.WAITS, timedelta()) < timedelta(days=1)


def test_a_person_has_it_sent_again_under_the_same_id(study, webhook, receiver):
    receiver.statuses = [503] * 8
    delivery = told(study)
    while delivery.state == State.WAITING:
        send(delivery)
    webhooks.redeliver(delivery)
    assert (delivery.state, delivery.attempts, delivery.error) == (State.WAITING, 0, "")
    assert send(delivery, due=False)
    assert delivery.state == State.DONE
    webhooks.redeliver(delivery)
    assert send(delivery, due=False)
    assert set(receiver.ids) == {delivery.key}
    assert len(delivery.tries) == 10


def test_a_worker_that_dies_in_between_leaves_it_to_another(study, webhook, receiver, monkeypatch):
    delivery = told(study)

    def die(*given, **more):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(jobs.Holding, "finish", die)
        with pytest.raises(Killed):
            webhooks.deliver(delivery.pk)
    delivery.refresh_from_db()
    assert delivery.state == State.SENDING
    assert not send(delivery)
    with pytest.raises(Refused, match="is being sent"):
        webhooks.redeliver(delivery)
    Delivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep_rows(webhooks.DELIVERY, timezone.now())
    assert send(delivery)
    assert (delivery.state, delivery.deaths) == (State.DONE, 1)
    assert receiver.ids == [delivery.key] * 2


def test_inside_is_called_only_where_that_is_allowed(study, webhook, receiver, settings):
    settings.ATTEST_CALLED_NETWORKS = ()
    delivery = told(study)
    send(delivery)
    assert delivery.error == "the address leads nowhere, or where no call may go"
    assert receiver.got == []


def test_what_was_rolled_back_is_not_told(study, webhook):
    with transaction.atomic():
        told(study)
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()


def test_workers_are_told_of_what_is_due(study, webhook, settings, monkeypatch):
    sent = []
    monkeypatch.setattr(jobs, "send_row", lambda kind, row: sent.append(row.pk))
    due, later = told(study), told(study)
    now = timezone.now()
    Delivery.objects.filter(pk=later.pk).update(due_at=now + timedelta(minutes=1))
    webhooks.resend_due_deliveries(now)
    assert sent == [due.pk]
    Delivery.objects.update(sent_at=now)
    webhooks.resend_due_deliveries(now + timedelta(seconds=1))
    assert sent == [due.pk]


def test_a_pause_and_a_deleted_study_hold_it_up(study, webhook, receiver, alice):
    delivery = told(study)
    webhooks.change(webhook, webhook.events, is_on=False)
    told(study)
    assert Delivery.objects.count() == 1  # meanwhile nothing is told
    assert not send(delivery)
    webhooks.change(webhook, webhook.events)
    removal = delete_study(study, by=alice)
    assert not send(delivery)
    put_back(removal)
    assert send(delivery)


def test_what_is_old_is_let_go_of(study, webhook):
    old = told(study)
    Delivery.objects.update(finished_at=timezone.now() - timedelta(days=31), state=State.DONE)
    told(study)
    assert not Delivery.objects.filter(pk=old.pk).exists()
