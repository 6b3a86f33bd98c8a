"""A message in a worker: its lines in the log name the request that asked for it."""

from typing import Any

from celery.signals import setup_logging, task_prerun

from annotate.work.telemetry import begin


@task_prerun.connect
def begin_task(task: Any = None, **_: object) -> None:
    headers = getattr(task.request, "headers", None) or {}
    begin(request_id=headers.get("asked_in", ""))


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Celery would put its own form of the log in the place of ours, if nobody listened here."""
