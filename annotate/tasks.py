"""What workers do. The messages only say where to look: services decide and write."""

from celery import shared_task

from annotate.jobs import heartbeat as heartbeat
from annotate.services import uploads


@shared_task(name="annotate.work_on_upload")
def work_on_upload(upload_id: int) -> None:
    uploads.work(upload_id)
