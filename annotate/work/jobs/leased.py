"""A row that is work for a worker: who holds it until when, and how it went so far."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

PATIENCE = timedelta(seconds=settings.ATTEST_PATIENCE_SECONDS)
"""After so long without a sign of life, a worker is taken for dead and a message for lost."""

LEASE = 2 * PATIENCE
"""So long work is kept for a worker that gives no sign of life."""

EVERY = PATIENCE / 3
"""Between two signs of life: of whoever holds a lease, and of a worker, which then looks around."""

MOST_DEATHS = 3
"""Work whose worker died so often is not tried again by itself."""

MOST_TRIES = 10
"""Work that the database broke off so often fails with what the database says."""


class Leased(models.Model):
    """Work that waits where nobody holds it; whoever holds the lease (its token) works on it."""

    state = models.CharField(max_length=10)
    error = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    lease_token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When a worker was last told of it."""

    attempts = models.PositiveSmallIntegerField(default=0)
    """How often somebody began it since it was asked for."""

    deaths = models.PositiveSmallIntegerField(default=0)
    """How often its worker fell silent. A database that goes away ends an attempt, too, but tells
    nothing against the work."""

    class Meta:
        abstract = True

    UNTRIED = ("attempts", "deaths", "sent_at")

    def ask_anew(self) -> None:
        """Somebody asks for it once more: what went wrong before is forgotten (`UNTRIED`)."""
        self.attempts = self.deaths = 0
        self.sent_at = None


def one_of(field: str, values: Sequence[str], name: str) -> models.CheckConstraint:
    """Return the constraint that a field has one of these values."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": [*values]}), name=name)


def lease_only_while(state: str, name: str) -> models.CheckConstraint:
    """Return the constraint that a row has a lease if and only if it is in this state."""
    held = Q(state=state, lease_until__isnull=False)
    return models.CheckConstraint(
        condition=held | ~Q(state=state) & Q(lease_until__isnull=True), name=name
    )
