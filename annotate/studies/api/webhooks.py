"""The API of webhooks and their deliveries."""

import json
from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.models import Delivery, Role, Webhook
from annotate.studies import webhooks
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, post


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    events = serializers.ListField(
        child=serializers.ChoiceField(list(webhooks.EVENTS)), allow_empty=False
    )
    mark = serializers.FloatField(
        allow_null=True,
        default=None,
        min_value=-1,
        max_value=1,
        help_text="Alpha below which agreement has fallen.",
    )

    class Meta:
        model = Webhook
        fields = ["id", "url", "events", "mark", "is_on", "created_at"]
        read_only_fields = ["created_at"]


class NewWebhookSerializer(WebhookSerializer):
    url = serializers.CharField(max_length=2_000)

    class Meta(WebhookSerializer.Meta):
        fields = ["url", "events", "mark"]


class ChangedWebhookSerializer(WebhookSerializer):
    class Meta(WebhookSerializer.Meta):
        fields = ["events", "mark", "is_on"]


class MadeWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Shown once.")

    class Meta(WebhookSerializer.Meta):
        fields = [*WebhookSerializer.Meta.fields, "secret"]


class DeliveryTrySerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    said = serializers.CharField()


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    body = serializers.SerializerMethodField(help_text="What is sent.")
    tries = DeliveryTrySerializer(many=True)

    class Meta:
        model = Delivery
        fields = ["id", "key", "event", "body", "state", "error", "created_at", "due_at", "tries"]

    def get_body(self, delivery: Delivery) -> Any:
        return json.loads(delivery.body)


class WebhookViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """List the study's webhooks."""

    role = Role.OWNER
    find = access.webhook_of
    lookup_url_kwarg = "webhook_id"
    serializer_class = WebhookSerializer
    bodies = {"create": NewWebhookSerializer, "partial_update": ChangedWebhookSerializer}
    answers = {"create": MadeWebhookSerializer}
    pagination_class = pages("webhooks")

    def get_queryset(self) -> Any:
        return self.study.webhooks.all()

    def create(self, request: Request, **names: Any) -> Response:
        """Create a webhook. Its secret is shown once."""
        webhook, secret = webhooks.create(self.study, **self.given(), by=self.user)
        return Response({**WebhookSerializer(webhook).data, "secret": secret}, status=201)

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change the events or the mark, or pause the webhook."""
        webhook = self.get_object()
        present = {name: getattr(webhook, name) for name in ("events", "mark", "is_on")}
        webhooks.change(webhook, **present | self.given())
        return self.reply(webhook)

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a webhook and its waiting deliveries."""
        webhooks.remove(self.get_object())
        return self.reply()

    @post(status=204)
    def test(self, request: Request, **names: Any) -> Response:
        """Send a test."""
        webhooks.send_test(self.get_object())
        return self.reply()


class DeliveryViewSet(ListModelMixin, StudyViewSet):
    """List a webhook's deliveries, newest first."""

    role = Role.OWNER
    lookup_url_kwarg = "delivery_id"
    serializer_class = DeliverySerializer
    pagination_class = pages("deliveries", newest_first=True)

    @property
    def webhook(self) -> Webhook:
        return access.webhook_of(self.entered, self.kwargs["webhook_id"])

    def get_queryset(self) -> Any:
        return self.webhook.deliveries.all()

    @post()
    def again(self, request: Request, **names: Any) -> Response:
        """Send a delivery again, under its id."""
        delivery = access.delivery_of(self.webhook, self.kwargs["delivery_id"])
        webhooks.redeliver(delivery)
        return self.reply(delivery)
