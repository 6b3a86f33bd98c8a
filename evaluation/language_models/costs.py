"""Expected and actual costs of language models."""

from dataclasses import dataclass

from django.db.models import Avg

from evaluation.judges import JUDGES
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking_models import CONNECTION, wants_batches
from evaluation.models import Connection, Generation, Making, ModelCall, Run
from evaluation.models.runs import BILLION

USUAL_WRITTEN = 150
"""Tokens of a reply before one is known; reasoning models write many times more."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls, tokens and dollars; `dollars` is None without prices."""

    calls: int
    asked: int
    cached: int
    written: int
    dollars: float | None


def prices_of(payer: Run | Generation | Making) -> Connection | None:
    """Return the connection that is asked if its prices are known."""
    if isinstance(payer, Run):
        connection = Connection.objects.filter(pk=payer.plan.get(CONNECTION)).first()
    else:
        connection = payer.connection
    return connection if connection is not None and connection.has_prices else None


def estimated_cost(run: Run) -> Cost | None:
    """Estimate the largest cost of a plan, from the study's earlier replies."""
    calls = run.plan.get("pairs")
    spec = JUDGES.get(run.judge_name)
    if calls is None or spec is None or not spec.of_forms:
        return None
    written = round(calls * usual_tokens(run, "written"))
    return _priced(run, calls, run.plan.get("tokens", 0), written)


def cost_of_calls(run: Run, calls: int) -> Cost:
    """Estimate the cost of more calls like those of a run."""
    each = (usual_tokens(run, "asked"), usual_tokens(run, "written"))
    return _priced(run, calls, *(round(calls * tokens) for tokens in each))


def usual_tokens(run: Run, tokens: str) -> float:
    """Return the mean tokens of the study's answered calls."""
    answered = ModelCall.objects.filter(study=run.study_id, lease_token="")
    usual: float | None = answered.aggregate(mean=Avg(tokens))["mean"]
    return usual or (USUAL_WRITTEN if tokens == "written" else 0)


def _priced(run: Run, calls: int, asked: int, written: int) -> Cost:
    connection = prices_of(run)
    batched = wants_batches(JudgeSettings(**run.settings))
    dollars = None
    if connection is not None:
        dollars = connection.cost(asked, 0, written, batched=batched) / BILLION
    return Cost(calls, asked, 0, written, dollars)


def spent(payer: Run | Generation | Making) -> Cost | None:
    """Return the cost so far, as the server counted."""
    if not payer.calls:
        return None
    dollars = payer.spent / BILLION if payer.spent or prices_of(payer) else None
    tokens = (payer.tokens_asked, payer.tokens_cached, payer.tokens_written)
    return Cost(payer.calls, *tokens, dollars)


def expected_cost(run: Run, share: float) -> Cost | None:
    """Extrapolate the total cost of a run in progress; None in the first hundredth."""
    spent_until_now = spent(run)
    if spent_until_now is None or not 0.01 <= share < 1 or run.is_over:
        return None
    calls, asked, cached, written = (
        round(count / share)
        for count in (
            spent_until_now.calls,
            spent_until_now.asked,
            spent_until_now.cached,
            spent_until_now.written,
        )
    )
    dollars = None if spent_until_now.dollars is None else spent_until_now.dollars / share
    return Cost(calls, asked, cached, written, dollars)


def cost_of(run: Run, share: float) -> dict[str, Cost | None]:
    """Return the estimated, spent and expected cost, for pages and programs."""
    return {
        "estimated": None if run.started_at else estimated_cost(run),
        "spent": spent(run),
        "expected": expected_cost(run, share),
    }
