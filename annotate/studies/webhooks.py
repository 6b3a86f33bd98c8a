"""Webhooks: send the events of a study to addresses.

`notify` is called in the transaction that changes a state, so a rollback sends nothing. Deliveries
are signed as in Standard Webhooks, and retried until they arrive. A delivery can arrive twice, with
the same id, when a worker dies right after sending it.
"""

import base64
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.models import Delivery, Study, User, Webhook
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.web.sealing import keeps, opened, sealed
from annotate.work import jobs, outgoing
from annotate.work.jobs import Holding, sending

log = logging.getLogger(__name__)

State = Delivery.State

EVENTS: Mapping[str, str] = {
    "upload.loaded": "A file was loaded",
    "upload.failed": "A file could not be checked or loaded",
    "batch.finished": "A batch has all its ratings",
    "run.done": "A run is done",
    "run.failed": "A run failed",
    "report.ready": "A report is ready",
    "agreement.fell": "Agreement fell below the mark",
}
"""All events with their labels."""

TEST, FALLING = "test", "agreement.fell"

QUEUE = "outside"
WATCH_TASK = "annotate.watch"

PREFIX = "whsec_"
"""The start of a secret, before its base64."""

WAITS = tuple(timedelta(minutes=each) for each in (0.5, 2, 10, 60, 180, 360, 720))
"""The pauses between tries. After the last, a day later, a delivery fails."""

KEPT = timedelta(days=30)
"""How long a finished delivery is listed and can be sent again."""

TIMEOUT_SECONDS, MOST_BYTES = 10.0, 10_000
KEPT_TRIES = 20
MOST, MOST_CHARS = 10, 2_000

keeps(Webhook, "sealed_secret", lambda webhook: webhook.url)


# Addresses ---------------------------------------------------------------------------------------


def create(
    study: Study, url: str, events: Sequence[str], *, mark: float | None = None, by: User | None
) -> tuple[Webhook, str]:
    """Create a webhook and return it with its secret, which is shown only once."""
    url = url.strip()
    fault = outgoing.address_fault(url) or (
        "The address is too long." if len(url) > MOST_CHARS else ""
    )
    if fault:
        raise Refused(fault)
    _refuse_faults(events, mark)
    secret = PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    webhook = Webhook(study=study, url=url, events=_in_order(events), mark=mark, created_by=by)
    webhook.sealed_secret = sealed(secret, url)
    webhook.holding = sorted(_conditions_of(webhook))
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
    """Change the events or the mark, or pause the webhook.

    Waiting deliveries are sent after the pause; events during the pause are not sent.
    """
    _refuse_faults(events, mark)
    check_conditions(webhook.pk)
    webhook.events, webhook.mark, webhook.is_on = _in_order(events), mark, is_on
    webhook.holding = sorted(_conditions_of(webhook))
    with transaction.atomic():
        webhook.save(update_fields=["events", "mark", "is_on", "holding"])
        audit.note("webhook-saved", webhook, events=webhook.events, is_on=is_on)


def _refuse_faults(events: Sequence[str], mark: float | None) -> None:
    if unknown := set(events) - EVENTS.keys():
        raise Refused(f"No event is called {', '.join(sorted(unknown))}.")
    if not events:
        raise Refused("Choose at least one event.")
    if FALLING in events and mark is None:
        raise Refused("Set the mark for falling agreement.")
    if mark is not None and not -1 <= mark <= 1:
        raise Refused(f"Expected a mark from -1 to 1, as coefficients have them; found {mark}.")


def _in_order(events: Sequence[str]) -> list[str]:
    return [event for event in EVENTS if event in events]


def remove(webhook: Webhook) -> None:
    """Delete a webhook and its deliveries."""
    with transaction.atomic():
        audit.note("webhook-deleted", webhook)
        webhook.delete()


# Events ------------------------------------------------------------------------------------------


def notify(study_id: int, event: str, **data: Any) -> None:
    """Create deliveries of an event to its webhooks, in the current transaction."""
    if event not in EVENTS:
        raise LookupError(f"No event is called {event!r}; add it to `EVENTS`.")
    on = Webhook.objects.filter(study=study_id, is_on=True).select_related("study")
    _write([webhook for webhook in on if event in webhook.events], event, data)


def send_test(webhook: Webhook) -> None:
    """Send a test event."""
    with transaction.atomic():
        _write([webhook], TEST, {})


def _write(webhooks: list[Webhook], event: str, data: Mapping[str, Any]) -> None:
    if not webhooks:
        return
    now = timezone.now()
    Delivery.objects.filter(webhook__in=webhooks, finished_at__lt=now - KEPT).delete()
    event_data = {"type": event, "timestamp": now.isoformat(), "study": webhooks[0].study.slug}
    body = json.dumps({**event_data, "data": data}, ensure_ascii=False)
    deliveries = [Delivery(webhook=webhook, event=event, body=body) for webhook in webhooks]
    Delivery.objects.bulk_create(deliveries)
    keys = [delivery.pk for delivery in deliveries]
    transaction.on_commit(lambda: jobs.send(DELIVERY, QUEUE, keys), robust=True)


# Conditions, which a worker checks at most every half minute ------------------------------------

Condition = Callable[[Webhook], Mapping[str, Mapping[str, Any]]]
"""Returns the names for which an event's condition is true, with the data of the event."""

CONDITIONS: dict[str, Condition] = {}


def condition_of(event: str) -> Callable[[Condition], Condition]:
    """Register the condition of an event."""

    def register(condition: Condition) -> Condition:
        CONDITIONS[event] = condition
        return condition

    return register


def _conditions_of(webhook: Webhook) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return the conditions of a webhook's events that are true now."""
    return {
        f"{event} {name}": (event, data)
        for event, condition in CONDITIONS.items()
        if event in webhook.events
        for name, data in condition(webhook).items()
    }


def check_conditions(webhook_id: int) -> None:
    """Send an event for each condition that became true since the last check."""
    on = Webhook.objects.filter(pk=webhook_id, is_on=True, study__deleted_at=None)
    webhook = on.select_related("study").first()
    if webhook is None:
        return
    now = _conditions_of(webhook)  # before the lock, because it may take long
    with transaction.atomic():
        locked = on.select_for_update(of=("self",)).first()
        if locked is None:
            return
        for name, (event, data) in now.items():
            if name not in locked.holding:
                _write([locked], event, data)
        locked.holding = sorted(now)
        locked.save(update_fields=["holding"])


@jobs.swept
def schedule_checks(at: datetime) -> None:
    """Enqueue the checks that are due."""
    on = Webhook.objects.filter(is_on=True, study__deleted_at=None)
    due = Q(looked_at__lt=at - jobs.PATIENCE)
    for webhook in on.filter(due):
        wanted = CONDITIONS.keys() & set(webhook.events)
        if wanted and on.filter(due, pk=webhook.pk).update(looked_at=timezone.now()):
            sending.send_message(WATCH_TASK, "default", webhook.pk)


# Deliveries --------------------------------------------------------------------------------------


def _may_begin(delivery: Delivery) -> bool:
    webhook = delivery.webhook
    is_wanted = webhook.is_on and webhook.study.deleted_at is None
    return is_wanted and delivery.due_at <= timezone.now()


DELIVERY = jobs.Kind(
    model=Delivery,
    task="annotate.deliver",
    steps={State.WAITING: State.SENDING},
    queue=lambda _: QUEUE,
    related=("webhook__study",),
    may_begin=_may_begin,
    advice="Send it again.",
)


def deliver(delivery_id: int, *, worker: str = "") -> bool:
    """Send a delivery that is due, unless another worker does; return whether it was tried."""
    return jobs.work(DELIVERY, delivery_id, _deliver, fail=_fail, worker=worker)


def redeliver(delivery: Delivery) -> None:
    """Send a delivery again, with the same id."""
    with transaction.atomic():
        locked = Delivery.objects.select_for_update().get(pk=delivery.pk)
        if locked.state == State.SENDING:
            raise Refused("It is being sent at the moment.")
        locked.reset_attempts()
        locked.state, locked.due_at = State.WAITING, timezone.now()
        locked.error, locked.finished_at = "", None
        locked.save()
        audit.note("webhook-redelivered", delivery.webhook, delivery=delivery.key)
        transaction.on_commit(lambda: jobs.send_row(DELIVERY, locked), robust=True)
    delivery.refresh_from_db()


def signature(secret: str, key: str, stamp: int, body: str) -> str:
    """Return the HMAC-SHA256 of id, time and body."""
    signed = f"{key}.{stamp}.{body}".encode()
    key_bytes = base64.b64decode(secret.removeprefix(PREFIX))
    digest = hmac.digest(key_bytes, signed, "sha256")
    return f"v1,{base64.b64encode(digest).decode()}"


def _deliver(holding: Holding[Delivery]) -> None:
    delivery = holding.row
    fault = _send(delivery)
    result = {"at": timezone.now().isoformat(), "said": fault or "delivered"}
    tries = [*delivery.tries, result][-KEPT_TRIES:]
    if not fault:
        holding.finish(State.DONE, tries=tries, error="")
    elif delivery.attempts > len(WAITS):
        holding.finish(State.FAILED, tries=tries, error=fault)
    else:
        later = timezone.now() + WAITS[delivery.attempts - 1]
        holding.requeue(tries=tries, error=fault, due_at=later)


def _send(delivery: Delivery) -> str:
    """Send it once and return why it did not arrive, or "".

    The answer's text is not stored, because it may come from inside a network.
    """
    webhook, stamp = delivery.webhook, int(time.time())
    secret = opened(webhook.sealed_secret, webhook.url)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Attest",
        "webhook-id": delivery.key,
        "webhook-timestamp": str(stamp),
        "webhook-signature": signature(secret, delivery.key, stamp, delivery.body),
    }
    try:
        answer = outgoing.post(
            webhook.url,
            delivery.body.encode(),
            headers,
            timeout=TIMEOUT_SECONDS,
            most_bytes=MOST_BYTES,
            allowed=settings.ATTEST_CALLED_NETWORKS,
        )
    except outgoing.NotAllowedError:
        return "the address leads nowhere, or where no call may go"
    except outgoing.UnreachableError as problem:
        log.warning("%s: %s", delivery, problem)
        return "there was no answer"
    return "" if 200 <= answer.status < 300 else f"the answer was {answer.status}"


def _fail(holding: Holding[Delivery], problem: Exception) -> None:
    error = str(problem)
    if not isinstance(problem, Refused):
        log.exception("%s failed", holding.row)
        error = f"{type(problem).__name__}. The worker's log says more."
    holding.finish(State.FAILED, error=error)


@jobs.swept
def resend_due_deliveries(now: datetime) -> None:
    """Send deliveries that are due, or whose message was lost."""
    wanted: dict[str, Any] = {"webhook__is_on": True, "webhook__study__deleted_at": None}
    for delivery in DELIVERY.waiting.filter(due_at__lte=now, **wanted):
        if delivery.sent_at is None or delivery.sent_at < jobs.silent_before(now, delivery.due_at):
            jobs.send_row(DELIVERY, delivery)
