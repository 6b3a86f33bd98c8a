"""Putting a study aside: out of the lists, and nothing is rated in it any more. Nothing is lost."""

from django.db import transaction
from django.utils import timezone

from annotate.models import Batch, Study, User
from annotate.rating.batches.lifecycle import close_batch
from annotate.web import audit


def archive(study: Study, *, by: User | None = None) -> Study:
    """Close what is open, and leave the study out of the lists until it is taken up again."""
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
    """Take a study up again. Batches that were closed with it are opened one by one."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.archived_at is not None:
            locked.archived_at = None
            locked.save(update_fields=["archived_at"])
            audit.note("study-unarchived", locked, by=by)
    return locked
