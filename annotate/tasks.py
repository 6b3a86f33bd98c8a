"""The Celery tasks. They only pass a key; functions of rooms decide and write."""

from celery import shared_task

from annotate import uploads
from annotate.content import counts
from annotate.exchange import deletion
from annotate.models import Study
from annotate.studies import webhooks
from annotate.uploads.job import UPLOAD
from annotate.work import jobs
from annotate.work.jobs import heartbeat as heartbeat


@shared_task(name="annotate.work_on_upload")
def work_on_upload(upload_id: int) -> None:
    any(uploads.work(key) for key in jobs.in_turn(UPLOAD, upload_id))


@shared_task(name="annotate.remove_deleted")
def remove_deleted(removal_id: int) -> None:
    deletion.work(removal_id)


@shared_task(name="annotate.deliver")
def deliver(delivery_id: int) -> None:
    any(webhooks.deliver(key) for key in jobs.in_turn(webhooks.DELIVERY, delivery_id))


@shared_task(name="annotate.watch")
def watch(webhook_id: int) -> None:
    webhooks.check_conditions(webhook_id)


@shared_task(name="annotate.keep_counts")
def keep_counts(study_id: int) -> None:
    for study in Study.objects.filter(pk=study_id):
        counts.catch_up(study)
