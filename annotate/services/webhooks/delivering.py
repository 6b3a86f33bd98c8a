"""Sending what is to be told, signed as Standard Webhooks says, again and again until it arrives.

A delivery may arrive twice: where a worker dies after it was sent and before that is written down.
Its id is the same then.
"""

import base64
import hashlib
import hmac
import logging
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotate import jobs, outgoing
from annotate.jobs import Holding
from annotate.models import Delivery
from annotate.services.errors import Refused
from annotate.services.sealing import opened

log = logging.getLogger(__name__)

State = Delivery.State

QUEUE = "outside"

PREFIX = "whsec_"
"""Before a secret, which is base64 after it."""

WAITS = tuple(timedelta(minutes=each) for each in (0.5, 2, 10, 60, 180, 360, 720))
"""Between one try and the next; after the last, a day later, it is given up."""

SECONDS, MOST_BYTES = 10.0, 10_000
KEPT_TRIES = 20


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
    died=f"Its worker was killed {jobs.MOST_DEATHS} times while it sent this. Send it again.",
)


def deliver(delivery_id: int, *, worker: str = "") -> bool:
    """Send what is due, if nobody else does; whether it was tried."""
    return jobs.work(DELIVERY, delivery_id, _do, fail=_fail, worker=worker)


def signature(secret: str, key: str, stamp: int, body: str) -> str:
    """HMAC-SHA256 of id, time and body, by the secret as its owner has it."""
    signed = f"{key}.{stamp}.{body}".encode()
    made = hmac.new(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256)
    return f"v1,{base64.b64encode(made.digest()).decode()}"


def _do(holding: Holding[Delivery]) -> None:
    delivery = holding.row
    fault = _sent(delivery)
    told = {"at": timezone.now().isoformat(), "said": fault or "delivered"}
    tries = [*delivery.tries, told][-KEPT_TRIES:]
    if not fault:
        holding.finish(State.DONE, tries=tries, error="")
    elif delivery.attempts > len(WAITS):
        holding.finish(State.FAILED, tries=tries, error=fault)
    else:
        later = timezone.now() + WAITS[delivery.attempts - 1]
        holding.put_back(tries=tries, error=fault, due_at=later)


def _sent(delivery: Delivery) -> str:
    """Send it once; why it did not arrive, or nothing. What was answered is nobody's business
    here, since it may come from inside a network."""
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
            timeout=SECONDS,
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
    if isinstance(problem, Refused):
        error = str(problem)
    else:
        log.exception("%s failed", holding.row)
        error = f"{type(problem).__name__}. The worker's log says more."
    holding.finish(State.FAILED, error=error)


@jobs.swept
def look_after_deliveries(now: datetime) -> None:
    """Have those sent whose time has come, or whose message was lost."""
    wanted: dict[str, Any] = {"webhook__is_on": True, "webhook__study__deleted_at": None}
    for delivery in DELIVERY.waiting.filter(due_at__lte=now, **wanted):
        if delivery.sent_at is None or delivery.sent_at < jobs.silent_before(now, delivery.due_at):
            jobs.send_row(DELIVERY, delivery)
