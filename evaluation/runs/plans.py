"""Plan a run: count its work and divide it into parts."""

import logging
import time
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotate.content.units import create_units, make_claims
from annotate.models import Judge, Judgment, Response, Study, System, Unit
from annotate.protocol.dimensions import UnitKind
from annotate.rating.batches.pairs import pairs_by_question
from annotate.web.bulk import insert
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding
from annotate.work.outgoing import looking
from evaluation.judges import spec_of
from evaluation.judges.entailment import Asker
from evaluation.judges.entailment.asker import FAILED
from evaluation.judges.entailment.estimating import EstimatingAsker
from evaluation.judges.entailment.loading import PairError
from evaluation.judges.settings import JudgeSettings
from evaluation.judges.support import SINGLE
from evaluation.language_models.asking_models import (
    SPEAKER,
    model_judge,
    plan_details,
    planned_dimensions,
    with_questions,
)
from evaluation.models import Measure, Run, Shard
from evaluation.runs.judge_making import (
    BufferedCache,
    DatabaseCache,
    known_speed,
    make_judge,
    measured_lengths,
    record_speed,
    scorer_of,
)
from evaluation.runs.judging import (
    items_of,
    judge_name_of,
    refuse_taken_name,
    refuse_undivided,
    study_signature,
    systems_to_judge,
)
from evaluation.runs.lifecycle import chosen_responses, start
from evaluation.runs.parsed_claims import remember_trees
from evaluation.runs.queue import PLAN, WHILE_PLANNED, send_next, tell_end
from evaluation.runs.shards import RUN_ERRORS, TELL_EVERY, error_text
from evaluation.runs.trials import trial_items

log = logging.getLogger(__name__)

RESPONSES_AT_ONCE = 500
"""Responses read at a time."""

PARTS_AT_ONCE = 100
"""Parts inserted at a time."""

COUNTING_SECONDS = 60.0
"""Time limit for counting pairs; the rest of a larger study is extrapolated."""

SHARD_SECONDS = 30.0
"""Aimed duration of a part: short enough to repeat, long enough to fill batches."""

WARM_UP = 4
"""Pairs asked first, while the model loads; they do not count for its speed."""

LEAST, MOST = 20, 500
"""The smallest and largest number of responses in a part."""

CALLS_IN_TURN = 150
"""Consecutive calls in a part of a language model, times the calls under way at a time. No
calls run at the end of a part, while its judgments are stored."""


@dataclass(slots=True)
class Plan:
    """The work of a run."""

    signature: str
    keys: "array[int]" = field(default_factory=lambda: array("q"))
    """Response ids, eight bytes each; grouped by system if whole systems are judged."""

    systems: list[int] = field(default_factory=list)
    """The number of responses of each system if whole systems are judged."""

    judged_already: int = 0
    left_out: list[str] = field(default_factory=list)
    judgments: Counter[str] = field(default_factory=Counter)
    waves: dict[str, dict[str, int]] = field(default_factory=dict)
    speed: float | None = None
    lengths: dict[str, int] | None = None
    looked_at: int = 0
    tokens: int = 0
    """Approximate number of tokens that a language model will read."""

    size: int = 0
    """Responses in a part, if their pairs do not determine it."""

    fixed: dict[str, Any] = field(default_factory=dict)
    """Guidelines and wordings that a language model keeps until the run ends."""

    @property
    def pairs(self) -> int:
        """The largest number of pairs to compute, among the counted responses."""
        return sum(wave["unique"] - wave["cached"] for wave in self.waves.values())

    def as_json(self, shards: int) -> dict[str, Any]:
        """Return the plan as JSON, extrapolated to all responses."""
        scale = len(self.keys) / self.looked_at if self.looked_at else 1.0

        def scaled(count: int) -> int:
            return round(count * scale)

        return {
            "responses": len(self.keys),
            "judged_already": self.judged_already,
            "left_out": self.left_out,
            "judgments": {key: scaled(count) for key, count in self.judgments.items()},
            "waves": {
                name: {key: scaled(count) for key, count in wave.items()}
                for name, wave in self.waves.items()
            },
            "pairs": scaled(self.pairs),
            "speed": self.speed,
            "lengths": self.lengths,
            **({"tokens": scaled(self.tokens)} if self.tokens else {}),
            **self.fixed,
            "about": self.looked_at < len(self.keys),
            "shards": shards,
        }


def plan(run_id: int, *, worker: str = "") -> Run | None:
    """Plan a queued run; return it as it is afterwards, or None if another worker has it."""
    ours = jobs.work(PLAN, run_id, _plan_run, fail=_fail, worker=worker)
    run = Run.objects.filter(pk=run_id).first()
    if run is not None and jobs.this_worker():  # its slot is free again
        send_next(run.queue)
    return run if ours else None


def _plan_run(holding: Holding[Run]) -> None:
    _publish(holding, _plan_pairs(holding))


def _plan_pairs(holding: Holding[Run]) -> Plan:
    run = holding.row
    settings = JudgeSettings(**run.settings)
    if settings.spec.of_forms:
        return _plan_questions(holding, settings)
    scorer = scorer_of(run, settings)
    asker = None
    if scorer is not None:
        asker = EstimatingAsker(
            scorer,
            DatabaseCache(),
            threshold=settings.threshold,
            unlikely=frozenset({SINGLE}),
        )
    judge = make_judge(settings, run.study, asker)
    systems, left_out = systems_to_judge(run.study, settings.judge, run.systems)
    refuse_undivided(run.study, settings.judge, systems)
    signature = study_signature(run.study, judge)
    refuse_taken_name(run.study, signature)
    draft = Plan(signature, left_out=[system.name for system in left_out])
    _choose_responses(run, systems, draft)
    if asker is None or settings.spec.of_whole_systems:
        return draft
    for some in _counted_chunks(holding, draft):
        remember_trees(getattr(judge, "parser", None), some)
        verdicts = judge.judge(items_of(run.study, some))
        draft.judgments.update(verdict.dimension for verdict in verdicts)
    draft.waves = {wave: asdict(count) for wave, count in asker.counts.items()}
    if asker.sample:
        wanted = looking(holding.renew, every=TELL_EVERY)
        with measured_lengths(asker.scorer) as lengths, wanted:
            try:
                draft.speed = _speed(asker)
            except PairError as problem:
                log.warning("run %s: the speed cannot be measured: %s", run.pk, problem)
        draft.lengths = lengths or None
    return draft


def _plan_questions(holding: Holding[Run], settings: JudgeSettings) -> Plan:
    """Count the questions for a language model, including questions that depend on answers."""
    run = holding.row
    run.plan = plan_details(run, settings)
    judge = model_judge(run, settings)
    systems, left_out = systems_to_judge(run.study, settings.judge, run.systems)
    run.plan[SPEAKER] = judge.asker.scorer.fingerprint
    signature = study_signature(run.study, judge)
    refuse_taken_name(run.study, signature)
    draft = Plan(signature, left_out=[system.name for system in left_out], fixed=run.plan)
    _choose_responses(run, systems, draft)
    asked = planned_dimensions(run, settings)
    kinds = {one.unit_kind for one in asked}
    if UnitKind.PAIR in kinds:
        _make_pairs(holding, draft)
    if run.dry_units:
        draft.keys = draft.keys[: run.dry_units]
    if UnitKind.REFERENCE_CLAIM in kinds:
        _make_claims(holding, draft.keys)
    for some in _counted_chunks(holding, draft):
        questions = with_questions(run.study, asked, items_of(run.study, some), run=run)
        items = list(trial_items(questions, run))
        draft.judgments.update(one.dimension.key for item in items for one in item.asked)
        draft.tokens += judge.count(items)
    draft.waves = {wave: asdict(count) for wave, count in judge.asker.counts.items()}
    if draft.pairs:
        calls = CALLS_IN_TURN * judge.asker.pace.most
        draft.size = calls * draft.looked_at // draft.pairs
    return draft


def _counted_chunks(holding: Holding[Run], draft: Plan) -> "Iterator[array[int]]":
    """Yield responses in chunks until the time for counting is over, and renew the lease."""
    began = time.monotonic()
    for first in range(0, len(draft.keys), RESPONSES_AT_ONCE):
        some = draft.keys[first : first + RESPONSES_AT_ONCE]
        yield some
        draft.looked_at += len(some)
        holding.renew()
        if time.monotonic() - began > COUNTING_SECONDS:
            break


def _make_claims(holding: Holding[Run], responses: Sequence[int]) -> None:
    """Create units for the claims of references, which exist only after someone asks about
    them."""
    for first in range(0, len(responses), RESPONSES_AT_ONCE):
        with transaction.atomic():
            holding.renew()
            make_claims(holding.row.study, [*responses[first : first + RESPONSES_AT_ONCE]])


def _make_pairs(holding: Holding[Run], draft: Plan) -> None:
    """Create pairs of answers, which are units only after someone asks about them.

    Every two systems' answers to a question are compared, unless a batch made pairs of that
    question. A trial begins with responses that have pairs.
    """
    study, dry = holding.row.study, holding.row.dry_units
    named: dict[int, tuple[str, str, str]] = {}
    paired: set[str] = set()
    for first in range(0, len(draft.keys), RESPONSES_AT_ONCE):
        some = Response.objects.filter(pk__in=draft.keys[first : first + RESPONSES_AT_ONCE])
        names = some.values_list("pk", "question__external_id", "system__name", "run")
        named |= {key: (question, system, run) for key, question, system, run in names}
        pairs = Unit.objects.standing().filter(response__in=some, other__isnull=False)
        paired |= {*pairs.values_list("response__question__external_id", flat=True)}
    if dry:
        few = {named[key][0] for key in draft.keys[:dry]}
        draft.keys = array("q", [key for key in draft.keys if named[key][0] in few])
        named = {key: named[key] for key in draft.keys}
    wanted = [
        pair
        for question, pairs_of in pairs_by_question(named).items()
        if question not in paired
        for pair in pairs_of
    ]
    for first in range(0, len(wanted), RESPONSES_AT_ONCE):
        with transaction.atomic():
            holding.renew()
            create_units(study, UnitKind.PAIR, wanted[first : first + RESPONSES_AT_ONCE])
    if dry:
        own = Unit.objects.standing().filter(response__in=[*draft.keys], other__isnull=False)
        having = {*own.values_list("response", flat=True)}
        draft.keys = array("q", sorted(draft.keys, key=lambda key: key not in having))


def _choose_responses(run: Run, systems: Sequence[System], draft: Plan) -> None:
    """Choose the responses, without those already judged if the run asks for that. A language
    model's calls are cached one by one, so its responses are never skipped."""
    current = chosen_responses(run, systems)
    of_whole_systems = spec_of(run.judge_name).of_whole_systems
    if run.missing_only and not spec_of(run.judge_name).of_forms:
        judges = Judge.objects.filter(study=run.study, name=judge_name_of(draft.signature))
        own = Judgment.objects.filter(judge__in=judges, unit__response=OuterRef("pk"))
        measured = Measure.objects.filter(judge__in=judges, response=OuterRef("pk"))
        everything = current.count()
        # Retry responses on which the scorer failed.
        missing = current.filter(
            ~Exists(own) & ~Exists(measured)
            | Q(Exists(own.filter(skipped_reason__startswith=FAILED)))
            | Q(Exists(measured.filter(reason__startswith=FAILED)))
        )
        if of_whole_systems:
            current = current.filter(system__in=missing.values("system"))
        else:
            current = missing
        draft.judged_already = everything - current.count()
    if of_whole_systems:
        counts: Counter[int] = Counter()
        with_systems = current.order_by("system_id", "pk").values_list("pk", "system_id")
        for key, system in with_systems.iterator():
            draft.keys.append(key)
            counts[system] += 1
        draft.systems = list(counts.values())
    else:
        draft.keys.extend(current.order_by("pk").values_list("pk", flat=True).iterator())


def _speed(estimate: EstimatingAsker) -> float | None:
    """Return pairs per second: known, or measured on a few pairs, whose results are cached."""
    scorer = estimate.scorer
    known = known_speed(scorer.fingerprint)
    if known:
        return known
    cache = BufferedCache(DatabaseCache())
    asker = Asker(scorer, cache)
    asker.decide(estimate.sample[:WARM_UP])  # loads the model
    loading = asker.seconds
    rest = estimate.sample[WARM_UP:]
    asker.decide(rest, wave="measured")
    took = asker.seconds - loading if rest else loading
    computed = asker.counts["measured" if rest else ""].computed
    with transaction.atomic():
        cache.write()
        record_speed(scorer.fingerprint, computed, took)
    return computed / took if computed and took else None


def _parts(draft: Plan) -> Iterator[list[int]]:
    """Yield the responses of each part."""
    first = 0
    for size in draft.systems or _sizes(draft):
        yield draft.keys[first : first + size].tolist()
        first += size


def _sizes(draft: Plan) -> list[int]:
    """Return the number of responses in each part, for the aimed duration."""
    size = draft.size or MOST
    if draft.speed and draft.pairs and draft.looked_at:
        size = int(SHARD_SECONDS * draft.speed * draft.looked_at / draft.pairs)
    size = max(LEAST, min(MOST, size))
    whole, rest = divmod(len(draft.keys), size)
    return [size] * whole + [rest] * bool(rest)


def _publish(holding: Holding[Run], draft: Plan) -> None:
    """Store the plan and, if wanted, start the run, in one transaction."""
    run = holding.row
    with transaction.atomic():
        # Lock the study before the run, in the same order as `start`.
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        holding.renew()
        run.shards.all().delete()
        count = 0
        parts = enumerate(_parts(draft), start=1)
        while some := list(islice(parts, PARTS_AT_ONCE)):
            count += insert(
                [
                    Shard(run_id=run.pk, number=number, responses=keys, size=len(keys))
                    for number, keys in some
                ]
            )
        holding.finish(
            Run.State.PLANNED,
            finished_at=None,
            signature=draft.signature,
            plan=draft.as_json(count),
        )
        if run.starts_itself:
            try:
                start(run)
            except Refused as refusal:
                Run.objects.filter(pk=run.pk).update(error=str(refusal))


def _fail(holding: Holding[Run], problem: Exception) -> None:
    if not isinstance(problem, RUN_ERRORS):
        log.exception("run %s could not be planned", holding.row.pk)
    with transaction.atomic():
        holding.finish(Run.State.FAILED, error=error_text(problem), error_place=WHILE_PLANNED)
        tell_end(holding.row, Run.State.FAILED)
