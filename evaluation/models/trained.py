"""Scorers that were trained with a study's own judgments."""

from django.db import models

from annotate.models import Study, Unit


class TrainedScorer(models.Model):
    """An entailment scorer that was trained with a study's own judgments of people.

    `agreement` says how far it agrees with people on questions that it was not trained on: `before`
    and `after`, and how many pairs were used for what.

    Without a folder, only a judge's threshold was chosen: `agreement` says which, of which judge;
    or the units stand as examples in a language model's prompt: `agreement` says which (`shown`);
    or a jury's weights were learned: `agreement` says whose (`jury`).
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
    """A unit whose judgments a scorer was trained with: they say nothing about how good it is."""

    scorer = models.ForeignKey(
        TrainedScorer, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="trained_scorers")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scorer", "unit"], name="trained_on_unique")]

    def __str__(self) -> str:
        return f"{self.scorer_id}: {self.unit_id}"
