"""Deleted studies, systems and batches: hidden until they are restored or their rows are removed.

`objects` and related managers leave them out; `every` includes them. Their names can be used again
meanwhile.
"""

from typing import TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.work.jobs.leased import Leased

M = TypeVar("M", bound=models.Model, covariant=True)


class Kept(models.Manager[M]):
    """The rows that are not deleted."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(deleted_at__isnull=True)


class Deletable(models.Model):
    """A model whose rows can be restored for a while after deletion."""

    deleted_at = models.DateTimeField(null=True, editable=False)

    every = models.Manager()

    class Meta:
        abstract = True


class Removal(Leased):
    """The deletion of a study, system or batch: the job that removes its rows after the deadline.

    It is deleted together with the object.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Deleted"
        REMOVING = "removing", "Being removed for good"
        FAILED = "failed", "Could not be removed"

    study = models.ForeignKey(
        "annotate.Study", on_delete=models.CASCADE, related_name="removals", db_index=False
    )
    system = models.OneToOneField(
        "annotate.System", on_delete=models.CASCADE, null=True, related_name="removal"
    )
    batch = models.OneToOneField(
        "annotate.Batch", on_delete=models.CASCADE, null=True, related_name="removal"
    )
    """The deleted batch. Without system and batch, the whole study is deleted."""

    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    due_at = models.DateTimeField()
    """The end of the time in which it can be restored. Then its rows are removed."""

    has_stopped = models.BooleanField(default=False)
    """Whether running jobs about it were cancelled."""

    class Meta:
        ordering = ["due_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(system__isnull=True, batch__isnull=True),
                name="removal_of_study_unique",
            ),
            models.CheckConstraint(
                condition=Q(system__isnull=True) | Q(batch__isnull=True), name="removal_of_one"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "removing", "failed"]),
                name="removal_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="removing", lease_until__isnull=False)
                | ~Q(state="removing") & Q(lease_until__isnull=True),
                name="removal_lease_while_removing",
            ),
        ]
        indexes = [models.Index(fields=["study"], name="removal_study")]

    def __str__(self) -> str:
        return f"{self.what} “{self.thing}”"

    @property
    def thing(self) -> Deletable:
        """The deleted object."""
        return self.system or self.batch or self.study

    @property
    def what(self) -> str:
        return str(self.thing._meta.verbose_name)

    @property
    def is_of_study(self) -> bool:
        return self.system_id is None and self.batch_id is None

    @property
    def can_be_put_back(self) -> bool:
        return self.state == self.State.WAITING and self.due_at > timezone.now()
