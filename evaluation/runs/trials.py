"""Prompts before they cost anything: previews, which ask nobody, and trials.

A trial asks a language model about a few units and judges nothing. Its answers are kept as calls,
so that a run does not pay for them again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotate.models import Response, Study
from annotate.protocol.dimensions import Dimension
from annotate.studies.dimension_list import samples
from annotate.web.errors import Refused
from evaluation.judges.items import Item
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.prompts import Prompt, PromptStyle, prompt_for
from evaluation.language_models.asking.speech import Reply
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
    items = with_questions(run.study, asked, items_of(run.study, shard.responses), run=run)
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


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """What a model would be told; `prompt` is None where the response has nothing of the kind."""

    dimension: Dimension
    response: Response | None
    responses: Sequence[Response]
    prompt: Prompt | None
    unit: str = ""


def asked_of_models(study: Study) -> list[Dimension]:
    """What a preview can be about."""
    return dimensions_of(study, JudgeSettings(MODEL, ""))


def preview(
    study: Study, style: PromptStyle, dimension: str = "", response: str = ""
) -> PromptPreview:
    """The prompt for the first unit of a response that the question is about; the first question
    and the first response that has one, unless they are named."""
    known = asked_of_models(study)
    asked = next((one for one in known if one.key == dimension), known[0])
    found = list(samples(study, asked))
    found.sort(key=lambda one: str(one.pk) != response)
    for one in found:
        for item in with_questions(study, [asked], items_of(study, [one.pk]), drafts=True):
            for about in item.asked:
                guidelines = study.current_guidelines
                told = "" if guidelines is None else guidelines.text
                made = prompt_for(style, item, about, told)
                return PromptPreview(asked, one, found, made, about.unit)
    return PromptPreview(asked, None, found, None)
