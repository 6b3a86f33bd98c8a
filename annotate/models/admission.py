"""Who may come by a batch's link."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.batch import Batch
from annotate.models.study import Study


class Admission(models.Model):
    """On which terms people come by a batch's link. A batch without one lets anybody in."""

    class Rule(models.TextChoices):
        ANYBODY = "anybody", "Anybody with the link"
        LISTED = "listed", "Only ids on the list"
        PROLIFIC = "prolific", "Only those of whom Prolific says that they take part"
        SIGNED = "signed", "Only by links that Prolific has signed"

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="admission")
    rule = models.CharField(max_length=10, choices=Rule.choices, default=Rule.ANYBODY)
    prolific_study = models.CharField(max_length=100, blank=True)
    sealed_token = models.TextField(blank=True)
    """Of Prolific's programming interface, encrypted; nobody is ever shown it."""

    own_codes = models.BooleanField(default=False)
    """Whether everybody gets a completion code of their own."""

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
        """Whether only known ids come in."""
        return self.rule in {self.Rule.LISTED, self.Rule.PROLIFIC}


class AdmittedId(models.Model):
    """An id that may come: listed by a researcher, or told by the platform."""

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
    """Somebody new came by a link of the study, or tried to: from which network address, as a
    digest that is forgotten after a day."""

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
