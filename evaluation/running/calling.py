"""Asking a language model at the cost of something that is made here."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from django.conf import settings as site

from annotate.jobs import Holding
from annotate.outgoing import looking
from evaluation.asking.calling import Caller, Model
from evaluation.asking.pacer import Pacer
from evaluation.models import Generation, Making
from evaluation.running.model_calls import StudyCalls
from evaluation.running.shards import TELL_EVERY, Late, refuse_late


@contextmanager
def asking(
    holding: Holding[Generation] | Holding[Making], model: Model, pace: Pacer
) -> Iterator[Caller]:
    """What makes calls under a row's lease, each kept before it is used, within its budget, and
    for some minutes from the first one on, until others have their turn; whether the row is still
    wanted is looked at meanwhile."""
    row = holding.row
    calls = StudyCalls(row.study, row, row.connection, row.lease_token)
    caller = Caller(model, calls, pace=pace)
    ends: list[float] = []

    def until() -> None:
        ends[:] = ends or [monotonic() + site.ATTEST_PART_MINUTES * 60]
        refuse_late(ends[0])

    caller.until = until
    try:
        with looking(holding.renew, every=TELL_EVERY):
            yield caller
    except Late as late:
        late.kept = sum(count.computed for count in caller.counts.values())
        raise
