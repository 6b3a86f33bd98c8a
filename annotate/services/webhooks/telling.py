"""What there is to tell, and writing down that it is to be told.

`tell` stands in the service that changes a state, inside its transaction: what happened is told,
and what was rolled back is not.
"""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate import jobs
from annotate.models import Delivery, Webhook
from annotate.services.webhooks.delivering import DELIVERY, QUEUE

EVENTS: Mapping[str, str] = {
    "upload.loaded": "A file was loaded",
    "upload.failed": "A file could not be checked or loaded",
    "batch.finished": "A batch has all its ratings",
    "run.done": "A run is done",
    "run.failed": "A run failed",
    "report.ready": "A report is ready",
    "agreement.fell": "Agreement fell below the mark",
}
"""Every event there is, as people are told of it."""

TEST = "test"

KEPT = timedelta(days=30)
"""So long it can be seen that something was told, and sent again."""


def tell(study_id: int, event: str, **data: Any) -> None:
    """Write down for each address that wants it what is to be told, in the present transaction."""
    if event not in EVENTS:
        raise LookupError(f"No event is called {event!r}; add it to `EVENTS`.")
    on = Webhook.objects.filter(study=study_id, is_on=True).select_related("study")
    write([webhook for webhook in on if event in webhook.events], event, data)


def write(webhooks: list[Webhook], event: str, data: Mapping[str, Any]) -> None:
    """The same for some addresses of a study, whatever they want."""
    if not webhooks:
        return
    now = timezone.now()
    Delivery.objects.filter(webhook__in=webhooks, finished_at__lt=now - KEPT).delete()
    told = {"type": event, "timestamp": now.isoformat(), "study": webhooks[0].study.slug}
    body = json.dumps({**told, "data": data}, ensure_ascii=False)
    made = [Delivery(webhook=webhook, event=event, body=body) for webhook in webhooks]
    Delivery.objects.bulk_create(made)
    keys = [delivery.pk for delivery in made]
    transaction.on_commit(lambda: jobs.send(DELIVERY, QUEUE, keys), robust=True)
