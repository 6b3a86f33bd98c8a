"""Deleting for good, as after the days in which it can be put back."""

from django.utils import timezone

from annotate.exchange import deletion
from annotate.models import Removal


def due(removal):
    """Its time is over."""
    Removal.objects.filter(pk=removal.pk).update(due_at=timezone.now())
    return removal.pk


def gone(removal):
    """Its rows are removed."""
    assert deletion.work(due(removal))
    assert not Removal.objects.filter(pk=removal.pk).exists()
