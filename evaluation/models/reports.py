"""Reports that were built, or wait to be: one for each choice of filters, kept until it is old."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased


class Report(Leased):
    """What a study's data say under some filters.

    `key` is made of the filters, of the state that the data were in, and of the program's way of
    building: while nothing changes, everybody who asks finds the same row, and it is built once.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting to be built"
        BUILDING = "building", "Being built"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    filters = models.JSONField(default=dict)
    filters_digest = models.CharField(max_length=64)
    data = models.JSONField(default=dict)
    """Counts that tell one state of the data from another (see report_pages/data_state)."""

    key = models.CharField(max_length=64, unique=True)

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=100, blank=True)
    progress = models.FloatField(default=0)
    body = models.TextField(blank=True)
    """The report as JSON. It stays while the report is built again."""

    version = models.PositiveSmallIntegerField(default=0)
    """The version of the body (see reports/shape/report); 0 without a body."""

    headline = models.TextField(blank=True)
    seconds = models.FloatField(default=0)

    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "building", "done", "failed"]),
                name="report_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="building", lease_until__isnull=False)
                | ~Q(state="building") & Q(lease_until__isnull=True),
                name="report_lease_while_building",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(body=""), name="report_body_when_done"
            ),
        ]
        indexes = [
            models.Index(fields=["study", "filters_digest"], name="report_filters"),
            models.Index(fields=["state"], name="report_state"),
        ]

    def __str__(self) -> str:
        return f"{self.study_id}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether it will be there without anybody doing anything."""
        return self.state in {self.State.QUEUED, self.State.BUILDING}

    @property
    def percent(self) -> int:
        """How much is done; 100 only where all is."""
        if self.state == self.State.DONE:
            return 100
        return min(99, int(100 * self.progress))


class ReportChart(models.Model):
    """A chart of a report: what it is drawn from, and its pictures once a worker has drawn them.

    Pages draw it themselves; web processes import no drawing library.
    """

    report = models.ForeignKey(
        Report, on_delete=models.CASCADE, related_name="charts", db_index=False
    )
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    table = models.CharField(max_length=200, blank=True)
    """The key of the table behind it."""

    title = models.CharField(max_length=300)
    description = models.TextField(blank=True)
    spec = models.TextField()
    is_drawn = models.BooleanField(default=False)
    svg = models.TextField(blank=True)
    png = models.BinaryField(default=bytes)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["report", "key"], name="report_chart_unique"),
        ]
        indexes = [
            models.Index(
                fields=["report"], condition=Q(is_drawn=False), name="report_chart_undrawn"
            ),
        ]

    def __str__(self) -> str:
        return self.title
