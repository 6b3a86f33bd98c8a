"""Do one part of a run: a worker takes it, computes it, and stores all of it or nothing."""

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
from evaluation.judges.entailment.parallel import StopAsking
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking.calling import BatchPendingError
from evaluation.language_models.asking.judge import ModelJudge
from evaluation.language_models.asking_models import WORDINGS, planned_dimensions, with_questions
from evaluation.language_models.model_calls import BudgetSpentError
from evaluation.models import Run, Shard
from evaluation.runs.judge_making import (
    BufferedCache,
    DatabaseCache,
    judge_of_run,
    measured_lengths,
    record_speed,
)
from evaluation.runs.judging import (
    Outcome,
    item_of_response,
    items_of,
    prepare_claims,
    study_signature,
    write,
)
from evaluation.runs.model_batches import batch_post_of
from evaluation.runs.queue import PART, pause_spent, send_next, settle, tell_end
from evaluation.runs.trials import trial_items

log = logging.getLogger(__name__)

RUN_ERRORS = (ScorerError, ParserError, SplitterError, JudgeError, Refused)
"""Errors of the run itself, which every other part would meet as well."""

TIME_IS_UP = (
    "In {} minutes it got no answer, and other work waited for the place. Look whether the model "
    "answers, and how fast; then try again, with fewer calls at a time (batch, parallel)."
)

READ_IN_TURN = 10
"""Responses read at a time while a language model is asked."""

TELL_EVERY = 1.0
"""Seconds between two records of progress."""


class RunStopped(Exception):  # noqa: N818
    """The run was paused or cancelled."""


class Late(StopAsking):
    """The time slice of the part is over."""

    kept = 0
    """The number of computed pairs, which are kept."""


def raise_if_late(ends: float) -> None:
    """Raise `Late` after the end of the time slice."""
    if monotonic() >= ends:
        raise Late


@dataclass(slots=True)
class PartProgress:
    """The progress of a part that this worker holds."""

    holding: Holding[Shard]
    answered: int = 0
    total: int = 0
    tell: Progress | None = None
    recorded_at: float = field(default_factory=monotonic)
    ends: float = math.inf
    """When the time slice ends."""

    _asked: tuple[str, int, int] = ("", 0, 0)
    """The wave in progress: its name, answered pairs, all pairs."""
    _known: int = 0
    """Pairs of the wave that were known before."""
    _before: int = 0
    """Pairs computed in earlier waves."""

    def progress(self, phase: str, answered: int, total: int) -> None:
        """Record progress about once a second; stop if the run was paused, cancelled or taken
        over. The pairs of all waves are one planned amount, so that the bar only grows."""
        if (phase, total) != (self._asked[0], self._asked[2]) or answered < self._asked[1]:
            self._before += self._asked[1] - self._known
            self._known = answered
        self._asked = (phase, answered, total)
        computed = self._before + answered - self._known
        expected = max(self._planned(), computed + total - answered)
        if self.total and self.answered:  # more than planned: the bar pauses
            expected = min(expected, max(computed, computed * self.total // self.answered))
        self.answered, self.total = computed, expected
        self.holding.progress.update(phase=phase, answered=computed, total=expected)
        if self.tell is not None:
            self.tell(phase, answered, total)
        if monotonic() - self.recorded_at >= TELL_EVERY:
            self.look()

    def look(self) -> None:
        """Renew the lease; stop if the run was stopped or the time slice is over."""
        self.recorded_at = monotonic()
        self.renew()
        raise_if_late(self.ends)

    def _planned(self) -> int:
        """Return the planned number of pairs for a part of this size."""
        shard = self.holding.row
        planned = shard.run.plan
        responses = planned.get("responses")
        return round(planned.get("pairs", 0) * shard.size / responses) if responses else 0

    def renew(self) -> None:
        """Renew the lease; raise `RunStopped` if the run is not running."""
        self.holding.renew()
        state = Run.objects.values_list("state", flat=True).get(pk=self.holding.row.run_id)
        if state != Run.State.RUNNING:
            raise RunStopped


@dataclass(slots=True)
class PartResult:
    """The results of a part before they are stored."""

    items: list[Item]
    verdicts: list[Verdict]
    signature: str
    asker: Asker | ModelAsker | None
    cache: BufferedCache
    lengths: dict[str, int]
    seconds: float


def work(shard_id: int, *, worker: str = "", tell: Progress | None = None) -> Shard | None:
    """Do a part if it is free; return it as it is afterwards. `tell` receives progress."""
    do = partial(_do_part, tell=tell)
    ours = jobs.work(PART, shard_id, do, fail=_fail, worker=worker)
    if jobs.this_worker():  # its slot is free again
        for queue in Run.objects.filter(shards=shard_id).values_list("queue", flat=True):
            send_next(queue)
    if not ours:
        return None
    return Shard.objects.filter(pk=shard_id).first()


def _do_part(holding: Holding[Shard], *, tell: Progress | None) -> None:
    watch = PartProgress(holding, tell=tell)
    result = _compute(holding.row, watch)
    watch.renew()
    _write(holding, result)
    settle(holding.row.run_id)


def _compute(shard: Shard, watch: PartProgress) -> PartResult:
    run = shard.run
    cache = BufferedCache(DatabaseCache())
    judge, asker = judge_of_run(run, cache, token=shard.lease_token, progress=watch.progress)
    if isinstance(asker, ModelAsker):
        asker.post = batch_post_of(run, shard.lease_token, asker)
    prepare_claims(run.study, judge, shard.responses)
    watch.progress("reading", 0, 0)
    items: list[Item] = []
    if isinstance(judge, ModelJudge):
        _refuse_changed_judge(run, judge)
    else:
        text_alone = spec_of(run.judge_name).of_whole_systems
        items += [
            item_of_response(run.study, response, record, text_alone=text_alone)
            for response, record in records_by_key(run.study, shard.responses)
        ]
    began = time.perf_counter()
    ends = monotonic() + settings.ATTEST_PART_MINUTES * 60
    if isinstance(judge, ModelJudge):
        judge.asker.until = partial(raise_if_late, ends)  # open calls are paid for
    else:
        watch.ends = ends
    scorer = asker.scorer if asker else None
    try:
        with measured_lengths(scorer) as lengths, looking(watch.look, every=TELL_EVERY):
            if isinstance(judge, ModelJudge):
                verdicts = judge.judge(_items_in_turn(shard, items))
            else:
                verdicts = judge.judge(items)
    except (RunStopped, Late, *RUN_ERRORS) as problem:
        # Keep the computed probabilities in the cache until the run continues.
        with transaction.atomic():
            kept = cache.write()
        if isinstance(asker, ModelAsker):
            kept = sum(count.computed for count in asker.counts.values())
        if isinstance(problem, Late):
            problem.kept = kept
        raise
    seconds = time.perf_counter() - began
    signature = study_signature(run.study, judge)
    return PartResult(items, verdicts, signature, asker, cache, lengths, seconds)


def _items_in_turn(shard: Shard, judged: list[Item]) -> Iterator[Item]:
    """Yield the responses of a part with their questions, read while earlier ones are asked.
    Each is added to `judged`."""
    run, size = shard.run, READ_IN_TURN
    keys = [shard.responses[n : n + size] for n in range(0, len(shard.responses), size)]
    items = (item for some in keys for item in items_of(run.study, some))
    asked = planned_dimensions(run, JudgeSettings(**run.settings))
    for item in trial_items(with_questions(run.study, asked, items, run=run), run):
        judged.append(item)
        yield item


def _refuse_changed_judge(run: Run, judge: AutomaticJudge) -> None:
    """Refuse to continue if the judge changed after planning: one run is one judge."""
    if study_signature(run.study, judge) != run.signature:
        raise Refused(
            "Its connection or settings changed after planning, which makes another judge. "
            "Existing verdicts are kept. Start a new run."
        )


def _write(holding: Holding[Shard], result: PartResult) -> None:
    """Store verdicts, entailments and the state of the part in one transaction."""
    shard = holding.row
    counts = result.asker.counts.values() if result.asker else ()
    computed = sum(count.computed for count in counts)
    with transaction.atomic():
        result.cache.write()
        if result.asker is not None:
            record_speed(result.asker.scorer.fingerprint, computed, result.asker.seconds)
        outcome = Outcome()
        if not shard.run.dry_units:
            wordings = shard.run.plan.get(WORDINGS, {})
            study, signature = shard.run.study, result.signature
            outcome = write(study, signature, result.items, result.verdicts, wordings=wordings)
        holding.finish(
            Shard.State.DONE,
            seconds=result.seconds,
            outcome=_outcome_json(outcome, result.asker) | {"lengths": result.lengths},
        )
        # Last, to lock the run briefly: other workers store parts meanwhile.
        run = Run.objects.select_for_update(no_key=True).get(pk=shard.run_id)
        if run.state not in {Run.State.RUNNING, Run.State.PAUSED}:
            raise LeaseLost
        if run.judge_id is None and outcome.judge is not None:
            run.judge = outcome.judge
            run.save(update_fields=["judge"])
    PARTS.inc()
    PAIRS.inc(computed)


def _outcome_json(outcome: Outcome, asker: Asker | ModelAsker | None) -> dict[str, Any]:
    """Return the part's outcome as the run's page reads it."""
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
    """Fail one part, or the run if every part would fail, or release the part to continue
    later."""
    shard = holding.row
    running = Run.objects.filter(pk=shard.run_id)
    if isinstance(problem, RunStopped):
        holding.release()
        if running.filter(state=Run.State.RUNNING).exists():
            send_next(shard.run.queue)  # it was resumed meanwhile
    elif isinstance(problem, BatchPendingError):
        holding.release()  # it waits for the batch
    elif isinstance(problem, BudgetSpentError):
        holding.release()
        pause_spent(shard.run)
    elif isinstance(problem, Late) and problem.kept:
        holding.release()  # others first; it continues when it is its turn
    elif isinstance(problem, RUN_ERRORS):
        with transaction.atomic():
            going = running.filter(state__in=[Run.State.RUNNING, Run.State.PAUSED])
            if holding.requeue() and going.update(
                state=Run.State.FAILED,
                error=error_text(problem),
                error_place=f"part {shard.number} of {shard.run.shards.count()}",
                finished_at=timezone.now(),
            ):
                tell_end(shard.run, Run.State.FAILED)
    else:
        if isinstance(problem, Late):
            problem = Late(TIME_IS_UP.format(settings.ATTEST_PART_MINUTES))
        else:
            log.exception("shard %s failed", shard.pk)
        where = _responses(shard.responses)
        holding.finish(Shard.State.FAILED, error=error_text(problem), error_place=where)
        settle(shard.run_id)


def error_text(problem: Exception) -> str:
    """Return an error in words; the type is named if the message is not written for people."""
    text = str(problem).strip()
    if isinstance(problem, (*RUN_ERRORS, Late)):
        return text
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def _responses(keys: Sequence[int]) -> str:
    return f"responses {keys[0]} to {keys[-1]}" if len(keys) > 1 else f"response {keys[0]}"
