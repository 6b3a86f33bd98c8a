"""Two reports set side by side, or about to be."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased


class ReportComparison(Leased):
    """Two reports, asked for in one study. While nothing changes, everybody who asks for the same
    two finds the same row (`key`).
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
    """Of either report what it is called, and what it is of (see report_pages/comparing)."""

    paired = models.BooleanField(default=True)
    """Whether questions that are called alike are the same ones."""

    file_one = models.FileField(upload_to="%Y/%m", max_length=500, blank=True)
    file_other = models.FileField(upload_to="%Y/%m", max_length=500, blank=True)
    """Not used any more: files were sent to be compared."""

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=100, blank=True)
    body = models.TextField(blank=True)
    """The comparison as JSON."""

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "comparing", "done", "failed"]),
                name="comparison_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="comparing", lease_until__isnull=False)
                | ~Q(state="comparing") & Q(lease_until__isnull=True),
                name="comparison_lease_while_comparing",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(body=""), name="comparison_body_when_done"
            ),
        ]
        indexes = [models.Index(fields=["state"], name="comparison_state")]

    def __str__(self) -> str:
        return f"{self.study_id}, {self.get_state_display().lower()}"

    @property
    def is_working(self) -> bool:
        """Whether it will be there without anybody doing anything."""
        return self.state in {self.State.QUEUED, self.State.COMPARING}

    @property
    def is_sent(self) -> bool:
        """Whether one of the two is a file that somebody sent, as was possible once."""
        return any(side.get("kind") == "file" for side in self.sides)

    @property
    def studies(self) -> set[int]:
        """The other studies that it is of."""
        return {side["study"] for side in self.sides if side["study"]} - {self.study_id}
