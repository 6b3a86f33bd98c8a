"""What workers do. The messages only say where to look: services decide and write."""

from celery import shared_task

from annotate import jobs
from annotate.jobs import heartbeat as heartbeat
from annotate.services import deletion, uploads
from annotate.services.uploads.claiming import UPLOAD


@shared_task(name="annotate.work_on_upload")
def work_on_upload(upload_id: int) -> None:
    any(uploads.work(key) for key in jobs.in_turn(UPLOAD, upload_id))


@shared_task(name="annotate.remove_deleted")
def remove_deleted(removal_id: int) -> None:
    deletion.work(removal_id)
