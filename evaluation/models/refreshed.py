"""What a worker computes now and then, and pages show with its date."""

from django.db import models


class Refreshed(models.Model):
    state = models.CharField(max_length=64, blank=True)
    """A digest of what it was computed from."""

    made_at = models.DateTimeField(null=True)
    seconds = models.FloatField(default=0.0)
    """How long that took."""

    told_at = models.DateTimeField(null=True)
    """When a worker was last told to compute it."""

    class Meta:
        abstract = True
