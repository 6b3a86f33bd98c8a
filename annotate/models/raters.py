"""Whether a rater goes on, and who came from where."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.batch import Batch
from annotate.models.judging import Judge
from annotate.models.study import Study


class StandingChange(models.Model):
    """A rater was paused, let on, excluded or readmitted: by whom (nobody: by rule), and why."""

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="standing_changes")
    standing = models.CharField(max_length=10, choices=Judge.Standing.choices)
    reason = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(standing__in=["active", "paused", "excluded"]),
                name="standing_change_known",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="standing_change_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.get_standing_display()}: {self.reason}"


class Participant(models.Model):
    """Somebody from a crowd platform, known by the platform's id alone."""

    class Platform(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"
        MTURK = "mturk", "Mechanical Turk"
        LINK = "link", "Link"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    platform = models.CharField(max_length=10, choices=Platform.choices)
    external_id = models.CharField(max_length=200)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="participant"
    )
    browser = models.CharField(max_length=64, blank=True)
    """A digest of what the browser has that came first with this id: others are not let in. Empty
    where none came yet, or a researcher released the id."""

    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "platform", "external_id"], name="participant_unique"
            ),
            models.CheckConstraint(
                condition=Q(platform__in=["prolific", "mturk", "link"]),
                name="participant_platform_known",
            ),
            models.CheckConstraint(
                condition=~Q(external_id=""), name="participant_has_external_id"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_platform_display()} {self.external_id}"


class Enrolment(models.Model):
    """A participant's part in one batch that is open to anyone with its link."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="enrolments")
    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="enrolments", db_index=False
    )
    session = models.CharField(max_length=200, blank=True)
    """Prolific's SESSION_ID, or Mechanical Turk's assignmentId."""

    project = models.CharField(max_length=200, blank=True)
    """Prolific's STUDY_ID, or Mechanical Turk's hitId."""

    created_at = models.DateTimeField(default=timezone.now)
    consented_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    left_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    """When a researcher noted that the platform has approved the work."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "batch"], name="enrolment_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} in batch {self.batch_id}"
