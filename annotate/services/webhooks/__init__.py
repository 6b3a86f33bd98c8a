"""Telling others, at addresses of theirs, what happens in a study."""

from annotate.services.webhooks.delivering import DELIVERY, deliver, signature
from annotate.services.webhooks.keeping import change, make, redeliver, remove, try_out
from annotate.services.webhooks.telling import EVENTS, tell
from annotate.services.webhooks.watching import look, watched

__all__ = [
    "DELIVERY",
    "EVENTS",
    "change",
    "deliver",
    "look",
    "make",
    "redeliver",
    "remove",
    "signature",
    "tell",
    "try_out",
    "watched",
]
