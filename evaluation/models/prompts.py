"""How a study asks language models, in its own words."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotate.models import Study


class StudyPrompt(models.Model):
    """One version of a prompt of the study's own, as the file of a style holds it
    (`evaluation/language_models/asking/prompts.py`). It never changes: another text is another
    version."""

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
