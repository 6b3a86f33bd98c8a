"""Estimate the amount, duration and cost of a run before it is created."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from django.db import transaction
from django.db.models import Count, QuerySet

from annotate.models import Batch, Judge, Study, System, Unit, User
from annotate.protocol.dimensions import UnitKind
from annotate.web.errors import Refused
from evaluation.judges import JUDGES
from evaluation.judges.entailment import ADVICE, DEFAULT_SCORER, SCORERS
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.asker import ASKED
from evaluation.language_models.asking.server_apis import LOCAL, MODES
from evaluation.language_models.asking_models import (
    MODEL,
    fixed_settings,
    model_judge,
    plan_details,
    planned_dimensions,
    with_questions,
)
from evaluation.language_models.connections import connection_of, named, usable
from evaluation.language_models.costs import Cost, estimated_cost
from evaluation.models import Connection, Run
from evaluation.runs.judging import items_of, systems_to_judge
from evaluation.runs.lifecycle import chosen_responses, create
from evaluation.runs.overview import title_of

SAMPLE = 10
"""Answers whose calls are counted, and extrapolated to the rest."""


@dataclass(frozen=True, slots=True)
class RunForecast:
    """Upper limits of a run. `seconds` is None before a similar run was timed, `cost` if
    nothing is paid or the price is unknown."""

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
    """Estimate a run of these settings; refuse settings that the run may not use."""
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
    """Return the time for each response in the latest similar run of this installation."""
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
    """Count a language model's calls on a sample and return their price."""
    if connection is None or not settings.spec.of_forms or connection.mode == LOCAL or not keys:
        return None
    settings = fixed_settings(run.study, settings, connection)
    run.settings, run.plan = settings.as_json(), plan_details(run, settings)
    judge = model_judge(run, settings)
    some = keys[:: -(-len(keys) // SAMPLE)]
    asked = with_questions(run.study, planned_dimensions(run, settings), items_of(run.study, some))
    tokens = judge.count(list(asked)) * len(keys) // len(some)
    calls = judge.asker.counts[ASKED].unique * len(keys) // len(some)
    run.plan |= {"pairs": calls, "tokens": tokens}
    return estimated_cost(run)


def recommended(study: Study, by: User) -> JudgeSettings | None:
    """Return the first judge to run, or None. That is a language model with a known price, or
    the free judge that answers most of the study's dimensions."""
    known = usable(study, by).filter(mode__in=MODES).order_by("name")
    for connection in known:
        is_known = connection.has_prices or connection.mode == LOCAL
        # A run names its connection; of two with one name it uses the user's own.
        if is_known and named(connection.name, study, by) == connection:
            return JudgeSettings(MODEL, DEFAULT_SCORER, connection=connection.name)
    asked = set(study.dimensions)
    answers = {key: len(asked.intersection(spec.answers)) for key, spec in JUDGES.items()}
    best = max(answers, key=lambda key: answers[key])
    return JudgeSettings(best, DEFAULT_SCORER) if answers[best] else None


UNDER_WAY = (Run.State.PLANNING, Run.State.PLANNED, Run.State.RUNNING, Run.State.PAUSED)


@dataclass(frozen=True, slots=True)
class Offer:
    """The first judge to run, its estimate, and its budget."""

    settings: JudgeSettings
    title: str
    forecast: RunForecast
    budget: Decimal | None
    caution: str
    key: str
    """Judge, connection and estimate, which the page sends back with the button."""


def runs_under_way(study: Study) -> QuerySet[Run]:
    """Return the study's runs that are not over."""
    return Run.objects.filter(study=study, state__in=UNDER_WAY).select_related("judge")


def offer(study: Study, by: User) -> Offer | None:
    """Return the first judge to run; None if there is a judge, no answer, or the study is
    archived."""
    if study.archived_at or study.judges.filter(kind=Judge.Kind.AUTOMATIC).exists():
        return None
    settings = recommended(study, by)
    estimate = forecast(study, settings, by=by) if settings else None
    if settings is None or estimate is None or not estimate.responses:
        return None
    connection = named(settings.connection, study, by) if settings.connection else None
    edition = (connection.pk, connection.edition) if connection else ()
    budget, calls = usual_budget(estimate), estimate.cost.calls if estimate.cost else 0
    asked = settings.as_json()
    caution = SCORERS[settings.scorer].caution if settings.spec.asks else ""
    return Offer(
        settings,
        title=title_of(Run(judge_name=settings.judge, settings=asked)),
        forecast=estimate,
        budget=budget,
        caution=f"{caution} {ADVICE}" if caution else "",
        key=repr((asked, edition, estimate.responses, calls, str(budget))),
    )


def usual_budget(estimate: RunForecast) -> Decimal | None:
    """Return twice the expected cost, as a margin for an unwatched run."""
    if estimate.cost is None or estimate.cost.dollars is None:
        return None
    return Decimal(2 * estimate.cost.dollars + 0.01).quantize(Decimal("0.01"), ROUND_UP)


def accept_offer(study: Study, by: User, key: str) -> tuple[Run, bool]:
    """Start the offered judge if the offer is unchanged; return the run, and whether it is
    new. After a second click the run in progress is returned."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if run := runs_under_way(study).first():
            return run, False
        offered = offer(study, by)
        if offered is None:
            raise Refused("There is no judge to start from the overview. Choose one in New run.")
        if offered.key != key:
            raise Refused(
                "The judge, its connection or its price changed since this page was shown, and "
                "nothing was started. Check the new estimate, then run the judge."
            )
        settings, budget = offered.settings, offered.budget
        return create(study, settings, starts_itself=True, by=by, budget=budget), True
