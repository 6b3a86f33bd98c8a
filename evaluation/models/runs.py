"""Runs of automatic judges in the background, and what they spend."""

from django.db import models

from annotate.models import Batch, Judge, Study, User
from annotate.work.jobs.leased import Leased, lease_only_while, one_of

BILLION = 10**9


class Spending(models.Model):
    """The tokens of a job by its servers' counts, and their cost at the prices of that time."""

    budget = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    """Dollars; a job that has spent them is paused."""

    calls = models.PositiveBigIntegerField(default=0, db_default=0)
    tokens_asked = models.PositiveBigIntegerField(default=0, db_default=0)
    tokens_cached = models.PositiveBigIntegerField(default=0, db_default=0)
    tokens_written = models.PositiveBigIntegerField(default=0, db_default=0)
    spent = models.PositiveBigIntegerField(default=0, db_default=0)
    """In billionths of a dollar."""

    class Meta:
        abstract = True

    @property
    def is_spent(self) -> bool:
        """Whether the budget is spent."""
        return self.budget is not None and self.spent >= self.budget * BILLION


class Run(Spending, Leased):
    """One automatic evaluation: its judge, its responses and its progress.

    A run is first planned, which measures the work, and then done part by part. Its lease is for
    planning it.
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
    """The maximum number of questions, drawn by the study's seed; none: all of them."""

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
    """For a trial: about how many units are asked about, none of which is judged."""

    by_operator = models.BooleanField(default=False)
    """Whether it was requested in a shell of the installation, where any path may be named."""

    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    resumed_at = models.DateTimeField(null=True, blank=True)
    share_then = models.FloatField(default=0)
    """When work last started, and the share that was done by then: for the time left."""

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state"], name="run_state")]
        constraints = [
            one_of(
                "state",
                ["planning", "planned", "running", "paused", "done", "failed", "cancelled"],
                "run_state_known",
            ),
            one_of("queue", ["default", "entailment", "outside"], "run_queue_known"),
        ]

    def __str__(self) -> str:
        return f"{self.judge_name}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether a worker will continue it."""
        return self.state in {self.State.PLANNING, self.State.RUNNING}

    @property
    def is_over(self) -> bool:
        """Whether it has ended, unless failed parts are tried again."""
        return self.state in {self.State.DONE, self.State.FAILED, self.State.CANCELLED}


class Shard(Leased):
    """A part of a run, done by one worker at a time and written completely or not at all."""

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
    """Their number."""

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
            one_of("state", ["waiting", "working", "done", "failed"], "shard_state_known"),
            lease_only_while("working", "shard_lease_while_working"),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="shard_state_lease"),
            models.Index(fields=["run", "state", "sent_at"], name="shard_under_way"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.get_state_display().lower()}"
