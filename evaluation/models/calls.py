"""What language models answered: each call once, since each is paid for."""

from django.db import models
from django.utils import timezone

from annotate.models import Study


class ModelCall(models.Model):
    """One answer to one prompt about a study's data, which goes with the study.

    `digest` is made of the model's fingerprint and of all that it was told.
    """

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="model_calls", db_index=False
    )
    digest = models.CharField(max_length=32)
    text = models.TextField(blank=True)
    why = models.CharField(max_length=100, blank=True)
    """What ended it, where it is not whole."""

    asked = models.PositiveIntegerField(default=0)
    written = models.PositiveIntegerField(default=0)
    """Tokens, as the server counted them."""

    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "digest"], name="model_call_unique"),
        ]

    def __str__(self) -> str:
        return self.text[:60] or self.why
