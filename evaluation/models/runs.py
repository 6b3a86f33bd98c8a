"""Automatic evaluation in the background: the database is the truth about how it stands."""

from django.db import models
from django.db.models import Q

from annotate.models import Batch, Judge, Study, User
from annotate.work.jobs.leased import Leased
from evaluation.models.spending import Spending


class Run(Spending, Leased):
    """One automatic evaluation: which judge, of which responses, and how far it has come.

    A run is first planned, which says how much work it is, and then worked on shard by shard. Its
    lease is for planning it.
    """

    class State(models.TextChoices):
        PLANNING = "planning", "Being planned"
        PLANNED = "planned", "Ready to start"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    class Queue(models.TextChoices):
        DEFAULT = "default", "default"
        ENTAILMENT = "entailment", "entailment"
        OUTSIDE = "outside", "outside"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="runs")
    judge_name = models.CharField(max_length=40)
    settings = models.JSONField(default=dict)
    systems = models.JSONField(default=list)
    batch = models.ForeignKey(Batch, null=True, blank=True, on_delete=models.SET_NULL)
    missing_only = models.BooleanField(default=True)
    questions = models.PositiveIntegerField(null=True, blank=True)
    """At most so many questions, drawn by the study's seed; none: all of them."""

    queue = models.CharField(max_length=20, choices=Queue, default=Queue.DEFAULT)

    state = models.CharField(max_length=10, choices=State, default=State.PLANNING)
    starts_itself = models.BooleanField(default=False)
    signature = models.TextField(blank=True)
    judge = models.ForeignKey(
        Judge, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    plan = models.JSONField(default=dict)
    error_place = models.CharField(max_length=300, blank=True)
    discards = models.BooleanField(default=False)

    dry_units = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Of a trial: about how many units is asked, of which nothing is judged."""

    by_operator = models.BooleanField(default=False)
    """Whether it was asked for in a shell of the installation, where any path may be named."""

    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    resumed_at = models.DateTimeField(null=True, blank=True)
    share_then = models.FloatField(default=0)
    """When work last began again, and how much of it was done by then: for the time left."""

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state"], name="run_state")]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "planning", "planned", "running", "paused", "done", "failed", "cancelled",
                    ]
                ),
                name="run_state_known",
            ),
            models.CheckConstraint(
                condition=Q(queue__in=["default", "entailment", "outside"]),
                name="run_queue_known",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.judge_name}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether something is to happen without anybody doing anything."""
        return self.state in {self.State.PLANNING, self.State.RUNNING}

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen, unless failed shards are tried again."""
        return self.state in {self.State.DONE, self.State.FAILED, self.State.CANCELLED}


class Shard(Leased):
    """A part of a run that one worker does at a time, and that is written whole or not at all."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        WORKING = "working", "Being worked on"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="shards", db_index=False)
    number = models.PositiveIntegerField()
    responses = models.JSONField()
    """The keys of the responses that are judged together."""

    size = models.PositiveIntegerField()
    """How many they are."""

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    phase = models.CharField(max_length=40, blank=True)
    answered = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    outcome = models.JSONField(default=dict)
    seconds = models.FloatField(default=0)
    error_place = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="shard_unique"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "working", "done", "failed"]),
                name="shard_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="working", lease_until__isnull=False)
                | ~Q(state="working") & Q(lease_until__isnull=True),
                name="shard_lease_while_working",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="shard_state_lease"),
            models.Index(fields=["run", "state", "sent_at"], name="shard_under_way"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.get_state_display().lower()}"
