"""Calls of runs that are sent as batches, answered within a day and for less.

A part of a run claims its calls. A batch takes over the claims and is written before it is sent;
the part is put back, and nobody holds it until the batch is done. Workers poll the batch under its
own lease and keep its answers as answered calls; then the part goes on. Questions that depend on
answers are the next batch. A call without a readable answer is made one by one.
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
from evaluation.language_models.allowed import connection_of
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking.batches import BatchAPI, BatchProgress
from evaluation.language_models.asking.calling import Call, SentError
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN
from evaluation.language_models.asking.speaker import Speaker, values_of
from evaluation.language_models.asking.speech import Reply
from evaluation.language_models.asking_models import (
    SPEAKER,
    speaker_through,
    varied_of,
    wants_batches,
)
from evaluation.language_models.costs import usual_tokens
from evaluation.language_models.model_calls import READ_AT_ONCE, StudyCalls
from evaluation.models import ModelBatch, ModelCall, Run, Shard
from evaluation.models.batches import open_batches
from evaluation.models.spending import BILLION
from evaluation.runs.queue import send_next, tell_end

log = logging.getLogger(__name__)

State = ModelBatch.State

MOST_CALLS, MOST_BYTES = 2_000, 30_000_000
"""Of a batch: what is sent and what comes back stands in memory once."""

TOLD_BYTES = 60_000
"""About so many an answer has that tells how likely each piece of it was."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(minutes=15)
"""Between two looks at a batch: longer each time."""

UNHEARD = timedelta(minutes=15)
"""After so long a batch that nobody finds at the vendor's did not come through."""

SILENT = timedelta(days=3)
"""So long a vendor may be out of reach."""

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
NO_BATCHES = "{} takes no batches. Ask for a new run without them."


@dataclass(frozen=True, slots=True)
class _Line:
    """A call as a batch has it."""

    call: Call
    name: str
    body: dict[str, Any]
    size: int
    told: int
    values: Sequence[str] | None
    cost: int


class BatchPost:
    """Sends the calls of a part that holds the lease `token`."""

    def __init__(self, run: Run, token: str, speaker: Speaker) -> None:
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
        """Whether nobody knows yet that the server takes what such a call tells it."""
        return not self._speaker.is_known(call.schema, call.manner)

    def refuse_to_wait(self) -> None:
        """Raise `SentError` where any are out."""
        if self._is_out:
            raise SentError

    def __call__(self, calls: Iterable[Call]) -> Iterator[Call]:
        """Those to be made here: what a batch brought no answer to, and what the rest of the budget
        pays for no batch of."""
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
        body = self._speaker.body(call.prompt, call.schema, call.manner)
        values = values_of(call.schema, call.manner)
        return _Line(
            call,
            name=self._calls.name(self._speaker.fingerprint, call.digest),
            body=body,
            size=len(json.dumps(body)) + (0 if values is None else TOLD_BYTES),
            told=told,
            values=values,
            cost=self._connection.cost(told, 0, self._written, batched=True),
        )

    def _send(self, lines: Sequence[_Line]) -> Iterator[Call]:
        """Send as many as the budget has room for; those that are to be made here."""
        while lines and (batch := self._written_down(lines)) is not None:
            self._is_out = True
            self._deliver(Holding(BATCH, batch), lines[: batch.size])
            lines = lines[batch.size :]
        if not self._is_out:
            yield from (line.call for line in lines)

    def _written_down(self, lines: Sequence[_Line]) -> ModelBatch | None:
        """A batch of the first of some calls, which are its own from now on; None where there is
        room for none. What is out may leave room, so that is waited for then."""
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
        """Calls that are ours become the batch's."""
        taken = 0
        for first in range(0, len(names), READ_AT_ONCE):
            ours = ModelCall.objects.filter(
                study=batch.study,
                digest__in=names[first : first + READ_AT_ONCE],
                lease_token=self._token,
            )
            taken += ours.update(lease_token=batch.name)
        if taken < len(names):
            raise LeaseLost  # others took them for a dead worker's

    def _deliver(self, holding: Holding[ModelBatch], lines: Sequence[_Line]) -> None:
        """Send it. Whatever breaks that off, a batch that may have come through is looked for."""
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
                    raise ScorerError(NO_BATCHES.format(self._speaker.server.door.called)) from None
                raise
            finally:
                _later(holding, vendor_key=key)


def _within(lines: Sequence[_Line], room: int | None) -> Sequence[_Line]:
    """The first of them, as far as there is room."""
    if room is None:
        return lines
    costs = accumulate(line.cost for line in lines)
    return lines[: sum(1 for _ in takewhile(lambda cost: cost <= room, costs))]


def _room(run: Run) -> int | None:
    """What is left of a budget that is neither spent nor reserved for what is out, in billionths
    of a dollar."""
    if run.budget is None:
        return None
    held = run.batches.filter(state__in=ModelBatch.HELD).aggregate(sum=Sum("reserved"))["sum"]
    return int(run.budget * BILLION) - run.spent - (held or 0)


def post_of(run: Run, token: str, asker: ModelAsker) -> BatchPost | None:
    """What sends the calls of a run that wants batches."""
    if not wants_batches(JudgeSettings(**run.settings)):
        return None
    assert isinstance(asker.scorer, Speaker)
    return BatchPost(run, token, asker.scorer)


def work(key: int, *, worker: str = "") -> bool:
    """Look at a batch, if it is time and nobody else does."""
    return jobs.work(BATCH, key, _look, fail=_fail, worker=worker)


@jobs.swept
def look_at_batches(now: datetime) -> None:
    """Have those looked at whose time it is."""
    for batch in BATCH.waiting.filter(due_at__lte=now).defer("calls", "unanswered"):
        if batch.sent_at is None or batch.sent_at < jobs.silent_before(now, batch.due_at):
            jobs.send_row(BATCH, batch)


def _look(holding: Holding[ModelBatch]) -> None:
    batch = holding.row
    is_cancelled = batch.run.state == Run.State.CANCELLED
    speaker = _speaker_of(batch)
    api = BatchAPI(speaker.server)
    with looking(holding.renew, every=TELL_EVERY):
        key = batch.vendor_key or _found(batch, api)
        if key is None:
            _later(holding)
            return
        if not key:  # it did not come through: it is sent again
            log.warning("batch %s did not come through", batch.pk)
            _end(holding)
            return
        try:
            progress = api.progress(key)
            if not progress.over:
                if is_cancelled and not progress.cancelling:
                    with suppress(ServerRefusedError):  # it has just ended
                        api.cancel(key)
                answered = min(progress.answered, batch.size)
                _later(holding, vendor_key=key, answered=answered)
                return
            heard = _keep(holding, speaker, api.answers(progress))
            if heard < progress.answered and timezone.now() < batch.created_at + SILENT:
                log.warning("batch %s: %s of %s answers", batch.pk, heard, progress.answered)
                _later(holding, vendor_key=key)  # what is missing was paid for
                return
        except GoneError:
            log.warning("batch %s is not there any more", batch.pk)
            progress = BatchProgress(over=True, answered=0)
    _end(holding, vendor_key=key, heard=True, refused=progress.refused and not is_cancelled)


def _found(batch: ModelBatch, api: BatchAPI) -> str | None:
    """The server's key of a batch that may have arrived; empty if it has not, None while it still
    may."""
    found = api.find(batch.name, since=batch.created_at)
    if not found and timezone.now() < batch.created_at + UNHEARD:
        return None
    return found


def _keep(
    holding: Holding[ModelBatch], speaker: Speaker, answers: Iterable[tuple[str, object]]
) -> int:
    """Keep what was answered, for good, before anything is made of it; how many answers came, of
    which some may be of a form that nobody can read: these calls are asked plainly."""
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


def _later(holding: Holding[ModelBatch], **fields: object) -> None:
    """Let it be, until it is time to look again."""
    looks = holding.row.looks
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(looks, 10))
    due = timezone.now() + pause
    holding.put_back(due_at=due, looks=looks + 1, attempts=0, deaths=0, **fields)


def _end(
    holding: Holding[ModelBatch], *, heard: bool = False, refused: bool = False, **fields: object
) -> None:
    """It is done. What has no answer is nobody's; where it was heard, that is asked plainly."""
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
    """A vendor who is out of reach is asked later. What cannot be read otherwise keeps its calls,
    which may be paid for: whoever needs them has it looked at again."""
    batch = holding.row
    silent = isinstance(problem, SilentError) and timezone.now() < batch.created_at + SILENT
    if silent:
        _later(holding)
        return
    known = isinstance(problem, (ScorerError, Refused))
    if not known:
        log.exception("batch %s could not be read", batch.pk, exc_info=problem)
    said = str(problem) if known else f"{type(problem).__name__}: {problem}"
    holding.finish(State.FAILED, error=said)
    _fail_runs(batch, said)


def _fail_runs(batch: ModelBatch, why: str) -> None:
    """Runs that wait for it cannot go on."""
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


def _speaker_of(batch: ModelBatch) -> Speaker:
    """The server that was sent a batch. Its connection must not have changed since."""
    run = batch.run
    if batch.connection is None:
        raise Refused("The connection through which this was sent was deleted.")
    speaker = speaker_through(batch.connection, JudgeSettings(**run.settings))
    if not isinstance(speaker, Speaker) or speaker.fingerprint != run.plan[SPEAKER]:
        raise Refused(
            "Its connection or settings changed after sending, so the answers cannot be read. "
            "Existing verdicts are kept. Start a new run."
        )
    return speaker


def _calls_of(batch: ModelBatch) -> QuerySet[ModelCall]:
    """Those of its calls that have no answer."""
    return ModelCall.objects.filter(study=batch.study_id, lease_token=batch.name)
