"""Links by which somebody without an account reads one report."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotate.models import Study


class ReportLink(models.Model):
    """A link to the newest report under some filters. Of its secret only a digest is kept."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="report_links")
    filters = models.JSONField(default=dict)
    purpose = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    with_texts = models.BooleanField(default=False)
    """Whether words of questions, responses and passages are shown."""

    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.purpose or f"Link {self.pk}"
