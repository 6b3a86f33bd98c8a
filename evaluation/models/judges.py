"""Juries, prompts of studies, what judges learned from judgments, and families of models."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotate.models import Judge, Study, System, Unit
from annotate.work.jobs.leased import one_of


class Jury(models.Model):
    """A judge whose verdicts are made from other judges' (`runs/juries.py`)."""

    class Method(models.TextChoices):
        MAJORITY = "majority", "Majority"
        WEIGHTED = "weighted", "Weighted by labels"
        DAWID_SKENE = "dawid-skene", "Dawid-Skene"

    judge = models.OneToOneField(Judge, on_delete=models.CASCADE, related_name="jury")
    method = models.CharField(max_length=12, choices=Method.choices)
    weights = models.JSONField(default=dict)
    """The weights of a weighted jury: by question and name of a judge."""

    formed_of = models.JSONField(default=dict)
    """The state of its judges' verdicts when it was formed, by question: counts and last keys.

    If the present state differs, the jury is outdated.
    """

    formed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            one_of("method", ["majority", "weighted", "dawid-skene"], "jury_method_known")
        ]

    def __str__(self) -> str:
        return f"{self.judge_id}: {self.method}"


class JuryMember(models.Model):
    """A judge of a jury.

    While it is one, its row stays even if all of its verdicts are taken back (`runs/lifecycle.py`):
    the jury's are made from them.
    """

    jury = models.ForeignKey(Jury, on_delete=models.CASCADE, related_name="members", db_index=False)
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="juries")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["jury", "judge"], name="jury_member_unique")]

    def __str__(self) -> str:
        return f"{self.jury_id}: {self.judge_id}"


class TrainedScorer(models.Model):
    """What a judge learned from judgments of people in its study.

    `agreement` says what: a threshold or calibration of a judge, with its agreement with people on
    held-out questions `before` and `after`; examples in a language model's prompt (`shown`); or a
    jury's weights (`jury`). `folder` is empty: no weights of networks are trained.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="trained_scorers")
    fingerprint = models.CharField(max_length=16)
    folder = models.CharField(max_length=500)
    seed = models.BigIntegerField()
    agreement = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "fingerprint"], name="trained_scorer_unique")
        ]

    def __str__(self) -> str:
        return self.fingerprint


class TrainedOn(models.Model):
    """A unit whose judgments a judge learned from, which cannot evaluate that judge."""

    scorer = models.ForeignKey(
        TrainedScorer, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="trained_scorers")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scorer", "unit"], name="trained_on_unique")]

    def __str__(self) -> str:
        return f"{self.scorer_id}: {self.unit_id}"


class StudyPrompt(models.Model):
    """One version of a study's own prompt, in the form of a style's file.

    It never changes: another text is another version
    (`evaluation/language_models/asking/prompts.py`).
    """

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="prompts", db_index=False
    )
    name = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "version"], name="study_prompt_version_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}:{self.version}"


class SystemFamily(models.Model):
    """The declared family of models of a system: a judge may prefer its own.

    Nothing is guessed from names.
    """

    system = models.OneToOneField(System, on_delete=models.CASCADE, related_name="family_said")
    family = models.CharField(max_length=60)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(family=""), name="system_family_said"),
        ]

    def __str__(self) -> str:
        return self.family
