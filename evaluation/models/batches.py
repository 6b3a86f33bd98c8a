"""Calls of language models that were sent to a vendor together, and are answered within a day."""

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased
from evaluation.models.connections import Connection
from evaluation.models.runs import Run, Shard


class ModelBatch(Leased):
    """One batch. It is written before it is sent, under a name by which it is found again at the
    vendor's; its calls are claimed by that name (`ModelCall.lease_token`) until it is done.

    Its lease is for sending it and for looking at it; in between nobody holds it.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Out"
        WORKING = "working", "Being looked at"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    OPEN = (State.WAITING, State.WORKING)
    HELD = (*OPEN, State.FAILED)
    """While it has its calls: what could not be read may have been paid for."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="model_batches")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="batches")
    """Which run pays for it."""

    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL)
    shards = models.ManyToManyField(Shard, related_name="batches")
    """The parts that wait for it."""

    name = models.CharField(max_length=32, unique=True)
    vendor_key = models.CharField(max_length=200, blank=True, default="")
    """What the vendor calls it; empty: nobody knows yet whether it came through."""

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    calls = models.JSONField(default=dict)
    """By the digest of each call: how many tokens it asks, as an estimate takes it, and the values
    of which is asked how likely they were. None once it is done."""

    size = models.PositiveIntegerField()
    """How many calls it had."""

    answered = models.PositiveIntegerField(default=0)
    """As the vendor counts."""

    unanswered = models.JSONField(default=list)
    """The digests of calls that it brought no answer to."""

    reserved = models.PositiveBigIntegerField(default=0)
    """Of the run's budget, in billionths of a dollar; nothing once it is done."""

    looks = models.PositiveIntegerField(default=0)
    """How often somebody looked how it stands."""

    due_at = models.DateTimeField(default=timezone.now)
    """When somebody is to look next."""

    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "model batches"
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "working", "done", "failed"]),
                name="model_batch_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="working", lease_until__isnull=False)
                | ~Q(state="working") & Q(lease_until__isnull=True),
                name="model_batch_lease_while_working",
            ),
        ]
        indexes = [models.Index(fields=["state", "due_at"], name="model_batch_due")]

    def __str__(self) -> str:
        return f"{self.name}: {self.get_state_display().lower()}"


def waits_for_batch(shard: str = "pk") -> Exists:
    """Of parts: whether calls that they need are out; `shard` leads to the part."""
    return Exists(
        ModelBatch.shards.through.objects.filter(
            shard=OuterRef(shard), modelbatch__state__in=ModelBatch.OPEN
        )
    )


def open_batches(run: Run) -> QuerySet[ModelBatch]:
    """What of a run is out, without its calls."""
    out = ModelBatch.objects.filter(run=run, state__in=ModelBatch.OPEN)
    return out.defer("calls", "unanswered")
