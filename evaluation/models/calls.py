"""What language models answered: each call once, since each is paid for."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study
from evaluation.models.connections import Connection
from evaluation.models.runs import Run


class ModelCall(models.Model):
    """One answer to one prompt about a study's data, which goes with the study; or that somebody
    has asked for it.

    `digest` is made of the model's fingerprint and of all that it was told.
    """

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="model_calls", db_index=False
    )
    digest = models.CharField(max_length=32)
    text = models.TextField(blank=True)
    lease_token = models.CharField(max_length=32, blank=True, default="", db_default="")
    """Under which part's lease it is being asked; empty: it was answered."""

    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="calls_made"
    )
    """Which run asked it."""

    why = models.CharField(max_length=100, blank=True)
    """What ended it, where it is not whole."""

    likely = models.JSONField(null=True, blank=True)
    """How probable each choice was where one was written, where that was asked for."""

    asked = models.PositiveIntegerField(default=0)
    cached = models.PositiveIntegerField(default=0, db_default=0)
    written = models.PositiveIntegerField(default=0)
    """Tokens, as the server counted them: those that it read, how many of them it remembered, and
    those that it wrote."""

    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "digest"], name="model_call_unique"),
        ]

    def __str__(self) -> str:
        return self.text[:60] or self.why


class ServerPace(models.Model):
    """No longer written: the release after the next one removes the table. Until then the version
    before, which still runs during an upgrade, keeps there how busy a server is."""

    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="pace")
    at_once = models.FloatField()
    changed = models.FloatField()
    quiet_until = models.FloatField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(at_once__gte=1), name="server_pace_at_once"),
        ]

    def __str__(self) -> str:
        return f"{self.connection}: {self.at_once:.1f} at a time"
