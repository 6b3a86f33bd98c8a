"""The state of a run as pages, programs and terminals show it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db.models import Count, Min, Q, Sum
from django.utils import timezone

from annotate.models import System, Worker
from annotate.protocol.signatures import PLAIN_STYLE, judge_title
from annotate.work import jobs
from evaluation.judges import JUDGES
from evaluation.judges.entailment.rows import PremiseLengths
from evaluation.judges.settings import JudgeSettings
from evaluation.judges.support import JOINT, SINGLE, WITHOUT
from evaluation.language_models.asking.asker import code_of, text_of
from evaluation.language_models.costs import cost_of
from evaluation.models import ModelBatch, Run, Shard
from evaluation.models.calls import open_batches, waits_for_batch
from evaluation.runs.lifecycle import share_done
from evaluation.runs.queue import under_way

ORDER = (JOINT, SINGLE, WITHOUT)

SLOW = timedelta(seconds=10)
"""Minimum wait before a queue without an active worker is reported."""

COUNTED = ("responses", "new", "changed", "unchanged", "measures")


@dataclass(slots=True)
class Wave:
    name: str
    asked: int
    unique: int
    cached: int
    computed: int
    failed: int = 0


@dataclass(slots=True)
class RunState:
    """The changing state of a run."""

    run: Run
    share: float = 0.0
    shards: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    not_judged: list[tuple[str, int]] = field(default_factory=list)
    waves: list[Wave] = field(default_factory=list)
    lengths: PremiseLengths | None = None
    phase: str = ""
    pairs_per_second: float | None = None
    time_left: timedelta | None = None
    elapsed: timedelta | None = None
    workers: list[Worker] = field(default_factory=list)
    waiting_since: datetime | None = None
    batches: list[ModelBatch] = field(default_factory=list)
    """Batches that wait for the vendor."""

    not_sent: bool = False
    """Whether no message was sent about the waiting work."""
    not_sent_said: ClassVar[str] = (
        "The queue could not be reached, so no worker has heard of this yet. Nothing is lost: it "
        "is sent again by itself as soon as the queue answers. Look whether it runs, and at "
        "CELERY_BROKER_URL."
    )

    @property
    def waiting_seconds(self) -> float | None:
        return _seconds_since(self.waiting_since)

    @property
    def percent(self) -> int:
        """Return the share done in percent; 100 only if everything is done."""
        return 100 if self.share >= 1 else int(self.share * 100)

    @property
    def parts(self) -> int:
        return sum(self.shards.values())

    @property
    def parts_done(self) -> int:
        return self.shards.get(Shard.State.DONE, 0)

    @property
    def parts_failed(self) -> int:
        return self.shards.get(Shard.State.FAILED, 0)

    @property
    def pairs_failed(self) -> int:
        return sum(wave.failed for wave in self.waves)

    @property
    def calls_out(self) -> int:
        return sum(batch.size for batch in self.batches)

    @property
    def calls_answered(self) -> int:
        """Return how many of them the vendor counts as answered."""
        return sum(batch.answered for batch in self.batches)

    @property
    def out_since(self) -> datetime | None:
        """Return when the first open batch was sent."""
        return min((batch.created_at for batch in self.batches), default=None)

    @property
    def counted(self) -> str:
        spec = JUDGES.get(self.run.judge_name)
        return "calls" if spec is not None and spec.of_forms else "pairs"

    @property
    def title(self) -> str:
        return title_of(self.run)

    @property
    def nobody_works(self) -> bool:
        """Return whether no worker serves the queue of a working run."""
        return self.run.is_working and not self.workers

    @property
    def notice(self) -> str:
        """Return why a run does not move; empty if it does."""
        reasons = [self.not_sent_said] if self.not_sent else []
        if self.nobody_works:
            reasons.append(f"No worker is running for the queue “{self.run.queue}”.")
        return " ".join(reasons)


def title_of(run: Run) -> str:
    """Return the name of the judge of a run."""
    if run.signature:
        return judge_title(run.signature)
    if run.judge_name not in JUDGES:
        return run.judge_name  # its package was uninstalled
    settings = JudgeSettings(**run.settings)
    signature = f"{run.judge_name}|v:0"
    if settings.spec.of_forms:
        named = f"model:{settings.connection}|style:{settings.style or PLAIN_STYLE}"
        signature = f"{run.judge_name}|{named}"
    if settings.asks:
        name = (settings.model or "").rstrip("/").rpartition("/")[2]
        way = f"connection:{settings.connection}"
        signature = f"{run.judge_name}|{settings.scorer}:0|{way}|model:{name}"
    return judge_title(signature)


def run_state(run: Run, *, outcomes: bool = True) -> RunState:
    """Return the state of a run; without `outcomes` only its progress, for long lists."""
    now = timezone.now()
    progress = RunState(run, workers=jobs.serving(run.queue))
    if outcomes:
        rows = run.shards.values("state").annotate(count=Count("pk"))
        progress.shards = {row["state"]: row["count"] for row in rows}
        _add_outcomes(progress)
    progress.share = 1.0 if run.state == Run.State.DONE else share_done(run)
    _add_pace(progress, now)
    if not outcomes:
        return progress
    working = run.shards.filter(state=Shard.State.WORKING).exclude(phase="").first()
    progress.phase = working.phase if working is not None else ""
    progress.batches = list(open_batches(run))
    if run.is_working and not _waits_for_batches(run):
        progress.waiting_since = _waiting_since(run, now)
        progress.not_sent = _not_sent(run, now)
    return progress


def _add_outcomes(progress: RunState) -> None:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    first: dict[str, str] = {}
    waves: dict[str, Counter[str]] = {}
    lengths: Counter[str] = Counter()
    lengths.update(progress.run.plan.get("lengths") or {})
    done = progress.run.shards.filter(state=Shard.State.DONE).order_by("number")
    for outcome in done.values_list("outcome", flat=True).iterator():
        lengths.update(outcome.get("lengths", {}))
        counts.update({key: outcome.get(key, 0) for key in COUNTED})
        for reason, count in outcome.get("not_judged", {}).items():
            reasons[code_of(reason)] += count
            first.setdefault(code_of(reason), outcome.get("reasons", {}).get(reason, reason))
        for name, wave in outcome.get("waves", {}).items():
            waves.setdefault(name, Counter()).update(wave)
    if lengths:
        progress.lengths = PremiseLengths(**lengths)
    progress.found = dict(counts)
    progress.not_judged = [
        (text_of(code, first[code]), count) for code, count in reasons.most_common()
    ]
    counted = ("asked", "unique", "cached", "computed", "failed")
    progress.waves = [
        Wave(name, **{key: waves[name][key] for key in counted}) for name in in_order(waves)
    ]


def in_order(waves: Iterable[str]) -> list[str]:
    """Sort the names of waves; PostgreSQL does not keep the order of keys."""
    return sorted(waves, key=lambda name: (ORDER.index(name) if name in ORDER else -1, name))


def _add_pace(progress: RunState, now: datetime) -> None:
    run = progress.run
    if run.started_at is None:
        return
    progress.elapsed = (run.finished_at or now) - run.started_at
    working = run.shards.filter(state=Shard.State.WORKING).aggregate(sum=Sum("answered"))["sum"]
    computed = sum(wave.computed for wave in progress.waves) + (working or 0)
    since = run.resumed_at or run.started_at
    spent = ((run.finished_at or now) - since).total_seconds()
    if computed and progress.elapsed.total_seconds() > 1:
        progress.pairs_per_second = computed / progress.elapsed.total_seconds()
    gained = progress.share - run.share_then
    if run.state == Run.State.RUNNING and spent > 2 and gained > 0.01:
        progress.time_left = timedelta(seconds=spent * (1 - progress.share) / gained)


def _waits_for_batches(run: Run) -> bool:
    """Return whether all remaining parts wait for batches."""
    waiting = run.shards.filter(state=Shard.State.WAITING)
    return waiting.exists() and not waiting.exclude(waits_for_batch()).exists()


def _waiting_since(run: Run, now: datetime) -> datetime | None:
    """Return since when nothing of the run is in work; None for a short wait."""
    if run.state == Run.State.PLANNING:
        since = run.created_at
        busy = run.lease_until is not None and run.lease_until >= now
    else:
        since = run.resumed_at or run.started_at or run.created_at
        last = run.shards.filter(finished_at__isnull=False).order_by("-finished_at").first()
        if last is not None and last.finished_at is not None:
            since = max(since, last.finished_at)
        busy = run.shards.filter(state=Shard.State.WORKING, lease_until__gte=now).exists()
    return since if not busy and now - since > SLOW else None


def _not_sent(run: Run, now: datetime) -> bool:
    """Return whether the queue has no message about the waiting work."""
    if run.state == Run.State.PLANNING:
        waits = run.sent_at is None and (run.lease_until is None or run.lease_until < now)
    else:
        waiting = run.shards.filter(state=Shard.State.WAITING)
        waits = waiting.exclude(waits_for_batch()).exists()
    return waits and not under_way(run.queue)


def _seconds_since(time: datetime | None) -> float | None:
    return None if time is None else (timezone.now() - time).total_seconds()


def estimated_seconds(run: Run) -> float | None:
    """Estimate how long a planned run takes at most with the current workers."""
    speed = run.plan.get("speed")
    pairs = run.plan.get("pairs")
    if not speed or pairs is None:
        return None
    return float(pairs) / float(speed) / max(1, len(jobs.serving(run.queue)))


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue with its workers and waiting work."""

    name: str
    workers: list[Worker]
    waiting: int
    oldest: datetime | None

    @property
    def age(self) -> float | None:
        """Return how long the oldest work has waited, in seconds."""
        return _seconds_since(self.oldest)


def queues() -> list[Queue]:
    """Return all queues with the waiting work of all studies."""
    alive = jobs.living()
    found = []
    for name in Run.Queue.values:
        shards = Shard.objects.filter(
            ~waits_for_batch(),
            state=Shard.State.WAITING,
            run__state=Run.State.RUNNING,
            run__queue=name,
        )
        plans = Run.objects.filter(state=Run.State.PLANNING, queue=name).filter(
            Q(lease_until__isnull=True) | Q(lease_until__lt=timezone.now())
        )
        times = [
            # Not the time of the message, which may be sent again.
            shards.aggregate(since=Min("run__resumed_at"))["since"],
            plans.order_by("created_at").values_list("created_at", flat=True).first(),
        ]
        found.append(
            Queue(
                name=name,
                workers=[worker for worker in alive if name in worker.queues],
                waiting=shards.count() + plans.count(),
                oldest=min((time for time in times if time is not None), default=None),
            )
        )
    return found


def systems_of(run: Run) -> list[str]:
    """Return the names of the systems that the run is limited to."""
    return list(System.objects.filter(pk__in=run.systems).values_list("name", flat=True))


def as_json(run: Run, *, names_workers: bool = True) -> dict[str, Any]:
    """Return a run as JSON for programs."""
    progress = run_state(run)
    return {
        "id": run.pk,
        "judge": run.judge_name,
        "title": progress.title,
        "settings": run.settings,
        "systems": systems_of(run),
        "batch": run.batch_id,
        "missing_only": run.missing_only,
        "questions": run.questions,
        "queue": run.queue,
        "trial": run.dry_units,
        "budget": None if run.budget is None else float(run.budget),
        "cost": {
            name: cost and asdict(cost) for name, cost in cost_of(run, progress.share).items()
        },
        "state": run.state,
        "signature": run.signature,
        "plan": run.plan,
        "estimated_seconds": estimated_seconds(run),
        "share_done": round(progress.share, 4),
        "parts": {state: progress.shards.get(state, 0) for state in Shard.State.values},
        "found": progress.found,
        "not_judged": dict(progress.not_judged),
        "pairs_failed": progress.pairs_failed,
        "notice": progress.notice,
        "batches": [
            {
                "calls": batch.size,
                "answered": batch.answered,
                "sent_at": batch.created_at,
                "found": bool(batch.vendor_key),
                "looked_at_next": batch.due_at,
            }
            for batch in progress.batches
        ],
        "phase": progress.phase,
        "pairs_per_second": progress.pairs_per_second,
        "seconds_left": progress.time_left.total_seconds() if progress.time_left else None,
        "workers": [worker.name for worker in progress.workers] if names_workers else [],
        "error": run.error,
        "error_place": run.error_place,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }
