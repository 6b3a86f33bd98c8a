"""What a generation will cost, its first prompts, and how it stands, for pages and programs.

For a preview nobody is asked: a model that answers by rule takes the model's place. Its answers are
about as long; how many actions a real model takes, nobody knows beforehand.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotate.formats.records import ResponseRecord
from annotate.models import Study
from annotate.work import jobs
from evaluation.generating.generation_job import room_of
from evaluation.generating.generation_settings import GenerationSettings, proposed, settled
from evaluation.generating.postediting import Edited
from evaluation.generating.subjects import Subjects
from evaluation.generating.systems.rule_model import RuleModel
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.talks import Subject
from evaluation.generating.systems.writing import ResponseWriter
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt
from evaluation.language_models.asking.scores import PLAIN, Manner
from evaluation.language_models.asking.speech import Reply, Schema
from evaluation.language_models.costs import USUAL_WRITTEN, Cost, spent
from evaluation.models import Connection, Generation
from evaluation.models.spending import BILLION

COUNTED = 20
"""Questions whose calls are counted; the rest is reckoned."""

SHOWN = 6
"""Prompts that are shown of each of the first questions."""

MOST_PREVIEWED = 10


@dataclass(frozen=True, slots=True)
class Previewed:
    """A question and what is said about it first; `more` is how many calls follow those."""

    question: str
    prompts: Sequence[Prompt]
    more: int


@dataclass(frozen=True, slots=True)
class GenerationPreview:
    questions: int
    answers: int
    without: int
    """Of the questions that were looked at, those that nothing can be asked about."""

    cost: Cost
    first: Sequence[Previewed]
    proposed: Mapping[str, str]
    """Options that nobody named, and that are set as the data and the context ask."""


class _Unkept:
    """Keeps nothing: nobody was asked."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, Reply]:
        return {}

    def claim(self, fingerprint: str, digests: Sequence[str]) -> Collection[str]:
        return set(digests)

    def put(self, fingerprint: str, replies: Mapping[str, Reply]) -> Mapping[str, Reply]:
        return replies

    def let_go(self, fingerprint: str, digests: Sequence[str]) -> None:
        """They are nobody's."""

    def refuse_more(self) -> None:
        """Nobody pays."""

    def refuse_to_wait(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Nothing is out."""


class _Unedited:
    """Leaves answers as they are, where they are read anew after an edit."""

    asks_entailment = False
    signature = description = ""

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        return [Edited(one, "") for one in records]


class _Told(RuleModel):
    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def ask(self, prompt: Prompt, schema: Schema, *, manner: Manner = PLAIN) -> Reply:
        self.prompts.append(prompt)
        return super().ask(prompt, schema, manner=manner)


def preview(
    study: Study,
    settings: GenerationSettings,
    connection: Connection | None = None,
    *,
    shown: int = 2,
    by_page: bool = False,
) -> GenerationPreview:
    """The first prompts, and the calls of all questions, reckoned from some. `by_page`: neither
    models nor other machines are asked for passages, either."""
    found = proposed(study, settings, connection)
    settings = settled(study, settings, connection)
    subjects = Subjects(study, settings, by_page)
    some = subjects.read(subjects.keys[:COUNTED])
    each = [_told(settings, subjects, subject, connection) for subject in some]
    calls = sum(map(len, each))
    chars = sum(len(one.system) + len(one.user) for prompts in each for one in prompts)
    scale = settings.many * len(subjects.keys) / len(some) if some else 0
    asked, written = chars // CHARS_OF_TOKEN, calls * USUAL_WRITTEN
    read, wrote = round(asked * scale), round(written * scale)
    dollars = None
    if connection is not None and connection.has_prices:
        dollars = connection.cost(read, 0, wrote) / BILLION
    pairs = list(zip(some, each, strict=True))[: min(shown, MOST_PREVIEWED)]
    return GenerationPreview(
        questions=len(subjects.keys),
        answers=len(subjects.keys) * settings.many,
        without=sum(not prompts for prompts in each),
        cost=Cost(round(calls * scale), read, 0, wrote, dollars),
        first=[
            Previewed(one.question.text, prompts[:SHOWN], len(prompts[SHOWN:]))
            for one, prompts in pairs
        ],
        proposed=found,
    )


def _told(
    settings: GenerationSettings,
    subjects: Subjects,
    subject: Subject,
    connection: Connection | None,
) -> list[Prompt]:
    """What is said about one question for one seed and sample."""
    model = _Told()
    how = subjects.how(settings.seeds[0], room_of(settings))
    caller = Caller(model, _Unkept(), at_once=1)
    mode = "" if connection is None else connection.mode
    editing = _Unedited() if settings.spec.again and settings.afterwards else None
    decoding = settings.decoding(mode)
    ResponseWriter(settings.spec, how, caller, decoding, settings.afterwards, editing).write(
        [subject]
    )
    return model.prompts


def title_of(row: Generation) -> str:
    """The system of the paper, as people read it."""
    key = str(row.settings.get("system", ""))
    return SYSTEMS[key].title if key in SYSTEMS else key


def notice_of(row: Generation) -> str:
    """Why nothing happens although something should; empty if it does."""
    if not row.is_working or jobs.serving(row.queue) or row.state == row.State.WORKING:
        return ""
    return f"No worker is running for the queue “{row.queue}”."


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
