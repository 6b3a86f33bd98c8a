"""Previews and trials of prompts.

A preview calls no model. A trial asks about a few units and stores no judgments. Its answers are
kept as calls, so that a run does not pay for them again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotate.models import Response, Study
from annotate.protocol.dimensions import Dimension
from annotate.studies.dimension_list import sample_responses
from annotate.web.errors import Refused
from evaluation.judges.items import Item
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.prompts import Prompt, PromptStyle, prompt_for
from evaluation.language_models.asking.server_apis import Reply
from evaluation.language_models.asking_models import (
    MODEL,
    SPEAKER,
    dimensions_of,
    model_judge,
    planned_dimensions,
    with_questions,
)
from evaluation.models import Run
from evaluation.runs.judging import items_of

MOST = 50
"""The largest number of units in a trial."""


def trial_items(items: Iterable[Item], run: Run) -> Iterator[Item]:
    """Yield the first items with the trial's number of units and all questions about these;
    all items of a run that is no trial."""
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
    """A question in a prompt, and the model's reply if there is one."""

    title: str
    unit: str
    prompt: Prompt
    reply: Reply | None


def shown(run: Run) -> list[TriedQuestion]:
    """Return the questions of a planned trial, in the words of its prompts."""
    shard = run.shards.first()
    if shard is None:
        return []
    settings = JudgeSettings(**run.settings)
    asked = planned_dimensions(run, settings)
    items = with_questions(run.study, asked, items_of(run.study, shard.responses), run=run)
    try:
        judge = model_judge(run, settings)
    except Refused:  # its connection was deleted
        return []
    questions = judge.told(list(trial_items(items, run)), run.plan[SPEAKER])
    return [
        TriedQuestion(asked.dimension.title, asked.unit, prompt, reply)
        for asked, prompt, reply in questions
    ]


def shared_system_prompt(few: Sequence[TriedQuestion]) -> str:
    """Return the common first part of these prompts; empty if it differs, as with examples."""
    prompts = {one.prompt.system for one in few}
    return prompts.pop() if len(prompts) == 1 else ""


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """A prompt; `prompt` is None if the response has no unit of this kind."""

    dimension: Dimension
    response: Response | None
    responses: Sequence[Response]
    prompt: Prompt | None
    unit: str = ""


def previewable_dimensions(study: Study) -> list[Dimension]:
    """Return the dimensions that a preview can show."""
    return dimensions_of(study, JudgeSettings(MODEL, ""))


def preview(
    study: Study, style: PromptStyle, dimension: str = "", response: str = ""
) -> PromptPreview:
    """Return the prompt for the first matching unit of a response. Without names these are the
    first dimension, and the first response with such a unit."""
    known = previewable_dimensions(study)
    asked = next((one for one in known if one.key == dimension), known[0])
    matches = list(sample_responses(study, asked))
    matches.sort(key=lambda one: str(one.pk) != response)
    for one in matches:
        for item in with_questions(study, [asked], items_of(study, [one.pk]), drafts=True):
            for about in item.asked:
                guidelines = study.current_guidelines
                guideline_text = "" if guidelines is None else guidelines.text
                made = prompt_for(style, item, about, guideline_text)
                return PromptPreview(asked, one, matches, made, about.unit)
    return PromptPreview(asked, None, matches, None)
