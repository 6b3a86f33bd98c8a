"""A prompt as it would be made for a part of the study's own answers: nobody is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.models import Response, Study
from annotate.protocol.dimensions import Dimension
from annotate.reading.dimensions import samples
from evaluation.asking.prompts import Prompt, PromptStyle, prompt_for
from evaluation.judges.settings import JudgeSettings
from evaluation.running.asking_models import MODEL, dimensions_of, with_questions
from evaluation.running.stored_items import stored_items


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
        for item in with_questions(study, [asked], stored_items(study, [one.pk]), drafts=True):
            for about in item.asked:
                guidelines = study.current_guidelines
                told = "" if guidelines is None else guidelines.text
                made = prompt_for(style, item, about, told)
                return PromptPreview(asked, one, found, made, about.unit)
    return PromptPreview(asked, None, found, None)
