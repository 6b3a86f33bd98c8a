"""Runs and other background jobs of tests, done here without a queue."""

from typing import Any

from annotate.models import Study
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Making, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs import making
from evaluation.runs.plans import plan
from evaluation.runs.shards import work


def plan_it(key: int, **more: Any) -> Run:
    """Plan a run that waits for it."""
    found = plan(key, **more)
    assert found is not None
    return found


def planned(study: Study, judge: str = "alce", scorer: str = "containment", **more: Any) -> Run:
    names = ("systems", "batch", "missing_only", "by", "by_operator")
    terms = {name: more.pop(name) for name in names if name in more}
    settings = JudgeSettings(judge, scorer, **more)
    return plan_it(runs.create(study, settings, queued=False, **terms).pk)


def started(study: Study, *names: Any, **more: Any) -> Run:
    run = planned(study, *names, **more)
    runs.start(run, queued=False)
    return run


def finished(study: Study, *names: Any, **more: Any) -> Run:
    run = started(study, *names, **more)
    work_off(run)
    return run


def work_off(run: Run) -> None:
    for key in run.shards.filter(state=Shard.State.WAITING).values_list("pk", flat=True):
        work(key)
    run.refresh_from_db()


def split(run: Run, size: int = 1) -> list[Shard]:
    """The run's shards made so small; a planned run only."""
    responses = [key for shard in run.shards.all() for key in shard.responses]
    run.shards.all().delete()
    parts = [responses[n : n + size] for n in range(0, len(responses), size)]
    for number, part in enumerate(parts, 1):
        Shard.objects.create(run=run, number=number, responses=part, size=len(part))
    return list(run.shards.all())


def worked(made: Making) -> Making:
    """Do a job as a worker does."""
    making.work(made.pk)
    made.refresh_from_db()
    return made
