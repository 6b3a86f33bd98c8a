"""One part of a run: taken by a worker, computed, and written whole or not at all."""

import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.utils import timezone

from annotate.export.streams import records_by_key
from annotate.segment import SplitterError
from annotate.services.errors import Refused
from evaluation.claims.parsing import ParserError
from evaluation.entailment import Asker, ScorerError
from evaluation.judges import Item, JudgeError, Verdict
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.models import Run, Shard
from evaluation.running.judge_making import made, measured_lengths
from evaluation.running.judging import (
    Outcome,
    item_of_response,
    prepare_claims,
    write,
)
from evaluation.running.known_entailments import DatabaseCache, HeldBack, note_speed
from evaluation.running.queue import LEASE, send_shards

log = logging.getLogger(__name__)

CANNOT_RUN = (ScorerError, ParserError, SplitterError, JudgeError, Refused)
"""What is wrong with the run itself, and would be with every other part of it."""

MOST_TRIES = 10
"""A part that the database refused to write so often, fails with what the database says."""

TELL_EVERY = 1.0
"""Seconds between two notes of how far a shard has come."""


class LeaseLost(Exception):  # noqa: N818
    """Another worker took over, so this one must write nothing more."""


class Stopped(Exception):  # noqa: N818
    """The run was paused or cancelled."""


@dataclass(slots=True)
class Holding:
    """A shard that is ours for the time being, and how far it has come."""

    shard: Shard
    phase: str = ""
    answered: int = 0
    total: int = 0
    tell: Progress | None = None
    told_at: float = field(default_factory=time.monotonic)
    _asked: tuple[str, int, int] = ("", 0, 0)
    """What was asked last: the wave, how many pairs were answered, and how many there are."""
    _known: int = 0
    """How many of them were known before."""
    _before: int = 0
    """The pairs that were computed for earlier questions."""

    def progress(self, phase: str, answered: int, total: int) -> None:
        """Note it now and then, and stop where the run was paused, cancelled or taken over.

        The pairs of all waves are one amount, planned beforehand, so that the bar only grows.
        """
        if (phase, total) != (self._asked[0], self._asked[2]) or answered < self._asked[1]:
            self._before += self._asked[1] - self._known
            self._known = answered
        self._asked = (phase, answered, total)
        computed = self._before + answered - self._known
        expected = max(self._planned(), computed + total - answered)
        if self.total and self.answered:  # more than was planned: it stands still for a while
            expected = min(expected, max(computed, computed * self.total // self.answered))
        self.phase, self.answered, self.total = phase, computed, expected
        if self.tell is not None:
            self.tell(phase, answered, total)
        now = time.monotonic()
        if now - self.told_at >= TELL_EVERY:
            self.told_at = now
            self.renew()

    def _planned(self) -> int:
        """The pairs that a part of this size computes at most, by the plan."""
        planned = self.shard.run.plan
        responses = planned.get("responses")
        return round(planned.get("pairs", 0) * self.shard.size / responses) if responses else 0

    def keep(self) -> bool:
        """Hold the lease for longer; whether it is still ours."""
        return bool(
            _mine(self.shard).update(
                lease_until=timezone.now() + LEASE,
                phase=self.phase,
                answered=self.answered,
                total=self.total,
            )
        )

    def renew(self) -> None:
        """Hold it for longer, and stop where it is not ours or the run does not run any more."""
        if not self.keep():
            raise LeaseLost
        state = Run.objects.values_list("state", flat=True).get(pk=self.shard.run_id)
        if state != Run.State.RUNNING:
            raise Stopped


@dataclass(slots=True)
class Computed:
    """What a shard found, not written yet."""

    items: list[Item]
    verdicts: list[Verdict]
    signature: str
    asker: Asker | None
    cache: HeldBack
    lengths: dict[str, int]
    seconds: float


def work(
    shard_id: int,
    *,
    worker: str = "",
    hold: Callable[[Holding], Any] | None = None,
    tell: Progress | None = None,
) -> Shard | None:
    """Do a shard, if it is free; the shard as it is afterwards.

    `hold` is a context that keeps the lease while nothing else does; `tell` hears of progress.
    """
    shard = claim(shard_id, worker=worker)
    if shard is None:
        return None
    holding = Holding(shard, tell=tell)
    try:
        if hold is None:
            _do(shard, holding)
        else:
            with hold(holding):
                _do(shard, holding)
    except (LeaseLost, Run.DoesNotExist):
        log.warning("shard %s: taken over by another worker, or deleted", shard.pk)
    except Stopped:
        _release(shard)
        if Run.objects.filter(pk=shard.run_id, state=Run.State.RUNNING).exists():
            send_shards(shard.run, [shard.pk])  # it goes on already
    except CANNOT_RUN as problem:
        _fail_run(shard, problem)
    except (OperationalError, InterfaceError) as problem:
        # The database went away or was busy for long: the lease runs out, others try again.
        log.warning("shard %s: %s", shard.pk, problem)
        _try_later(shard, problem)
    except Exception as problem:
        log.exception("shard %s failed", shard.pk)
        _fail(shard, problem)
    except BaseException:
        _release(shard)  # somebody stops this process
        raise
    return Shard.objects.filter(pk=shard_id).first()


def claim(shard_id: int, *, worker: str = "") -> Shard | None:
    """Take a shard that waits, in a run that runs; none where there is nothing to take."""
    token = secrets.token_hex(16)
    with transaction.atomic():
        shard = (
            Shard.objects.select_for_update(of=("self",), no_key=True)
            .select_related("run__study")
            .filter(pk=shard_id)
            .first()
        )
        if shard is None or shard.run.state != Run.State.RUNNING:
            return None
        if shard.state != Shard.State.WAITING:
            return None
        shard.state = Shard.State.WORKING
        shard.attempts += 1
        shard.lease_token = token
        shard.lease_until = timezone.now() + LEASE
        shard.worker = worker
        shard.phase, shard.answered, shard.total = "", 0, 0
        shard.error = shard.error_place = ""
        shard.save()
    return shard


def _do(shard: Shard, holding: Holding) -> None:
    found = _compute(shard, holding)
    holding.renew()
    _write(shard, found)
    settle(shard.run_id)


def _compute(shard: Shard, holding: Holding) -> Computed:
    run = shard.run
    settings = JudgeSettings(**run.settings)
    cache = HeldBack(DatabaseCache())
    judge, asker = made(settings, run.study, cache, progress=holding.progress)
    prepare_claims(run.study, judge, shard.responses)
    holding.progress("reading", 0, 0)
    text_alone = settings.spec.of_whole_systems
    items = [
        item_of_response(run.study, response, record, text_alone=text_alone)
        for response, record in records_by_key(run.study, shard.responses)
    ]
    began = time.perf_counter()
    try:
        with measured_lengths(asker.scorer if asker else None) as lengths:
            verdicts = judge.judge(items)
    except (Stopped, *CANNOT_RUN):
        # What was computed is not lost: it waits in the cache for when the run goes on.
        with transaction.atomic():
            cache.write()
        raise
    return Computed(
        items, verdicts, judge.signature, asker, cache, lengths, time.perf_counter() - began
    )


def _write(shard: Shard, found: Computed) -> None:
    """Verdicts, entailments and the shard's own state, together."""
    with transaction.atomic():
        found.cache.write()
        if found.asker is not None:
            computed = sum(count.computed for count in found.asker.counts.values())
            note_speed(found.asker.scorer.fingerprint, computed, found.asker.seconds)
        outcome = write(shard.run.study, found.signature, found.items, found.verdicts)
        done = _mine(shard).update(
            state=Shard.State.DONE,
            lease_token="",
            lease_until=None,
            finished_at=timezone.now(),
            seconds=found.seconds,
            outcome=_noted(outcome, found.asker) | {"lengths": found.lengths},
        )
        if not done:
            raise LeaseLost
        # Last, so that it is locked for a moment only: others write their shards meanwhile.
        run = Run.objects.select_for_update(no_key=True).get(pk=shard.run_id)
        if run.state not in {Run.State.RUNNING, Run.State.PAUSED}:
            raise LeaseLost
        if run.judge_id is None and outcome.judge is not None:
            run.judge = outcome.judge
            run.save(update_fields=["judge"])


def _noted(outcome: Outcome, asker: Asker | None) -> dict[str, Any]:
    """What of it the run's page shows."""
    counts = {} if asker is None else {wave: asdict(c) for wave, c in asker.counts.items()}
    return {
        "responses": outcome.responses,
        "new": outcome.new,
        "changed": outcome.changed,
        "unchanged": outcome.unchanged,
        "measures": outcome.measures,
        "measured_before": outcome.measured_before,
        "not_judged": dict(outcome.not_judged),
        "waves": counts,
    }


def settle(run_id: int) -> None:
    """End a run that has no shard left to do."""
    with transaction.atomic():
        run = Run.objects.select_for_update(no_key=True).filter(pk=run_id).first()
        if run is None or run.state not in {Run.State.RUNNING, Run.State.PAUSED}:
            return
        open_states = [Shard.State.WAITING, Shard.State.WORKING]
        if run.shards.filter(state__in=open_states).exists():
            return
        failed = run.shards.filter(state=Shard.State.FAILED)
        count = failed.count()
        first = failed.first()
        run.state = Run.State.FAILED if count else Run.State.DONE
        run.error = "" if first is None else first.error
        run.error_place = "" if first is None else _place(count, run.shards.count(), first)
        run.finished_at = timezone.now()
        run.save(update_fields=["state", "error", "error_place", "finished_at"])


def _place(failed: int, all_of_them: int, first: Shard) -> str:
    where = f"{failed} of {all_of_them} parts failed; this was part {first.number}"
    return f"{where}, {first.error_place}" if first.error_place else where


def _mine(shard: Shard) -> Any:
    return Shard.objects.filter(
        pk=shard.pk, lease_token=shard.lease_token, state=Shard.State.WORKING
    )


def _release(shard: Shard) -> None:
    """Put it back, as if nobody had tried."""
    _mine(shard).update(
        state=Shard.State.WAITING,
        attempts=shard.attempts - 1,
        lease_token="",
        lease_until=None,
        sent_at=None,
    )


def _try_later(shard: Shard, problem: Exception) -> None:
    """Put it back if the database answers again; else its lease runs out."""
    try:
        if shard.attempts >= MOST_TRIES:
            _fail(shard, problem)
        elif _mine(shard).update(
            state=Shard.State.WAITING, lease_token="", lease_until=None, sent_at=None
        ):
            send_shards(shard.run, [shard.pk])
    except DatabaseError:
        log.warning("shard %s: the database does not answer; it waits for its lease", shard.pk)


def _fail(shard: Shard, problem: Exception) -> None:
    """A fault in this part; the others go on."""
    _mine(shard).update(
        state=Shard.State.FAILED,
        lease_token="",
        lease_until=None,
        finished_at=timezone.now(),
        error=said(problem),
        error_place=_responses(shard.responses),
    )
    settle(shard.run_id)


def _fail_run(shard: Shard, problem: Exception) -> None:
    """What is wrong here is wrong everywhere: the run fails at once, with the reason."""
    with transaction.atomic():
        if not _mine(shard).update(
            state=Shard.State.WAITING, lease_token="", lease_until=None, sent_at=None
        ):
            return
        Run.objects.filter(pk=shard.run_id, state__in=[Run.State.RUNNING, Run.State.PAUSED]).update(
            state=Run.State.FAILED,
            error=said(problem),
            error_place=f"part {shard.number} of {shard.run.shards.count()}",
            finished_at=timezone.now(),
        )


def said(problem: Exception) -> str:
    """An error as a person may read it; what is not meant for people is named by its kind."""
    text = str(problem).strip()
    if isinstance(problem, CANNOT_RUN):
        return text
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def _responses(keys: Sequence[int]) -> str:
    return f"responses {keys[0]} to {keys[-1]}" if len(keys) > 1 else f"response {keys[0]}"
