"""Agreement of a batch and drift of a rater, as a worker computes them now and then."""

from django.db import models

from annotate.models import Batch, Judge


class Refreshed(models.Model):
    """Figures that a worker computes now and then, and pages show with their date."""

    state = models.CharField(max_length=64, blank=True)
    """A digest of the data that they were computed from."""

    made_at = models.DateTimeField(null=True)
    seconds = models.FloatField(default=0.0)
    """The duration of the computation."""

    told_at = models.DateTimeField(null=True)
    """When a worker was last asked to compute them."""

    class Meta:
        abstract = True


class BatchAgreement(Refreshed):
    """A batch's intervals, and all figures about answers that are not choices.

    The other figures about choices are summed for each request.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="agreement")
    rows = models.JSONField(default=dict)
    """By the key of the question."""

    def __str__(self) -> str:
        return f"of batch {self.batch_id}"


class RaterDrift(Refreshed):
    """How a rater's work changed over time."""

    judge = models.OneToOneField(Judge, on_delete=models.CASCADE, related_name="drift")
    parts = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"of judge {self.judge_id}"
