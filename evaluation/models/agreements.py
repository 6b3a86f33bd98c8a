"""How well the raters of a batch agree, and how a rater drifts, as far as that takes a worker."""

from django.db import models

from annotate.models import Batch, Judge
from evaluation.models.refreshed import Refreshed


class BatchAgreement(Refreshed):
    """What a worker computed of a batch: the intervals, and all that is told of answers that are no
    choice. What is told of choices beside it is summed for each look."""

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
