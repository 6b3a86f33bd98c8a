"""What a run of a language model is expected to cost, and what it has spent."""

from dataclasses import dataclass

from django.db.models import Avg

from evaluation.judges import JUDGES
from evaluation.models import Connection, ModelCall, Run
from evaluation.models.runs import BILLION
from evaluation.running.asking_models import CONNECTION

USUAL_WRITTEN = 150
"""Tokens of an answer, where none is known yet; models that think write many times more."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls, tokens and dollars; `dollars` is None where no price is known."""

    calls: int
    asked: int
    cached: int
    written: int
    dollars: float | None


def prices_of(run: Run) -> Connection | None:
    """The connection that a run asks, where its prices are known."""
    found = Connection.objects.filter(pk=run.plan.get(CONNECTION)).first()
    return found if found is not None and found.has_prices else None


def estimated_cost(run: Run) -> Cost | None:
    """What was planned will cost about so much at most, by the answers that the study has had."""
    calls = run.plan.get("pairs")
    spec = JUDGES.get(run.judge_name)
    if calls is None or spec is None or not spec.of_forms:
        return None
    answered = ModelCall.objects.filter(study=run.study_id, lease_token="")
    usual = answered.aggregate(mean=Avg("written"))["mean"] or USUAL_WRITTEN
    asked, written = run.plan.get("tokens", 0), round(calls * usual)
    connection = prices_of(run)
    dollars = None if connection is None else connection.cost(asked, 0, written) / BILLION
    return Cost(calls, asked, 0, written, dollars)


def spent(run: Run) -> Cost | None:
    """What it has spent so far, as the server counted."""
    if not run.calls:
        return None
    dollars = run.spent / BILLION if run.spent or prices_of(run) else None
    return Cost(run.calls, run.tokens_asked, run.tokens_cached, run.tokens_written, dollars)


def cost_of(run: Run) -> dict[str, Cost | None]:
    """Both, as pages and programs show them."""
    return {
        "estimated": None if run.started_at else estimated_cost(run),
        "spent": spent(run),
    }
