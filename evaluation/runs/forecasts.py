"""What a run comes to, said before it is ordered: how much is judged, how long, at what price."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotate.models import Batch, Study, System, Unit, User
from annotate.protocol.dimensions import UnitKind
from evaluation.judges import JUDGES
from evaluation.judges.entailment import DEFAULT_SCORER
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.allowed import connection_of
from evaluation.language_models.asking.asker import ASKED
from evaluation.language_models.asking.speech import LOCAL, MODES
from evaluation.language_models.asking_models import (
    MODEL,
    as_asked,
    fixed_for,
    model_judge,
    planned_dimensions,
    with_questions,
)
from evaluation.language_models.connections import named, usable
from evaluation.language_models.costs import Cost, estimated_cost
from evaluation.models import Connection, Run
from evaluation.runs.judging import items_of, systems_to_judge
from evaluation.runs.lifecycle import chosen_responses

SAMPLE = 10
"""Answers whose calls are counted; the others are taken to be like them."""


@dataclass(frozen=True, slots=True)
class RunForecast:
    """At most so much is judged; `seconds` is None where no like run was timed yet, and `cost`
    where nothing is paid or the cost is unknown."""

    responses: int
    statements: int
    citations: int
    seconds: float | None
    cost: Cost | None
    is_free: bool


def forecast(
    study: Study,
    settings: JudgeSettings,
    *,
    systems: Sequence[System] = (),
    batch: Batch | None = None,
    by: User | None = None,
) -> RunForecast:
    """Return what a run of these settings would come to; refuse what the run may not name."""
    run = Run(study=study, judge_name=settings.judge, batch=batch, created_by=by)
    run.systems = [system.pk for system in systems]
    chosen = chosen_responses(run, systems_to_judge(study, settings.judge, run.systems)[0])
    keys = list(chosen.order_by("pk").values_list("pk", flat=True))
    units = Unit.objects.standing().filter(response__in=chosen).order_by().values_list("kind")
    kinds = dict(units.annotate(count=Count("pk")))
    pace = _seconds_per_response(settings)
    connection = connection_of(run, settings)
    return RunForecast(
        responses=len(keys),
        statements=kinds.get(UnitKind.STATEMENT, 0) if settings.spec.reads_passages else 0,
        citations=kinds.get(UnitKind.CITATION, 0) if settings.spec.reads_passages else 0,
        seconds=None if pace is None else pace * len(keys),
        cost=_cost(run, settings, connection, keys),
        is_free=connection is None or connection.mode == LOCAL,
    )


def _seconds_per_response(settings: JudgeSettings) -> float | None:
    """The time that the latest like run of this installation took, for each response."""
    given = settings.as_json()
    same = ("connection",) if settings.spec.of_forms else ("scorer", "model", "connection")
    likely = {f"settings__{name}": given[name] for name in same}
    runs = Run.objects.filter(judge_name=settings.judge, state=Run.State.DONE, **likely)
    for run in runs.filter(started_at__isnull=False, plan__responses__gt=0)[:SAMPLE]:
        computed = run.plan["pairs"] or not (settings.asks or settings.spec.of_forms)
        if computed and run.started_at and run.finished_at:
            took: float = (run.finished_at - run.started_at).total_seconds()
            return took / int(run.plan["responses"])
    return None


def _cost(
    run: Run, settings: JudgeSettings, connection: Connection | None, keys: Sequence[int]
) -> Cost | None:
    """The calls of a language model, counted on some responses, and their price."""
    if connection is None or not settings.spec.of_forms or connection.mode == LOCAL or not keys:
        return None
    settings = as_asked(run.study, settings, connection)
    run.settings, run.plan = settings.as_json(), fixed_for(run, settings)
    judge = model_judge(run, settings)
    some = keys[:: -(-len(keys) // SAMPLE)]
    asked = with_questions(run.study, planned_dimensions(run, settings), items_of(run.study, some))
    tokens = judge.count(list(asked)) * len(keys) // len(some)
    calls = judge.asker.counts[ASKED].unique * len(keys) // len(some)
    run.plan |= {"pairs": calls, "tokens": tokens}
    return estimated_cost(run)


def recommended(study: Study, by: User) -> JudgeSettings | None:
    """Return the judge to begin with: a language model whose price is known, or the free judge that
    answers most of what the study asks. None answers any: None."""
    known = usable(study, by).filter(mode__in=MODES).order_by("name")
    for connection in known:
        is_known = connection.has_prices or connection.mode == LOCAL
        # A run names its connection: of two with one name, it takes one's own.
        if is_known and named(connection.name, study, by) == connection:
            return JudgeSettings(MODEL, DEFAULT_SCORER, connection=connection.name)
    asked = set(study.dimensions)
    answers = {key: len(asked.intersection(spec.answers)) for key, spec in JUDGES.items()}
    best = max(answers, key=lambda key: answers[key])
    return JudgeSettings(best, DEFAULT_SCORER) if answers[best] else None
