"""Webhooks of a study, and the events sent to them."""

import secrets
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.study import Study
from annotate.work.jobs.leased import Leased


def new_delivery_key() -> str:
    return f"msg_{secrets.token_hex(16)}"


class Webhook(models.Model):
    """An address that receives some events of a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="webhooks")
    url = models.TextField()
    sealed_secret = models.TextField()
    """The secret that signs deliveries, encrypted for this address. It is shown once."""

    events = models.JSONField()
    mark = models.FloatField(null=True)
    """The threshold of agreement below which the event is sent."""

    is_on = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    holding = models.JSONField(default=list)
    """The conditions that held at the last check. Only new ones are sent."""

    looked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def name(self) -> str:
        """The host, without the path, which may be secret."""
        return str(self)


class Delivery(Leased):
    """The job of sending one event to one address, and its result."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Being sent"
        DONE = "done", "Delivered"
        FAILED = "failed", "Given up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    key = models.CharField(max_length=40, unique=True, default=new_delivery_key)
    """Its id for the receiver, the same for every attempt."""

    event = models.CharField(max_length=30)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    tries = models.JSONField(default=list)
    """The times and results of attempts."""

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "sending", "done", "failed"]),
                name="delivery_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="sending", lease_until__isnull=False)
                | ~Q(state="sending") & Q(lease_until__isnull=True),
                name="delivery_lease_while_sending",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="delivery_waiting")
        ]

    def __str__(self) -> str:
        return f"{self.event} ({self.key})"
