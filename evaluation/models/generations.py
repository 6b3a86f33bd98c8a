"""Systems that are made here: a paper's way of answering, a model, and how far it has come."""

from django.db import models
from django.db.models import Q

from annotate.models import Study, System, User
from annotate.work.jobs.leased import Leased
from evaluation.models.connections import Connection
from evaluation.models.runs import Run
from evaluation.models.spending import Spending


class Generation(Spending, Leased):
    """One system that answers the questions of a study, made by one worker at a time.

    What the model answered is kept call by call; the responses are written when all are there, as
    those of a file, wholly or not at all. Until then it can be paused, and goes on where it was.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        WORKING = "working", "Being made"
        PAUSED = "paused", "Paused"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="generations")
    name = models.CharField(max_length=200)
    """What the new system is called."""

    settings = models.JSONField(default=dict)
    connection = models.ForeignKey(
        Connection, null=True, blank=True, on_delete=models.SET_NULL, related_name="generations"
    )
    queue = models.CharField(max_length=20, choices=Run.Queue, default=Run.Queue.OUTSIDE)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    signature = models.TextField(blank=True)
    system = models.ForeignKey(
        System, null=True, blank=True, on_delete=models.SET_NULL, related_name="generations"
    )
    """What came of it."""

    phase = models.CharField(max_length=60, blank=True)
    answered = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """How many responses are there, of how many."""

    latest = models.JSONField(null=True, blank=True)
    """While it is made: the last answers with their questions and runs, the newest first."""

    outcome = models.JSONField(default=dict)
    by_operator = models.BooleanField(default=False)
    """Whether it was asked for in a shell of the installation, where any path may be named."""

    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    asked_at = models.DateTimeField()
    """When it was last asked to go on."""

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    state__in=["queued", "working", "paused", "done", "failed", "cancelled"]
                ),
                name="generation_state_known",
            ),
            models.CheckConstraint(
                condition=Q(queue__in=["default", "entailment", "outside"]),
                name="generation_queue_known",
            ),
            models.CheckConstraint(
                condition=Q(state="working", lease_until__isnull=False)
                | ~Q(state="working") & Q(lease_until__isnull=True),
                name="generation_lease_while_working",
            ),
            models.UniqueConstraint(
                fields=["study", "name"],
                condition=Q(state__in=["queued", "working", "paused"]),
                name="generation_name_at_work",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether something is to happen without anybody doing anything."""
        return self.state in {self.State.QUEUED, self.State.WORKING}

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen, unless it is tried again."""
        return self.state in {self.State.DONE, self.State.FAILED, self.State.CANCELLED}

    @property
    def percent(self) -> int:
        """How much of it is there."""
        return min(100, 100 * self.answered // self.total) if self.total else 0
