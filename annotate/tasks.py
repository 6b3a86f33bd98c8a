"""What workers do. The messages only say where to look: services decide and write."""

from celery import shared_task
from celery.signals import worker_ready

from annotate.services import uploads


@shared_task(name="annotate.work_on_upload")
def work_on_upload(upload_id: int) -> None:
    uploads.work(upload_id)


@worker_ready.connect
def pick_up_what_was_left(**_: object) -> None:
    """A worker that starts looks for work whose message or worker was lost."""
    uploads.wake()
