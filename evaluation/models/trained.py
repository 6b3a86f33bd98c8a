"""What judges learned from a study's own judgments."""

from django.db import models

from annotate.models import Study, Unit


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
    """A unit whose judgments a judge learned from: they say nothing about how good it is."""

    scorer = models.ForeignKey(
        TrainedScorer, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="trained_scorers")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scorer", "unit"], name="trained_on_unique")]

    def __str__(self) -> str:
        return f"{self.scorer_id}: {self.unit_id}"
