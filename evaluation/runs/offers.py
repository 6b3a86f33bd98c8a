"""The judge that the overview offers to run first, bound to the price that the page showed."""

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from django.db import transaction
from django.db.models import QuerySet

from annotate.models import Judge, Study, User
from annotate.web.errors import Refused
from evaluation.judges.entailment import ADVICE, SCORERS
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.connections import named
from evaluation.models import Run
from evaluation.runs.forecasts import RunForecast, forecast, recommended
from evaluation.runs.lifecycle import create
from evaluation.runs.overview import title_of

GOING = (Run.State.PLANNING, Run.State.PLANNED, Run.State.RUNNING, Run.State.PAUSED)


@dataclass(frozen=True, slots=True)
class Offer:
    """A judge to begin with, the estimate of its run, and the budget at which it pauses."""

    settings: JudgeSettings
    title: str
    forecast: RunForecast
    budget: Decimal | None
    caution: str
    key: str
    """The judge, its connection and the estimate: the page sends it back with the button."""


def going(study: Study) -> QuerySet[Run]:
    """Return the study's runs that are not over."""
    return Run.objects.filter(study=study, state__in=GOING).select_related("judge")


def offer(study: Study, by: User) -> Offer | None:
    """Return the judge to begin with; None after a first judge, without answers, or archived."""
    if study.archived_at or study.judges.filter(kind=Judge.Kind.AUTOMATIC).exists():
        return None
    settings = recommended(study, by)
    found = forecast(study, settings, by=by) if settings else None
    if settings is None or found is None or not found.responses:
        return None
    connection = named(settings.connection, study, by) if settings.connection else None
    edition = (connection.pk, connection.edition) if connection else ()
    budget, calls = usual_budget(found), found.cost.calls if found.cost else 0
    asked = settings.as_json()
    caution = SCORERS[settings.scorer].caution if settings.spec.asks else ""
    return Offer(
        settings,
        title=title_of(Run(judge_name=settings.judge, settings=asked)),
        forecast=found,
        budget=budget,
        caution=f"{caution} {ADVICE}" if caution else "",
        key=repr((asked, edition, found.responses, calls, str(budget))),
    )


def usual_budget(found: RunForecast) -> Decimal | None:
    """Twice what is expected: an estimate may be wrong, and nobody looks while it runs."""
    if found.cost is None or found.cost.dollars is None:
        return None
    return Decimal(2 * found.cost.dollars + 0.01).quantize(Decimal("0.01"), ROUND_UP)


def accept(study: Study, by: User, key: str) -> tuple[Run, bool]:
    """Start the offered judge if the offer is still the one with this key; whether it is new.
    Return the run that is going where there is one, as after a second click."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if run := going(study).first():
            return run, False
        found = offer(study, by)
        if found is None:
            raise Refused("There is no judge to start from the overview. Choose one in New run.")
        if found.key != key:
            raise Refused(
                "The judge, its connection or its price changed since this page was shown, and "
                "nothing was started. Check the new estimate, then run the judge."
            )
        settings, budget = found.settings, found.budget
        return create(study, settings, starts_itself=True, by=by, budget=budget), True
