"""Send calls of runs as batches, which are cheaper and answered within a day.

A part of a run claims its calls. A batch takes over the claims and is stored before it is sent. The
part returns to the queue and waits for the batch. Workers poll the batch under its own lease and
store its answers as answered calls; then the part continues. Questions that depend on answers are
the next batch. A call without a readable answer is made alone.
"""

import json
import logging
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, islice, takewhile
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import LEASE, Holding, LeaseLost
from annotate.work.outgoing import looking
from evaluation.judges.entailment.loading import PairError, ScorerError
from evaluation.judges.entailment.posting import (
    GoneError,
    ServerRefusedError,
    SilentError,
    UnheardError,
)
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking.batches import BatchAPI, BatchProgress
from evaluation.language_models.asking.calling import BatchPendingError, Call
from evaluation.language_models.asking.client import ModelClient, values_of
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN
from evaluation.language_models.asking.server_apis import Reply
from evaluation.language_models.asking_models import (
    SPEAKER,
    client_for,
    varied_of,
    wants_batches,
)
from evaluation.language_models.connections import connection_of
from evaluation.language_models.costs import usual_tokens
from evaluation.language_models.model_calls import READ_AT_ONCE, StudyCalls
from evaluation.models import ModelBatch, ModelCall, Run, Shard
from evaluation.models.calls import open_batches
from evaluation.models.runs import BILLION
from evaluation.runs.queue import send_next, tell_end

log = logging.getLogger(__name__)

State = ModelBatch.State

MOST_CALLS, MOST_BYTES = 2_000, 30_000_000
"""Limits of a batch, since requests and answers are held in memory once."""

LOGPROB_BYTES = 60_000
"""Approximate size of an answer with log-probabilities."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(minutes=15)
"""Time between two polls of a batch, which doubles each time."""

LOST_AFTER = timedelta(minutes=15)
"""After this time a batch that the vendor does not list was not received."""

SILENT = timedelta(days=3)
"""How long a vendor may be unreachable."""

TELL_EVERY = 1.0

BATCH: jobs.Kind[ModelBatch] = jobs.Kind(
    model=ModelBatch,
    task="evaluation.look_at_batch",
    steps={State.WAITING: State.WORKING},
    queue=lambda _: Run.Queue.OUTSIDE,
    related=("study", "run", "connection"),
    may_begin=lambda batch: batch.due_at <= timezone.now(),
    given_up=lambda batch: _fail_runs(batch, BATCH.died),
    advice="Check the worker's log, then try again. Nothing is sent or paid for again.",
)

REFUSED = (
    "The server refused a batch as a whole, or failed at it: none of it was answered. The log of "
    "this installation says more. Try again, or ask for a new run without batches."
)
TAKES_NO_BATCHES = "{} takes no batches. Ask for a new run without them."


@dataclass(frozen=True, slots=True)
class _Line:
    """One call as a line of a batch."""

    call: Call
    name: str
    body: dict[str, Any]
    size: int
    told: int
    values: Sequence[str] | None
    cost: int


class BatchPost:
    """Send the calls of a part that holds the lease `token`."""

    def __init__(self, run: Run, token: str, speaker: ModelClient) -> None:
        self._run = run
        self._token = token
        self._speaker = speaker
        settings = JudgeSettings(**run.settings)
        connection = connection_of(run, settings)
        assert connection is not None
        self._connection = connection
        self._api = BatchAPI(speaker.server)
        self._calls = StudyCalls(run.study, repeat=varied_of(settings).repeat)
        self._written = round(usual_tokens(run, "written"))
        self._is_out = False

    def asks_first(self, call: Call) -> bool:
        """Return whether the server may still refuse a parameter of such a call."""
        return not self._speaker.is_known(call.schema, call.sampling)

    def refuse_to_wait(self) -> None:
        """Raise `BatchPendingError` if calls are in an open batch."""
        if self._is_out:
            raise BatchPendingError

    def __call__(self, calls: Iterable[Call]) -> Iterator[Call]:
        """Yield the calls to make one by one: left unanswered by a batch, or beyond the budget for
        one."""
        before = ModelBatch.objects.filter(shards__run=self._run)
        before = before.exclude(run__state=Run.State.CANCELLED)
        plainly = {name for names in before.values_list("unanswered", flat=True) for name in names}
        lines: list[_Line] = []
        size = 0
        for call in calls:
            line = self._line(call)
            if line.name in plainly:
                yield call
                continue
            if lines and (len(lines) == MOST_CALLS or size + line.size > MOST_BYTES):
                yield from self._send(lines)
                lines, size = [], 0
            lines.append(line)
            size += line.size
        yield from self._send(lines)

    def _line(self, call: Call) -> _Line:
        told = len(call.prompt.system + call.prompt.user) // CHARS_OF_TOKEN
        body = self._speaker.body(call.prompt, call.schema, call.sampling)
        values = values_of(call.schema, call.sampling)
        return _Line(
            call,
            name=self._calls.name(self._speaker.fingerprint, call.digest),
            body=body,
            size=len(json.dumps(body)) + (0 if values is None else LOGPROB_BYTES),
            told=told,
            values=values,
            cost=self._connection.cost(told, 0, self._written, batched=True),
        )

    def _send(self, lines: Sequence[_Line]) -> Iterator[Call]:
        """Send as many calls as the budget allows; yield those to make one by one."""
        while lines and (batch := self._store_batch(lines)) is not None:
            self._is_out = True
            self._deliver(Holding(BATCH, batch), lines[: batch.size])
            lines = lines[batch.size :]
        if not self._is_out:
            yield from (line.call for line in lines)

    def _store_batch(self, lines: Sequence[_Line]) -> ModelBatch | None:
        """Store a batch of the first calls and claim them; None if the budget has no room. Open
        batches may free some of it, so the part then waits for them."""
        with transaction.atomic():
            run = Run.objects.select_for_update(of=("self",), no_key=True).get(pk=self._run.pk)
            shard = Shard.objects.filter(run=run, lease_token=self._token).first()
            if shard is None:
                raise LeaseLost
            if run.state != Run.State.RUNNING:
                self._is_out = True
                return None
            lines = _within(lines, _room(run))
            if not lines:
                out = list(open_batches(run))
                shard.batches.add(*out)
                self._is_out = self._is_out or bool(out)
                return None
            batch = ModelBatch.objects.create(
                study=self._run.study,
                run=run,
                connection=self._connection,
                name=secrets.token_hex(16),
                size=len(lines),
                calls={line.name: [line.told, line.values] for line in lines},
                reserved=sum(line.cost for line in lines),
                state=State.WORKING,
                attempts=1,
                worker=jobs.this_worker(),
                lease_token=secrets.token_hex(16),
                lease_until=timezone.now() + LEASE,
            )
            batch.shards.add(shard)
            self._take(batch, [line.name for line in lines])
        return batch

    def _take(self, batch: ModelBatch, names: Sequence[str]) -> None:
        """Move the part's claims to the batch."""
        taken = 0
        for first in range(0, len(names), READ_AT_ONCE):
            ours = ModelCall.objects.filter(
                study=batch.study,
                digest__in=names[first : first + READ_AT_ONCE],
                lease_token=self._token,
            )
            taken += ours.update(lease_token=batch.name)
        if taken < len(names):
            raise LeaseLost  # another worker took over the claims

    def _deliver(self, holding: Holding[ModelBatch], lines: Sequence[_Line]) -> None:
        """Send the batch. After an error that leaves delivery unknown, workers look it up."""
        batch = holding.row
        key = ""
        with holding.kept():
            try:
                key = self._api.send(batch.name, {line.name: line.body for line in lines})
            except UnheardError as problem:
                log.warning("batch %s: perhaps it came through: %s", batch.pk, problem)
            except ScorerError as problem:
                with transaction.atomic():
                    holding.renew()
                    _calls_of(batch).delete()
                    batch.delete()
                if isinstance(problem, GoneError):
                    raise ScorerError(
                        TAKES_NO_BATCHES.format(self._speaker.server.door.called)
                    ) from None
                raise
            finally:
                _poll_later(holding, vendor_key=key)


def _within(lines: Sequence[_Line], room: int | None) -> Sequence[_Line]:
    """Return the first lines whose cost fits into the budget."""
    if room is None:
        return lines
    costs = accumulate(line.cost for line in lines)
    return lines[: sum(1 for _ in takewhile(lambda cost: cost <= room, costs))]


def _room(run: Run) -> int | None:
    """Return the unspent and unreserved part of the budget, in billionths of a dollar."""
    if run.budget is None:
        return None
    held = run.batches.filter(state__in=ModelBatch.HELD).aggregate(sum=Sum("reserved"))["sum"]
    return int(run.budget * BILLION) - run.spent - (held or 0)


def batch_post_of(run: Run, token: str, asker: ModelAsker) -> BatchPost | None:
    """Return the sender of a run that wants batches, or None."""
    if not wants_batches(JudgeSettings(**run.settings)):
        return None
    assert isinstance(asker.scorer, ModelClient)
    return BatchPost(run, token, asker.scorer)


def work(key: int, *, worker: str = "") -> bool:
    """Poll a batch if it is due and no other worker does."""
    return jobs.work(BATCH, key, _poll, fail=_fail, worker=worker)


@jobs.swept
def poll_due_batches(now: datetime) -> None:
    """Queue a poll of every batch that is due."""
    for batch in BATCH.waiting.filter(due_at__lte=now).defer("calls", "unanswered"):
        if batch.sent_at is None or batch.sent_at < jobs.silent_before(now, batch.due_at):
            jobs.send_row(BATCH, batch)


def _poll(holding: Holding[ModelBatch]) -> None:
    batch = holding.row
    is_cancelled = batch.run.state == Run.State.CANCELLED
    speaker = _speaker_of(batch)
    api = BatchAPI(speaker.server)
    with looking(holding.renew, every=TELL_EVERY):
        key = batch.vendor_key or _vendor_key(batch, api)
        if key is None:
            _poll_later(holding)
            return
        if not key:  # it was not received: its calls are sent again
            log.warning("batch %s did not come through", batch.pk)
            _finish_batch(holding)
            return
        try:
            progress = api.progress(key)
            if not progress.over:
                if is_cancelled and not progress.cancelling:
                    with suppress(ServerRefusedError):  # it just ended
                        api.cancel(key)
                answered = min(progress.answered, batch.size)
                _poll_later(holding, vendor_key=key, answered=answered)
                return
            heard = _store_answers(holding, speaker, api.answers(progress))
            if heard < progress.answered and timezone.now() < batch.created_at + SILENT:
                log.warning("batch %s: %s of %s answers", batch.pk, heard, progress.answered)
                _poll_later(holding, vendor_key=key)  # the missing answers were paid for
                return
        except GoneError:
            log.warning("batch %s is not there any more", batch.pk)
            progress = BatchProgress(over=True, answered=0)
    _finish_batch(
        holding, vendor_key=key, heard=True, refused=progress.refused and not is_cancelled
    )


def _vendor_key(batch: ModelBatch, api: BatchAPI) -> str | None:
    """Return the server's key of a batch that may have arrived: empty if it did not, None if
    that is still open."""
    found = api.find(batch.name, since=batch.created_at)
    if not found and timezone.now() < batch.created_at + LOST_AFTER:
        return None
    return found


def _store_answers(
    holding: Holding[ModelBatch], speaker: ModelClient, answers: Iterable[tuple[str, object]]
) -> int:
    """Store the answers of a batch and return how many came. Unreadable ones are asked again
    one by one."""
    batch = holding.row
    calls = StudyCalls(batch.study, batch.run, batch.connection)
    heard = 0
    known = ((name, one) for name, one in answers if one is not None and name in batch.calls)
    while some := list(islice(known, READ_AT_ONCE)):
        replies: dict[str, Reply] = {}
        for name, answer in some:
            with suppress(PairError):
                replies[name] = speaker.read(answer, *batch.calls[name])
        heard += len(some)
        with transaction.atomic():
            holding.renew()
            calls.put_batch(replies)
    return heard


def _poll_later(holding: Holding[ModelBatch], **fields: object) -> None:
    """Release the batch until its next poll."""
    looks = holding.row.looks
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(looks, 10))
    due = timezone.now() + pause
    holding.requeue(due_at=due, looks=looks + 1, attempts=0, deaths=0, **fields)


def _finish_batch(
    holding: Holding[ModelBatch], *, heard: bool = False, refused: bool = False, **fields: object
) -> None:
    """Finish a batch. Calls without an answer are released, and asked one by one if the server
    answered."""
    batch = holding.row
    with transaction.atomic():
        holding.renew()
        rows = _calls_of(batch)
        left = list(rows.values_list("digest", flat=True))
        rows.delete()
        holding.finish(
            State.DONE,
            calls={},
            reserved=0,
            answered=batch.size - len(left),
            unanswered=left if heard and not refused else [],
            error=REFUSED if refused else "",
            **fields,
        )
    if refused:
        _fail_runs(batch, REFUSED)
    waiting = Run.objects.filter(shards__batches=batch).order_by()
    for queue in waiting.values_list("queue", flat=True).distinct():
        send_next(queue)


def _fail(holding: Holding[ModelBatch], problem: Exception) -> None:
    """Poll an unreachable vendor later. A batch that cannot be read keeps its calls, which may
    be paid for; parts that need them poll it again."""
    batch = holding.row
    silent = isinstance(problem, SilentError) and timezone.now() < batch.created_at + SILENT
    if silent:
        _poll_later(holding)
        return
    known = isinstance(problem, (ScorerError, Refused))
    if not known:
        log.exception("batch %s could not be read", batch.pk, exc_info=problem)
    message = str(problem) if known else f"{type(problem).__name__}: {problem}"
    holding.finish(State.FAILED, error=message)
    _fail_runs(batch, message)


def _fail_runs(batch: ModelBatch, why: str) -> None:
    """Fail the runs that wait for the batch."""
    going = Run.objects.filter(
        state__in=[Run.State.RUNNING, Run.State.PAUSED],
        pk__in=batch.shards.filter(state=Shard.State.WAITING).values("run"),
    )
    for run in going:
        with transaction.atomic():
            if Run.objects.filter(pk=run.pk, state=run.state).update(
                state=Run.State.FAILED,
                error=why,
                error_place=f"a batch of {batch.size:,} calls",
                finished_at=timezone.now(),
            ):
                tell_end(run, Run.State.FAILED)


def _speaker_of(batch: ModelBatch) -> ModelClient:
    """Return the client of the server that received a batch; refuse a changed connection."""
    run = batch.run
    if batch.connection is None:
        raise Refused("The connection through which this was sent was deleted.")
    speaker = client_for(batch.connection, JudgeSettings(**run.settings))
    if not isinstance(speaker, ModelClient) or speaker.fingerprint != run.plan[SPEAKER]:
        raise Refused(
            "Its connection or settings changed after sending, so the answers cannot be read. "
            "Existing verdicts are kept. Start a new run."
        )
    return speaker


def _calls_of(batch: ModelBatch) -> QuerySet[ModelCall]:
    """Return the calls of a batch that have no answer."""
    return ModelCall.objects.filter(study=batch.study_id, lease_token=batch.name)
