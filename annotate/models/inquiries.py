"""Raters' questions to the researchers about a task, and the answers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.batch import Batch
from annotate.models.content import Unit
from annotate.models.judging import Judge


class InquiryQuerySet(models.QuerySet["Inquiry"]):
    def kept(self) -> "InquiryQuerySet":
        """Leave out inquiries about deleted batches and systems."""
        return self.filter(
            batch__deleted_at__isnull=True, unit__response__system__deleted_at__isnull=True
        )


class Inquiry(models.Model):
    """A thread of messages about one question of a task.

    It is open while the last message is the rater's. `seen_at` is when the rater last read it.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="inquiries")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="inquiries")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="inquiries")
    dimension = models.CharField(max_length=30)
    is_open = models.BooleanField(default=True)
    seen_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)

    objects = InquiryQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "inquiries"
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "judge", "unit", "dimension"], name="inquiry_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.unit_id}: {self.dimension}"

    @property
    def asked(self) -> str:
        """The rater's last message."""
        return [m.text for m in self.messages.all() if not m.is_answer][-1]


class InquiryMessage(models.Model):
    """A rater's question, or a researcher's answer.

    All raters of the batch see a `shared` answer and the question before it, without names.
    """

    inquiry = models.ForeignKey(Inquiry, on_delete=models.CASCADE, related_name="messages")
    text = models.TextField()
    is_answer = models.BooleanField(default=False)
    shared = models.BooleanField(default=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    edit = models.CharField(max_length=36, blank=True)
    """The browser's id of it. Sending it again does not create another message."""

    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["inquiry", "edit"], condition=~Q(edit=""), name="inquiry_message_unique"
            ),
            models.CheckConstraint(
                condition=Q(is_answer=True) | Q(shared=False),
                name="inquiry_only_answers_are_shared",
            ),
        ]

    def __str__(self) -> str:
        return self.text
