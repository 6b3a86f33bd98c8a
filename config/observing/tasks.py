"""Give log lines of a worker's task the id of the request that sent it."""

from typing import Any

from celery.signals import setup_logging, task_prerun

from annotate.work.telemetry import begin


@task_prerun.connect
def begin_task(task: Any = None, **_: object) -> None:
    headers = getattr(task.request, "headers", None) or {}
    begin(request_id=headers.get("asked_in", ""))


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Keep our log settings. Without a receiver of this signal, Celery replaces them."""
