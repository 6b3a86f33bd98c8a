"""The first prompts, the estimated cost and the status of a generation.

For a preview no model is asked: a model that answers by rule takes its place, with answers of about
the same length. The number of actions of a real model is not known in advance.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotate.formats.records import ResponseRecord
from annotate.models import Study
from annotate.work import jobs
from evaluation.generating.generation_job import window_of
from evaluation.generating.generation_settings import GenerationSettings, proposed, with_proposals
from evaluation.generating.postediting import Edited
from evaluation.generating.subjects import Subjects
from evaluation.generating.systems.conversations import Subject
from evaluation.generating.systems.rule_model import RuleModel
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.writing import ResponseWriter
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt
from evaluation.language_models.asking.scores import PLAIN, SamplingParams
from evaluation.language_models.asking.server_apis import Reply, Schema
from evaluation.language_models.costs import USUAL_WRITTEN, Cost
from evaluation.models import Connection, Generation
from evaluation.models.runs import BILLION

COUNTED = 20
"""Questions whose calls are counted; the others are estimated from them."""

SHOWN = 6
"""Prompts to show for each of the first questions."""

MOST_PREVIEWED = 10


@dataclass(frozen=True, slots=True)
class Previewed:
    """A question and its first prompts; `more` is the number of calls after them."""

    question: str
    prompts: Sequence[Prompt]
    more: int


@dataclass(frozen=True, slots=True)
class GenerationPreview:
    questions: int
    answers: int
    without: int
    """How many of the counted questions no prompt can be made for."""

    cost: Cost
    first: Sequence[Previewed]
    proposed: Mapping[str, str]
    """Options that were not given and that follow from the data and the context."""


class _NoCache:
    """A cache of replies that stores nothing."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, Reply]:
        return {}

    def claim(self, fingerprint: str, digests: Sequence[str]) -> Collection[str]:
        return set(digests)

    def put(self, fingerprint: str, replies: Mapping[str, Reply]) -> Mapping[str, Reply]:
        return replies

    def let_go(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Do nothing: there are no claims."""

    def refuse_more(self) -> None:
        """Do nothing: there is no budget."""

    def refuse_to_wait(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Do nothing: no batch is out."""


class _Unedited:
    """An editing that changes nothing, for systems that read answers again after one."""

    asks_entailment = False
    signature = description = ""

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        return [Edited(one, "") for one in records]


class _RecordingModel(RuleModel):
    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def ask(self, prompt: Prompt, schema: Schema, *, sampling: SamplingParams = PLAIN) -> Reply:
        self.prompts.append(prompt)
        return super().ask(prompt, schema, sampling=sampling)


def preview(
    study: Study,
    settings: GenerationSettings,
    connection: Connection | None = None,
    *,
    shown: int = 2,
    by_page: bool = False,
) -> GenerationPreview:
    """Return the first prompts and the estimated calls of all questions.

    With `by_page`, no model and no other machine is asked for passages.
    """
    found = proposed(study, settings, connection)
    settings = with_proposals(study, settings, connection)
    subjects = Subjects(study, settings, by_page)
    some = subjects.read(subjects.keys[:COUNTED])
    each = [_prompts_for(settings, subjects, subject, connection) for subject in some]
    calls = sum(map(len, each))
    chars = sum(len(one.system) + len(one.user) for prompts in each for one in prompts)
    scale = settings.answers_per_question * len(subjects.keys) / len(some) if some else 0
    asked, written = chars // CHARS_OF_TOKEN, calls * USUAL_WRITTEN
    read, wrote = round(asked * scale), round(written * scale)
    dollars = None
    if connection is not None and connection.has_prices:
        dollars = connection.cost(read, 0, wrote) / BILLION
    pairs = list(zip(some, each, strict=True))[: min(shown, MOST_PREVIEWED)]
    return GenerationPreview(
        questions=len(subjects.keys),
        answers=len(subjects.keys) * settings.answers_per_question,
        without=sum(not prompts for prompts in each),
        cost=Cost(round(calls * scale), read, 0, wrote, dollars),
        first=[
            Previewed(one.question.text, prompts[:SHOWN], len(prompts[SHOWN:]))
            for one, prompts in pairs
        ],
        proposed=found,
    )


def _prompts_for(
    settings: GenerationSettings,
    subjects: Subjects,
    subject: Subject,
    connection: Connection | None,
) -> list[Prompt]:
    """Return the prompts of one question for one seed and sample."""
    model = _RecordingModel()
    inputs = subjects.inputs(settings.seeds[0], window_of(settings))
    caller = Caller(model, _NoCache(), at_once=1)
    mode = "" if connection is None else connection.mode
    editing = _Unedited() if settings.spec.again and settings.afterwards else None
    decoding = settings.decoding(mode)
    ResponseWriter(settings.spec, inputs, caller, decoding, settings.afterwards, editing).write(
        [subject]
    )
    return model.prompts


def title_of(row: Generation) -> str:
    """Return the title of the generated system's kind."""
    key = str(row.settings.get("system", ""))
    return SYSTEMS[key].title if key in SYSTEMS else key


def notice_of(row: Generation) -> str:
    """Return why a waiting job does not start, or an empty text."""
    if not row.is_working or jobs.serving(row.queue) or row.state == row.State.WORKING:
        return ""
    return f"No worker is running for the queue “{row.queue}”."
