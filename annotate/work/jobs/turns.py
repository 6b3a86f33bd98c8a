"""Whose turn it is: a message says that there is work of a kind, and not whose.

There are as many messages as rows that wait. Whoever takes one does a row of the study that has
least under way, and of two the one that was done something for longest ago; so fifty reports of one
study hold up no other's, in whatever order they were asked for.
"""

from collections.abc import Iterator

from django.db.models import Count, Max, Min, QuerySet
from django.utils import timezone

from annotate.work.jobs.kinds import Kind, W

TRIED = 10
"""Rows of one study that are tried: the first may have to wait for another of the study."""


def in_turn(kind: Kind[W], told: int, **only: object) -> Iterator[int]:
    """The keys to try one after the other: the next rows of each study, in turn, and at last the
    one that the message named, for what may begin although it does not wait. `only` says which
    rows are taken, where a kind's work belongs to several queues."""
    study, waiting = kind.related[0], kind.waiting.filter(**only)
    for one in _studies(kind, study, waiting):
        yield from waiting.filter(**{study: one}).values_list("pk", flat=True)[:TRIED]
    yield told


def _studies(kind: Kind[W], study: str, waiting: QuerySet[W]) -> list[int]:
    """Those for which something waits, the next first."""
    first = dict(waiting.order_by().values_list(study).annotate(first=Min("pk")))
    rows = kind.rows.filter(**{f"{study}__in": list(first)}).order_by().values_list(study)
    busy = dict(rows.filter(lease_until__gt=timezone.now()).annotate(count=Count("pk")))
    last = dict(rows.filter(finished_at__isnull=False).annotate(last=Max("finished_at")))
    return sorted(first, key=lambda one: (busy.get(one, 0), one in last, last.get(one), first[one]))
