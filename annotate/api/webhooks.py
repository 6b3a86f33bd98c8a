"""Webhooks for programs: made, changed, deleted, and what they were told."""

import json
from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.models import Delivery, Role, Webhook
from annotate.services import webhooks

CHOICES = list(webhooks.EVENTS)


def _events(**options: Any) -> serializers.Field[Any, Any, Any, Any]:
    return serializers.ListField(child=serializers.ChoiceField(CHOICES), **options)


def _mark(**options: Any) -> serializers.FloatField:
    return serializers.FloatField(
        allow_null=True, help_text="Alpha below which agreement has fallen.", **options
    )


TOLD: dict[str, Any] = {
    "id": serializers.IntegerField(),
    "url": serializers.CharField(),
    "events": _events(),
    "mark": _mark(),
    "is_on": serializers.BooleanField(),
    "created_at": serializers.DateTimeField(),
}
WebhookSerializer = shape("Webhook", **TOLD)
MadeWebhookSerializer = shape(
    "MadeWebhook", **TOLD, secret=serializers.CharField(help_text="Told now and never again.")
)
NewWebhookSerializer = shape(
    "NewWebhook",
    url=serializers.CharField(max_length=2_000),
    events=_events(allow_empty=False),
    mark=_mark(default=None, min_value=-1, max_value=1),
)
ChangedWebhookSerializer = shape(
    "ChangedWebhook",
    events=_events(required=False, allow_empty=False),
    mark=_mark(required=False, min_value=-1, max_value=1),
    is_on=serializers.BooleanField(required=False),
)
TrySerializer = shape("DeliveryTry", at=serializers.DateTimeField(), said=serializers.CharField())
DeliverySerializer = shape(
    "Delivery",
    id=serializers.IntegerField(),
    key=serializers.CharField(help_text="Its `webhook-id`."),
    event=serializers.CharField(),
    body=serializers.JSONField(help_text="What is sent."),
    state=serializers.ChoiceField(Delivery.State.choices),
    error=serializers.CharField(allow_blank=True),
    created_at=serializers.DateTimeField(),
    due_at=serializers.DateTimeField(),
    tries=TrySerializer(many=True),
)


def told_webhook(webhook: Webhook) -> dict[str, Any]:
    return {name: getattr(webhook, name) for name in TOLD}


def told_delivery(delivery: Delivery) -> dict[str, Any]:
    names = ("id", "key", "event", "state", "error", "created_at", "due_at", "tries")
    told = {name: getattr(delivery, name) for name in names}
    return {**told, "body": json.loads(delivery.body)}


@says(
    "The addresses that are told what happens in the study.",
    role=Role.OWNER,
    query=PageSerializer,
    gives=listed("webhooks", WebhookSerializer),
)
def list_webhooks(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(entered.study.webhooks.all(), asked)
    return {"webhooks": [told_webhook(row) for row in rows], "after": after}


@says(
    "Have an address told of some events. The secret is told once.",
    role=Role.OWNER,
    takes=NewWebhookSerializer,
    gives=MadeWebhookSerializer,
    status=201,
)
def make_webhook(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    webhook, secret = webhooks.make(entered.study, **given, by=entered.user)
    return {**told_webhook(webhook), "secret": secret}


@says("One of them.", role=Role.OWNER, gives=WebhookSerializer)
def read_webhook(entered: Access, webhook_id: int) -> dict[str, Any]:
    return told_webhook(access.webhook_of(entered, webhook_id))


@says(
    "Other events, another mark, or a pause.",
    role=Role.OWNER,
    takes=ChangedWebhookSerializer,
    gives=WebhookSerializer,
)
def change_webhook(entered: Access, webhook_id: int, given: dict[str, Any]) -> dict[str, Any]:
    webhook = access.webhook_of(entered, webhook_id)
    now = {name: getattr(webhook, name) for name in ("events", "mark", "is_on")}
    webhooks.change(webhook, **{**now, **given})
    return told_webhook(webhook)


@says("Tell an address nothing any more, what waits included.", role=Role.OWNER, status=204)
def remove_webhook(entered: Access, webhook_id: int) -> None:
    webhooks.remove(access.webhook_of(entered, webhook_id))


@says("Send a test.", role=Role.OWNER, status=204)
def test_webhook(entered: Access, webhook_id: int) -> None:
    webhooks.try_out(access.webhook_of(entered, webhook_id))


@says(
    "What an address was told, or is to be, the newest first.",
    role=Role.OWNER,
    query=PageSerializer,
    gives=listed("deliveries", DeliverySerializer),
)
def list_deliveries(entered: Access, webhook_id: int, asked: dict[str, Any]) -> dict[str, Any]:
    webhook = access.webhook_of(entered, webhook_id)
    rows, after = cut(webhook.deliveries.all(), asked, newest=True)
    return {"deliveries": [told_delivery(row) for row in rows], "after": after}


@says("Send something again, under its id.", role=Role.OWNER, gives=DeliverySerializer)
def redeliver(entered: Access, webhook_id: int, delivery_id: int) -> dict[str, Any]:
    delivery = access.delivery_of(access.webhook_of(entered, webhook_id), delivery_id)
    webhooks.redeliver(delivery)
    return told_delivery(delivery)
