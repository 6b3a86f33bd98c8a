"""Trials: a language model is shown, and asked, all about a few units of a study; nothing is
judged. What it answered is kept as any call, so that a run need not pay for it again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotate.services.errors import Refused
from evaluation.asking.prompts import Prompt
from evaluation.asking.speech import Reply
from evaluation.judges.items import Item
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Run
from evaluation.running.asking_models import (
    SPEAKER,
    model_judge,
    planned_dimensions,
    with_questions,
)
from evaluation.running.stored_items import stored_items

MOST = 50
"""The most units of a trial."""


def few_of(items: Iterable[Item], run: Run) -> Iterator[Item]:
    """Of a trial the first items that have its units together, with all that is asked about these;
    of a run all."""
    if not run.dry_units:
        yield from items
        return
    left = run.dry_units
    for item in items:
        units = [*dict.fromkeys(one.unit for one in item.asked)][:left]
        left -= len(units)
        if units:
            yield replace(item, asked=tuple(one for one in item.asked if one.unit in units))
        if not left:
            return


@dataclass(frozen=True, slots=True)
class TriedQuestion:
    """A question as the model is told it, and what it wrote, if it was asked."""

    title: str
    unit: str
    prompt: Prompt
    reply: Reply | None


def shown(run: Run) -> list[TriedQuestion]:
    """The questions of a trial that was planned, as they stand in its prompts."""
    shard = run.shards.first()
    if shard is None:
        return []
    settings = JudgeSettings(**run.settings)
    asked = planned_dimensions(run, settings)
    items = with_questions(run.study, asked, stored_items(run.study, shard.responses), run=run)
    try:
        judge = model_judge(run, settings)
    except Refused:  # its connection is gone
        return []
    told = judge.told(list(few_of(items, run)), run.plan[SPEAKER])
    return [
        TriedQuestion(asked.dimension.title, asked.unit, prompt, reply)
        for asked, prompt, reply in told
    ]


def said_once(few: Sequence[TriedQuestion]) -> str:
    """What stands before all of these questions; nothing where that differs, as examples do."""
    said = {one.prompt.system for one in few}
    return said.pop() if len(said) == 1 else ""
