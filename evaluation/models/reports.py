"""Reports, comparisons of two reports, and links to share a report."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased, lease_only_while, one_of


class Report(Leased):
    """A study's report under some filters.

    `key` is made of the filters, of the state of the data, and of the version of the program: while
    nothing changes, all requests find the same row, and it is built once.
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
    """Counts that distinguish states of the data (see report_pages/data_state)."""

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
            one_of("state", ["queued", "building", "done", "failed"], "report_state_known"),
            lease_only_while("building", "report_lease_while_building"),
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
        """Whether a worker will complete it."""
        return self.state in {self.State.QUEUED, self.State.BUILDING}

    @property
    def percent(self) -> int:
        """The share of the work that is done; 100 only if all is."""
        if self.state == self.State.DONE:
            return 100
        return min(99, int(100 * self.progress))


class ReportChart(models.Model):
    """A chart of a report: its data, and its pictures once a worker has drawn them.

    Pages draw it themselves; web processes import no drawing library.
    """

    report = models.ForeignKey(
        Report, on_delete=models.CASCADE, related_name="charts", db_index=False
    )
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    table = models.CharField(max_length=200, blank=True)
    """The key of its table."""

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


class ReportComparison(Leased):
    """A comparison of two reports, requested in one study.

    While nothing changes, all requests for the same two find the same row (`key`).
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting to be compared"
        COMPARING = "comparing", "Being compared"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="report_comparisons")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    key = models.CharField(max_length=64, unique=True)
    sides = models.JSONField()
    """The title and the source of each report (see report_pages/comparing)."""

    paired = models.BooleanField(default=True)
    """Whether questions with the same id are the same question."""

    file_one = models.FileField(upload_to="%Y/%m", max_length=500, blank=True)
    file_other = models.FileField(upload_to="%Y/%m", max_length=500, blank=True)
    """No longer used: reports to compare were uploaded as files."""

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=100, blank=True)
    body = models.TextField(blank=True)
    """The comparison as JSON."""

    class Meta:
        ordering = ["-pk"]
        constraints = [
            one_of("state", ["queued", "comparing", "done", "failed"], "comparison_state_known"),
            lease_only_while("comparing", "comparison_lease_while_comparing"),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(body=""), name="comparison_body_when_done"
            ),
        ]
        indexes = [models.Index(fields=["state"], name="comparison_state")]

    def __str__(self) -> str:
        return f"{self.study_id}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether a worker will complete it."""
        return self.state in {self.State.QUEUED, self.State.COMPARING}

    @property
    def is_sent(self) -> bool:
        """Whether one of the two is an uploaded file, as was possible once."""
        return any(side.get("kind") == "file" for side in self.sides)

    @property
    def studies(self) -> set[int]:
        """The other studies of the two reports."""
        return {side["study"] for side in self.sides if side["study"]} - {self.study_id}


class ReportLink(models.Model):
    """A link to the newest report under some filters. Only a digest of its secret is stored."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="report_links")
    filters = models.JSONField(default=dict)
    purpose = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    with_texts = models.BooleanField(default=False)
    """Whether texts of questions, responses and passages are shown."""

    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.purpose or f"Link {self.pk}"
