"""Raters' standing, crowd participants, and the rules of admission to a batch by its link."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.batch import Batch
from annotate.models.judging import Judge
from annotate.models.study import Study


class StandingChange(models.Model):
    """A rater was paused, resumed, excluded or readmitted. Without `by`, a rule did it."""

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
    """A person from a crowd platform, known only by the platform's id."""

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
    """A digest of a secret in the first browser with this id; other browsers are refused. Empty
    before the first visit, or after a researcher released the id."""

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
    """When a researcher recorded that the platform has approved the work."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "batch"], name="enrolment_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} in batch {self.batch_id}"


class Admission(models.Model):
    """The rule for people who use a batch's link. A batch without one admits anybody."""

    class Rule(models.TextChoices):
        ANYBODY = "anybody", "Anybody with the link"
        LISTED = "listed", "Only ids on the list"
        PROLIFIC = "prolific", "Only those of whom Prolific says that they take part"
        SIGNED = "signed", "Only by links that Prolific has signed"

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="admission")
    rule = models.CharField(max_length=10, choices=Rule.choices, default=Rule.ANYBODY)
    prolific_study = models.CharField(max_length=100, blank=True)
    sealed_token = models.TextField(blank=True)
    """The token for Prolific's API, encrypted and never shown."""

    own_codes = models.BooleanField(default=False)
    """Whether each participant gets a separate completion code."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rule__in=["anybody", "listed", "prolific", "signed"]),
                name="admission_rule_known",
            ),
        ]

    def __str__(self) -> str:
        return self.get_rule_display()

    @property
    def admits_ids(self) -> bool:
        """Whether only known ids are admitted."""
        return self.rule in {self.Rule.LISTED, self.Rule.PROLIFIC}


class AdmittedId(models.Model):
    """An admitted id, from a researcher's list or from the platform."""

    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, related_name="admitted", db_index=False
    )
    external_id = models.CharField(max_length=200)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "external_id"], name="admitted_id_unique"),
        ]

    def __str__(self) -> str:
        return self.external_id


class CrowdTry(models.Model):
    """An attempt to join by a link of the study, with a digest of the network address.

    The digest is deleted after a day.
    """

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="crowd_tries", db_index=False
    )
    address = models.CharField(max_length=64)
    external_id = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "address", "external_id"], name="crowd_try_unique"
            ),
        ]
        verbose_name_plural = "crowd tries"

    def __str__(self) -> str:
        return f"{self.address[:8]} at {self.at:%Y-%m-%d %H:%M}"
