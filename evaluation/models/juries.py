"""Judges that are made of judges."""

from django.db import models
from django.utils import timezone

from annotate.models import Judge


class Jury(models.Model):
    """That a judge's verdicts are made of other judges' (`runs/juries.py`)."""

    class Method(models.TextChoices):
        MAJORITY = "majority", "Majority"
        WEIGHTED = "weighted", "Weighted by labels"
        DAWID_SKENE = "dawid-skene", "Dawid-Skene"

    judge = models.OneToOneField(Judge, on_delete=models.CASCADE, related_name="jury")
    method = models.CharField(max_length=12, choices=Method.choices)
    weights = models.JSONField(default=dict)
    """Where it is weighted: of each question, what each judge's answer counts, by its name."""

    formed_of = models.JSONField(default=dict)
    """Of each question that it answers, the state of its judges' verdicts when it was formed, told
    by counts and last keys. Where that is another now, the jury is behind."""

    formed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(method__in=["majority", "weighted", "dawid-skene"]),
                name="jury_method_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.judge_id}: {self.method}"


class JuryMember(models.Model):
    """A judge of a jury. While it is one, its row stays, also where all of its verdicts are taken
    back (`runs/lifecycle.py`): the jury's are made of them."""

    jury = models.ForeignKey(Jury, on_delete=models.CASCADE, related_name="members", db_index=False)
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="juries")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["jury", "judge"], name="jury_member_unique")]

    def __str__(self) -> str:
        return f"{self.jury_id}: {self.judge_id}"
