"""Something that a worker makes of a study: a system, claims, a scorer."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study, User
from annotate.work.jobs.leased import Leased
from evaluation.models.connections import Connection
from evaluation.models.runs import Run
from evaluation.models.spending import Spending


class Making(Spending, Leased):
    """A background job of a tool: which tool (`what`), its `options`, state and result.

    Each tool registers itself as a `Maker` (`runs/making.py`).
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        MAKING = "making", "Being made"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="makings")
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(default=timezone.now)

    what = models.CharField(max_length=30)
    options = models.JSONField(default=dict)
    connection = models.ForeignKey(
        Connection, null=True, blank=True, on_delete=models.SET_NULL, related_name="makings"
    )
    """The way to the language model that is asked, where one is."""

    queue = models.CharField(max_length=20, choices=Run.Queue, default=Run.Queue.DEFAULT)

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=100, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """How much of the present phase there is; nothing where nobody knows."""

    result = models.JSONField(default=dict)
    """What came out, for people (`lines`, `tables`) and as a way there (`key`); before that, what
    whoever takes over must know."""

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state"], name="making_state")]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "making", "done", "failed", "cancelled"]),
                name="making_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="making", lease_until__isnull=False)
                | ~Q(state="making") & Q(lease_until__isnull=True),
                name="making_lease_while_making",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether something is to happen without anybody doing anything."""
        return self.state in {self.State.QUEUED, self.State.MAKING}

    @property
    def percent(self) -> int:
        """How much of the present phase is done."""
        return 100 * self.done // self.total if self.total else 0
