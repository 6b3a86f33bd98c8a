"""Calls of language models and their answers, one by one or sent to a vendor as a batch."""

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased, lease_only_while, one_of
from evaluation.models.connections import Connection
from evaluation.models.runs import Run, Shard


class ModelCall(models.Model):
    """One answer to one prompt about a study's data, deleted with the study, or its claim.

    Each call is stored once, since each is paid for. `digest` is of the model's fingerprint and of
    the whole prompt.
    """

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="model_calls", db_index=False
    )
    digest = models.CharField(max_length=32)
    text = models.TextField(blank=True)
    lease_token = models.CharField(max_length=32, blank=True, default="", db_default="")
    """The lease of the part that is asking it; empty once it is answered."""

    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="calls_made"
    )
    """The run that asked it."""

    why = models.CharField(max_length=100, blank=True)
    """Why it is not whole."""

    likely = models.JSONField(null=True, blank=True)
    """The probability of each choice, if it was requested."""

    asked = models.PositiveIntegerField(default=0)
    cached = models.PositiveIntegerField(default=0, db_default=0)
    written = models.PositiveIntegerField(default=0)
    """Tokens by the server's count: read, read from its cache, written."""

    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "digest"], name="model_call_unique"),
        ]

    def __str__(self) -> str:
        return self.text[:60] or self.why


class ServerPace(models.Model):
    """No longer written: the release after the next one removes the table.

    Until then the version before, which still runs during an upgrade, stores there how busy a
    server is.
    """

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


class ModelBatch(Leased):
    """One batch, which the vendor answers within a day.

    It is written before it is sent, under a name by which it is found at the vendor's; its calls
    are claimed by that name (`ModelCall.lease_token`) until it is done. Its lease is for sending
    and for checking it; in between nobody holds it.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Out"
        WORKING = "working", "Being looked at"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    OPEN = (State.WAITING, State.WORKING)
    HELD = (*OPEN, State.FAILED)
    """The states in which it has its calls: an unreadable one may have been paid for."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="model_batches")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="batches")
    """The run that pays for it."""

    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL)
    shards = models.ManyToManyField(Shard, related_name="batches")
    """The parts that wait for it."""

    name = models.CharField(max_length=32, unique=True)
    vendor_key = models.CharField(max_length=200, blank=True, default="")
    """The vendor's key; empty while it is unknown whether the vendor received it."""

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    calls = models.JSONField(default=dict)
    """By the digest of each call: its estimated tokens, and the values whose probability it asks.

    Empty once it is done.
    """

    size = models.PositiveIntegerField()
    """The number of its calls."""

    answered = models.PositiveIntegerField(default=0)
    """By the vendor's count."""

    unanswered = models.JSONField(default=list)
    """The digests of calls without an answer."""

    reserved = models.PositiveBigIntegerField(default=0)
    """The share of the run's budget, in billionths of a dollar; 0 once it is done."""

    looks = models.PositiveIntegerField(default=0)
    """How often its state was checked."""

    due_at = models.DateTimeField(default=timezone.now)
    """When to check it next."""

    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "model batches"
        constraints = [
            one_of("state", ["waiting", "working", "done", "failed"], "model_batch_state_known"),
            lease_only_while("working", "model_batch_lease_while_working"),
        ]
        indexes = [models.Index(fields=["state", "due_at"], name="model_batch_due")]

    def __str__(self) -> str:
        return f"{self.name}: {self.get_state_display().lower()}"


def waits_for_batch(shard: str = "pk") -> Exists:
    """Return whether a part waits for calls in a batch; `shard` leads to the part."""
    return Exists(
        ModelBatch.shards.through.objects.filter(
            shard=OuterRef(shard), modelbatch__state__in=ModelBatch.OPEN
        )
    )


def open_batches(run: Run) -> QuerySet[ModelBatch]:
    """Return a run's open batches without their calls."""
    out = ModelBatch.objects.filter(run=run, state__in=ModelBatch.OPEN)
    return out.defer("calls", "unanswered")
