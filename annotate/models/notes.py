"""What researchers tell one another about a response."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotate.models.content import Response


class ResponseNote(models.Model):
    """A note on a response, for the study's researchers alone: raters and viewers see none."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text
