"""Events that nobody causes: what is summed of many answers is looked at now and then, and told
when it holds and did not hold at the look before.

A worker looks, no more often than every half minute, and only where somebody wants to know.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate import jobs
from annotate.jobs.sending import tell as send
from annotate.models import Webhook
from annotate.services.webhooks.telling import write

Holding = Mapping[str, Mapping[str, Any]]
"""What holds now, by a name, and what is told of it."""

WATCHES: dict[str, Callable[[Webhook], Holding]] = {}

TASK = "annotate.watch"


def watched(event: str) -> Callable[[Callable[[Webhook], Holding]], Callable[[Webhook], Holding]]:
    """Above a function that says of what an event would be told now."""

    def named(watch: Callable[[Webhook], Holding]) -> Callable[[Webhook], Holding]:
        WATCHES[event] = watch
        return watch

    return named


def holds(webhook: Webhook) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """What holds now of all that an address wants to know."""
    return {
        f"{event} {name}": (event, data)
        for event, watch in WATCHES.items()
        if event in webhook.events
        for name, data in watch(webhook).items()
    }


def look(webhook_id: int) -> None:
    """Tell what has come to hold, once."""
    on = Webhook.objects.filter(pk=webhook_id, is_on=True, study__deleted_at=None)
    webhook = on.select_related("study").first()
    if webhook is None:
        return
    now = holds(webhook)  # may take long, in which nobody waits for a lock
    with transaction.atomic():
        locked = on.select_for_update(of=("self",)).first()
        if locked is None:
            return
        for name, (event, data) in now.items():
            if name not in locked.holding:
                write([locked], event, data)
        locked.holding = sorted(now)
        locked.save(update_fields=["holding"])


@jobs.swept
def look_now_and_then(at: datetime) -> None:
    """Have a worker look where nobody did for a while."""
    on = Webhook.objects.filter(is_on=True, study__deleted_at=None)
    due = Q(looked_at__lt=at - jobs.PATIENCE)
    for webhook in on.filter(due):
        wants = WATCHES.keys() & set(webhook.events)
        if wants and on.filter(due, pk=webhook.pk).update(looked_at=timezone.now()):
            send(TASK, "default", webhook.pk)
