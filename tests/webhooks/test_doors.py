"""Naming addresses, changing them and sending again: on the pages and by the interface."""

import json
import re

import pytest
from django.core import serializers
from django.urls import reverse

from annotate.authentication import new_token
from annotate.models import AuditEntry, Delivery, Webhook
from annotate.studies import webhooks
from annotate.web.errors import Refused
from annotate.web.sealing import opened
from tests.annotate.pages import visible

pytestmark = pytest.mark.django_db

NEW = {"url": "https://example.org/attest", "events": ["run.done", "agreement.fell"], "mark": 0.6}
SECRET = re.compile(r"whsec_[\w+/]{43}=")


def page(name, *more):
    return reverse(name, args=["peaks", *more])


@pytest.fixture
def owner(study, alice, signed_in):
    return signed_in(alice)


@pytest.fixture
def program(study, alice, client):
    """Asks by a token of the owner's."""
    headers = {"authorization": f"Bearer {new_token(alice, 'program')}"}

    def ask(method, name, *more, **sent):
        given = (json.dumps(sent),) if sent else ()
        kind = {"content_type": "application/json"} if sent else {}
        return getattr(client, method)(page(name, *more), *given, **kind, headers=headers)

    return ask


def test_a_secret_is_shown_once_and_kept_sealed_for_its_address(owner, study):
    answer = owner.post(page("webhooks"), NEW)
    secret = SECRET.findall(answer.content.decode())[0]
    made = Webhook.objects.get()
    assert opened(made.sealed_secret, made.url) == secret
    with pytest.raises(Refused):
        opened(made.sealed_secret, "https://example.net/")
    assert not SECRET.search(owner.get(page("webhooks")).content.decode())
    assert not SECRET.search(owner.get(page("webhook", made.pk)).content.decode())
    entry = AuditEntry.objects.get(act="webhook-saved")
    assert (entry.about, entry.details["events"]) == ("example.org", made.events)
    assert "attest" not in json.dumps(entry.details)
    everything = serializers.serialize("json", [made, entry, *Delivery.objects.all()])
    assert secret not in everything


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"url": "example.org"}, "is not an address"),
        ({"url": "ftp://example.org/"}, "is not an address"),
        ({"url": "https://me:secret@example.org/"}, "Leave the name and password out"),
        ({"mark": ""}, "Set the mark"),
        ({"mark": "2"}, "less than or equal to 1"),
        ({"events": []}, "This field is required"),
        ({"events": ["run.vanished"]}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_told_is_refused(owner, change, said):
    answer = owner.post(page("webhooks"), {**NEW, **change})
    assert answer.status_code == 422
    assert said in visible(answer.content.decode())
    assert not Webhook.objects.exists()


def test_the_log_shows_what_came_of_it_and_sends_again(owner, study, webhook, receiver):
    receiver.statuses = [500]
    assert owner.post(page("webhook-test", webhook.pk)).status_code == 302
    delivery = Delivery.objects.get()
    webhooks.deliver(delivery.pk)
    shown = visible(owner.get(page("webhook", webhook.pk)).content.decode())
    assert "Tried 1 time: the answer was 500." in shown
    assert delivery.key in shown
    owner.post(page("delivery-again", webhook.pk, delivery.pk))
    webhooks.deliver(delivery.pk)
    shown = visible(owner.get(page("webhook", webhook.pk)).content.decode())
    assert "delivered" in shown
    assert receiver.ids == [delivery.key] * 2
    assert receiver.told[0]["type"] == "test"
    assert AuditEntry.objects.filter(act="webhook-redelivered").count() == 1


def test_it_is_changed_paused_and_deleted(owner, study, webhook):
    answer = owner.post(page("webhook", webhook.pk), {"events": ["run.failed"]})
    assert answer.status_code == 302
    webhook.refresh_from_db()
    assert (webhook.events, webhook.is_on) == (["run.failed"], False)
    assert "paused" in visible(owner.get(page("webhooks")).content.decode())
    owner.post(page("webhook-delete", webhook.pk))
    assert not Webhook.objects.exists()


def test_programs_do_the_same(program, receiver):
    told = program("post", "api-webhooks-list", url=receiver.url, events=["run.done"]).json()
    assert SECRET.fullmatch(told.pop("secret"))
    of = told["id"]
    assert program("get", "api-webhooks-list").json()["webhooks"] == [told]
    changed = program(
        "patch", "api-webhooks-detail", of, mark=0.5, events=["agreement.fell"]
    ).json()
    assert (changed["events"], changed["mark"], changed["is_on"]) == (["agreement.fell"], 0.5, True)
    assert program("post", "api-webhooks-test", of).status_code == 204
    [delivery] = program("get", "api-deliveries-list", of).json()["deliveries"]
    webhooks.deliver(delivery["id"])
    again = program("post", "api-deliveries-again", of, delivery["id"]).json()
    assert (again["key"], again["state"]) == (delivery["key"], "waiting")
    assert again["tries"][0]["said"] == "delivered"
    assert again["body"]["type"] == "test"
    refused = program("patch", "api-webhooks-detail", of, mark=None)
    assert refused.status_code == 409
    assert program("delete", "api-webhooks-detail", of).status_code == 204
