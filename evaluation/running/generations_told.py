"""How generations stand, as pages and programs are told."""

from dataclasses import asdict
from typing import Any

from annotate import jobs
from evaluation.generating.systems import SYSTEMS
from evaluation.models import Generation
from evaluation.running.costs import spent
from evaluation.running.generation_previews import GenerationPreview


def title_of(row: Generation) -> str:
    """The system of the paper, as people read it."""
    key = str(row.settings.get("system", ""))
    return SYSTEMS[key].title if key in SYSTEMS else key


def notice_of(row: Generation) -> str:
    """Why nothing happens although something should; empty if it does."""
    if not row.is_working or jobs.serving(row.queue) or row.state == row.State.WORKING:
        return ""
    return f"No worker is alive that serves the queue “{row.queue}”."


def as_json(row: Generation, *, whole: bool = True) -> dict[str, Any]:
    """One generation. Not `whole`: of a file of examples, which may be long, its size alone."""
    examples = row.settings.get("examples", "")
    short = {"examples": f"{len(examples):,} characters"} if examples and not whole else {}
    cost = spent(row)
    return {
        "id": row.pk,
        "name": row.name,
        "title": title_of(row),
        "settings": row.settings | short,
        "queue": row.queue,
        "state": row.state,
        "phase": row.phase,
        "answered": row.answered,
        "total": row.total,
        "latest": row.latest or [],
        "budget": None if row.budget is None else float(row.budget),
        "spent": None if cost is None else asdict(cost),
        "signature": row.signature,
        "system": None if row.system is None else row.system.name,
        "uses_autoais": row.system is not None and row.system.uses_autoais,
        "outcome": row.outcome,
        "notice": notice_of(row),
        "error": row.error,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def preview_json(found: GenerationPreview) -> dict[str, Any]:
    """What there is to do, and the first prompts."""
    return {
        "questions": found.questions,
        "answers": found.answers,
        "without": found.without,
        "cost": asdict(found.cost),
        "proposed": dict(found.proposed),
        "first": [
            {
                "question": one.question,
                "prompts": [{"system": p.system, "user": p.user} for p in one.prompts],
                "more": one.more,
            }
            for one in found.first
        ],
    }
