"""What workers do. The messages only say where to look: services decide and write."""

import logging
from threading import Thread
from time import sleep

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection

from annotate.services import uploads

log = logging.getLogger(__name__)

LOOK_EVERY = 30


@shared_task(name="annotate.work_on_upload")
def work_on_upload(upload_id: int) -> None:
    uploads.work(upload_id)


@worker_ready.connect
def look_after_uploads(**_: object) -> None:
    """A worker looks for work whose message or worker was lost: at its start, and ever after."""
    Thread(target=_look_again_and_again, name="lost uploads", daemon=True).start()
    uploads.wake()


def _look_again_and_again() -> None:
    while True:
        sleep(LOOK_EVERY)
        try:
            uploads.look_after()
            connection.close()
        except Exception:
            log.exception("cannot look for lost uploads now")
