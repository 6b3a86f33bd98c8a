"""One part of a run: taken by a worker, computed, and written whole or not at all."""

import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.exchange.streams import records_by_key
from annotate.text import SplitterError
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding, LeaseLost
from annotate.work.outgoing import looking
from annotate.work.telemetry import PAIRS, PARTS
from evaluation.claims.parsing import ParserError
from evaluation.judges import AutomaticJudge, Item, JudgeError, Verdict, spec_of
from evaluation.judges.entailment import Asker, ScorerError
from evaluation.judges.entailment.parallel import Enough
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking.calling import SentError
from evaluation.language_models.asking.judge import ModelJudge
from evaluation.language_models.asking_models import WORDINGS, planned_dimensions, with_questions
from evaluation.language_models.model_calls import SpentError
from evaluation.models import Run, Shard
from evaluation.runs.judge_making import made, measured_lengths
from evaluation.runs.judging import (
    Outcome,
    item_of_response,
    items_of,
    prepare_claims,
    signature_in,
    write,
)
from evaluation.runs.known_entailments import DatabaseCache, HeldBack, note_speed
from evaluation.runs.model_batches import post_of
from evaluation.runs.queue import PART, pause_spent, send_next, settle, tell_end
from evaluation.runs.trials import few_of

log = logging.getLogger(__name__)

CANNOT_RUN = (ScorerError, ParserError, SplitterError, JudgeError, Refused)
"""What is wrong with the run itself, and would be with every other part of it."""

TOO_LATE = (
    "In {} minutes it got no answer, and other work waited for the place. Look whether the model "
    "answers, and how fast; then try again, with fewer calls at a time (batch, parallel)."
)

READ_IN_TURN = 10
"""Responses that are read together while a language model is asked."""

TELL_EVERY = 1.0
"""Seconds between two notes of how far a shard has come."""


class Stopped(Exception):  # noqa: N818
    """The run was paused or cancelled."""


class Late(Enough):
    """The part has held its place for as long as it may."""

    kept = 0
    """How many pairs were computed meanwhile, which are kept."""


def refuse_late(ends: float) -> None:
    """Raise `Late` where others are to have the place."""
    if monotonic() >= ends:
        raise Late


@dataclass(slots=True)
class Watch:
    """How far a shard has come that is ours for the time being."""

    holding: Holding[Shard]
    answered: int = 0
    total: int = 0
    tell: Progress | None = None
    told_at: float = field(default_factory=monotonic)
    ends: float = math.inf
    """When others are to have the place."""

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
        self.answered, self.total = computed, expected
        self.holding.noted.update(phase=phase, answered=computed, total=expected)
        if self.tell is not None:
            self.tell(phase, answered, total)
        if monotonic() - self.told_at >= TELL_EVERY:
            self.look()

    def look(self) -> None:
        """Stop where nobody waits for it any more, or others have waited long enough."""
        self.told_at = monotonic()
        self.renew()
        refuse_late(self.ends)

    def _planned(self) -> int:
        """The pairs that a part of this size computes at most, by the plan."""
        shard = self.holding.row
        planned = shard.run.plan
        responses = planned.get("responses")
        return round(planned.get("pairs", 0) * shard.size / responses) if responses else 0

    def renew(self) -> None:
        """Hold it for longer, and stop where it is not ours or the run does not run any more."""
        self.holding.renew()
        state = Run.objects.values_list("state", flat=True).get(pk=self.holding.row.run_id)
        if state != Run.State.RUNNING:
            raise Stopped


@dataclass(slots=True)
class Computed:
    """What a shard found, not written yet."""

    items: list[Item]
    verdicts: list[Verdict]
    signature: str
    asker: Asker | ModelAsker | None
    cache: HeldBack
    lengths: dict[str, int]
    seconds: float


def work(shard_id: int, *, worker: str = "", tell: Progress | None = None) -> Shard | None:
    """Do a shard, if it is free; the shard as it is afterwards. `tell` hears of progress."""
    do = partial(_do, tell=tell)
    ours = jobs.work(PART, shard_id, do, fail=_fail, worker=worker)
    if jobs.this_worker():  # its place is free again
        for queue in Run.objects.filter(shards=shard_id).values_list("queue", flat=True):
            send_next(queue)
    if not ours:
        return None
    return Shard.objects.filter(pk=shard_id).first()


def _do(holding: Holding[Shard], *, tell: Progress | None) -> None:
    watch = Watch(holding, tell=tell)
    found = _compute(holding.row, watch)
    watch.renew()
    _write(holding, found)
    settle(holding.row.run_id)


def _compute(shard: Shard, watch: Watch) -> Computed:
    run = shard.run
    cache = HeldBack(DatabaseCache())
    judge, asker = made(run, cache, token=shard.lease_token, progress=watch.progress)
    if isinstance(asker, ModelAsker):
        asker.post = post_of(run, shard.lease_token, asker)
    prepare_claims(run.study, judge, shard.responses)
    watch.progress("reading", 0, 0)
    judged: list[Item] = []
    if isinstance(judge, ModelJudge):
        _refuse_another(run, judge)
    else:
        text_alone = spec_of(run.judge_name).of_whole_systems
        judged += [
            item_of_response(run.study, response, record, text_alone=text_alone)
            for response, record in records_by_key(run.study, shard.responses)
        ]
    began = time.perf_counter()
    ends = monotonic() + settings.ATTEST_PART_MINUTES * 60
    if isinstance(judge, ModelJudge):
        judge.asker.until = partial(refuse_late, ends)  # what it has asked is paid for
    else:
        watch.ends = ends
    scorer = asker.scorer if asker else None
    try:
        with measured_lengths(scorer) as lengths, looking(watch.look, every=TELL_EVERY):
            if isinstance(judge, ModelJudge):
                verdicts = judge.judge(_in_turn(shard, judged))
            else:
                verdicts = judge.judge(judged)
    except (Stopped, Late, *CANNOT_RUN) as problem:
        # What was computed is not lost: it waits in the cache for when the run goes on.
        with transaction.atomic():
            kept = cache.write()
        if isinstance(asker, ModelAsker):
            kept = sum(count.computed for count in asker.counts.values())
        if isinstance(problem, Late):
            problem.kept = kept
        raise
    seconds = time.perf_counter() - began
    signature = signature_in(run.study, judge)
    return Computed(judged, verdicts, signature, asker, cache, lengths, seconds)


def _in_turn(shard: Shard, judged: list[Item]) -> Iterator[Item]:
    """The responses of a part with what the form asks about them, read while the model is asked
    about those before; each is put into `judged`, too."""
    run, size = shard.run, READ_IN_TURN
    keys = [shard.responses[n : n + size] for n in range(0, len(shard.responses), size)]
    items = (item for some in keys for item in items_of(run.study, some))
    asked = planned_dimensions(run, JudgeSettings(**run.settings))
    for item in few_of(with_questions(run.study, asked, items, run=run), run):
        judged.append(item)
        yield item


def _refuse_another(run: Run, judge: AutomaticJudge) -> None:
    """Refuse to go on where the model would be told otherwise than was planned: one run is one
    judge."""
    if signature_in(run.study, judge) != run.signature:
        raise Refused(
            "Its connection or settings changed after planning, which makes another judge. "
            "Existing verdicts are kept. Start a new run."
        )


def _write(holding: Holding[Shard], found: Computed) -> None:
    """Verdicts, entailments and the shard's own state, together."""
    shard = holding.row
    counts = found.asker.counts.values() if found.asker else ()
    computed = sum(count.computed for count in counts)
    with transaction.atomic():
        found.cache.write()
        if found.asker is not None:
            note_speed(found.asker.scorer.fingerprint, computed, found.asker.seconds)
        outcome = Outcome()
        if not shard.run.dry_units:
            wordings = shard.run.plan.get(WORDINGS, {})
            study, signature = shard.run.study, found.signature
            outcome = write(study, signature, found.items, found.verdicts, wordings=wordings)
        holding.finish(
            Shard.State.DONE,
            seconds=found.seconds,
            outcome=_noted(outcome, found.asker) | {"lengths": found.lengths},
        )
        # Last, so that it is locked for a moment only: others write their shards meanwhile.
        run = Run.objects.select_for_update(no_key=True).get(pk=shard.run_id)
        if run.state not in {Run.State.RUNNING, Run.State.PAUSED}:
            raise LeaseLost
        if run.judge_id is None and outcome.judge is not None:
            run.judge = outcome.judge
            run.save(update_fields=["judge"])
    PARTS.inc()
    PAIRS.inc(computed)


def _noted(outcome: Outcome, asker: Asker | ModelAsker | None) -> dict[str, Any]:
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
        "reasons": outcome.reasons,
        "waves": counts,
    }


def _fail(holding: Holding[Shard], problem: Exception) -> None:
    """A fault in this part lets the others go on; what is wrong everywhere ends the run."""
    shard = holding.row
    running = Run.objects.filter(pk=shard.run_id)
    if isinstance(problem, Stopped):
        holding.release()
        if running.filter(state=Run.State.RUNNING).exists():
            send_next(shard.run.queue)  # it goes on already
    elif isinstance(problem, SentError):
        holding.release()  # nobody holds it until the batch is done
    elif isinstance(problem, SpentError):
        holding.release()
        pause_spent(shard.run)
    elif isinstance(problem, Late) and problem.kept:
        holding.release()  # others first; it goes on from there when it is its turn
    elif isinstance(problem, CANNOT_RUN):
        with transaction.atomic():
            going = running.filter(state__in=[Run.State.RUNNING, Run.State.PAUSED])
            if holding.put_back() and going.update(
                state=Run.State.FAILED,
                error=said(problem),
                error_place=f"part {shard.number} of {shard.run.shards.count()}",
                finished_at=timezone.now(),
            ):
                tell_end(shard.run, Run.State.FAILED)
    else:
        if isinstance(problem, Late):
            problem = Late(TOO_LATE.format(settings.ATTEST_PART_MINUTES))
        else:
            log.exception("shard %s failed", shard.pk)
        where = _responses(shard.responses)
        holding.finish(Shard.State.FAILED, error=said(problem), error_place=where)
        settle(shard.run_id)


def said(problem: Exception) -> str:
    """An error as a person may read it; what is not meant for people is named by its kind."""
    text = str(problem).strip()
    if isinstance(problem, (*CANNOT_RUN, Late)):
        return text
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def _responses(keys: Sequence[int]) -> str:
    return f"responses {keys[0]} to {keys[-1]}" if len(keys) > 1 else f"response {keys[0]}"
