"""Archive a study: hide it from the lists, and stop rating. All data stay."""

from django.db import transaction
from django.utils import timezone

from annotate.models import Batch, Study, User
from annotate.rating.batches.lifecycle import close_batch
from annotate.web import audit


def archive(study: Study, *, by: User | None = None) -> Study:
    """Close open batches, and hide the study from the lists until it is unarchived."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.archived_at is None:
            locked.archived_at = timezone.now()
            locked.save(update_fields=["archived_at"])
            audit.note("study-archived", locked, by=by)
            for batch in locked.batches.filter(state=Batch.State.OPEN):
                close_batch(batch)
    return locked


def unarchive(study: Study, *, by: User | None = None) -> Study:
    """Unarchive a study. Closed batches are opened again one by one."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.archived_at is not None:
            locked.archived_at = None
            locked.save(update_fields=["archived_at"])
            audit.note("study-unarchived", locked, by=by)
    return locked
