"""The fields of a row that is a job: its lease, attempts and deaths."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

PATIENCE = timedelta(seconds=settings.ATTEST_PATIENCE_SECONDS)
"""After this time without a sign of life, a worker counts as dead and a message as lost."""

LEASE = 2 * PATIENCE
"""The duration of a lease."""

EVERY = PATIENCE / 3
"""The interval of heartbeats, lease renewals and sweeps."""

MOST_DEATHS = 3
"""A job is not retried automatically after this many deaths."""

MOST_TRIES = 10
"""A job fails after this many attempts that the database interrupted."""


class Leased(models.Model):
    """A job. It waits without a lease; the worker that holds the lease (token) does it."""

    state = models.CharField(max_length=10)
    error = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    lease_token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When the last message about it was sent."""

    attempts = models.PositiveSmallIntegerField(default=0)
    """Attempts since it was requested."""

    deaths = models.PositiveSmallIntegerField(default=0)
    """How often its worker died. Lost database connections end an attempt but are no deaths."""

    class Meta:
        abstract = True

    UNTRIED = ("attempts", "deaths", "sent_at")

    def reset_attempts(self) -> None:
        """Forget earlier attempts (`UNTRIED`), because a person requests the job again."""
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
