"""Addresses to be told: made, changed, tried out and removed; and telling them something again."""

import base64
import secrets
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from annotate import jobs
from annotate.models import Delivery, Study, User, Webhook
from annotate.outgoing import address_fault
from annotate.services import audit
from annotate.services.errors import Refused
from annotate.services.sealing import keeps, sealed
from annotate.services.webhooks.delivering import DELIVERY, PREFIX
from annotate.services.webhooks.telling import EVENTS, TEST, write
from annotate.services.webhooks.watching import holds, look

MOST, MOST_CHARS = 10, 2_000

FALLING = "agreement.fell"

keeps(Webhook, "sealed_secret", lambda webhook: webhook.url)


def make(
    study: Study, url: str, events: Sequence[str], *, mark: float | None = None, by: User | None
) -> tuple[Webhook, str]:
    """A new one, and its secret, which is shown now and never again."""
    url = url.strip()
    fault = address_fault(url) or ("The address is too long." if len(url) > MOST_CHARS else "")
    if fault:
        raise Refused(fault)
    _refuse_faults(events, mark)
    secret = PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    webhook = Webhook(study=study, url=url, events=_in_order(events), mark=mark, created_by=by)
    webhook.sealed_secret = sealed(secret, url)
    webhook.holding = sorted(holds(webhook))
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.webhooks.count() >= MOST:
            raise Refused(f"A study tells at most {MOST} addresses. Delete one first.")
        webhook.save()
        audit.note("webhook-saved", webhook, by=by, events=webhook.events)
    return webhook, secret


def change(
    webhook: Webhook, events: Sequence[str], *, mark: float | None = None, is_on: bool = True
) -> None:
    """Other events, another mark, or a pause: what waits is told when it is over, and what happens
    meanwhile is not."""
    _refuse_faults(events, mark)
    look(webhook.pk)
    webhook.events, webhook.mark, webhook.is_on = _in_order(events), mark, is_on
    webhook.holding = sorted(holds(webhook))
    with transaction.atomic():
        webhook.save(update_fields=["events", "mark", "is_on", "holding"])
        audit.note("webhook-saved", webhook, events=webhook.events, is_on=is_on)


def _refuse_faults(events: Sequence[str], mark: float | None) -> None:
    if unknown := set(events) - EVENTS.keys():
        raise Refused(f"No event is called {', '.join(sorted(unknown))}.")
    if not events:
        raise Refused("Choose at least one event.")
    if FALLING in events and mark is None:
        raise Refused("Say below which mark agreement is told to have fallen.")
    if mark is not None and not -1 <= mark <= 1:
        raise Refused(f"Expected a mark from -1 to 1, as coefficients have them; found {mark}.")


def _in_order(events: Sequence[str]) -> list[str]:
    return [event for event in EVENTS if event in events]


def remove(webhook: Webhook) -> None:
    """Tell it nothing any more, what waits included."""
    with transaction.atomic():
        audit.note("webhook-deleted", webhook)
        webhook.delete()


def try_out(webhook: Webhook) -> None:
    """Tell it that it is told."""
    with transaction.atomic():
        write([webhook], TEST, {})


def redeliver(delivery: Delivery) -> None:
    """Send something again, under its id."""
    with transaction.atomic():
        locked = Delivery.objects.select_for_update().get(pk=delivery.pk)
        if locked.state == Delivery.State.SENDING:
            raise Refused("It is being sent at the moment.")
        locked.ask_anew()
        locked.state, locked.due_at = Delivery.State.WAITING, timezone.now()
        locked.error, locked.finished_at = "", None
        locked.save()
        audit.note("webhook-redelivered", delivery.webhook, delivery=delivery.key)
        transaction.on_commit(lambda: jobs.send_row(DELIVERY, locked), robust=True)
    delivery.refresh_from_db()
