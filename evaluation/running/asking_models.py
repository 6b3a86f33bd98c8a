"""A language model as a run asks it: which questions, with which guidelines, and what it answered
before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b

from annotate.models import Study
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.steps import Step
from annotate.services.errors import Refused
from annotate.services.rating.questions import steps_about
from evaluation.asking.asker import ModelAsker
from evaluation.asking.judge import ModelJudge
from evaluation.asking.prompts import Style, styles
from evaluation.asking.speaker import Speaker
from evaluation.asking.speech import Reply
from evaluation.entailment import Door
from evaluation.judges.items import Asked, Item, Passage
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.models import ModelCall, Run
from evaluation.outside.allowed import door_of

READ_AT_ONCE = 500
OPTIONS = {"at_once": (4, 64), "most_tokens": (4_000, 100_000), "per_minute": (0, 1_000_000),
           "timeout": (300, 3_600), "tries": (6, 20)}  # fmt: skip
"""What can be set of asking a model: as it is where nothing is said, and the most."""


class StudyCalls:
    """What models answered about a study, by everything that they were told."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, Reply]:
        """Those that are known."""
        names = {_name(fingerprint, digest): digest for digest in digests}
        found: dict[str, Reply] = {}
        wanted = list(names)
        for first in range(0, len(wanted), READ_AT_ONCE):
            rows = ModelCall.objects.filter(
                study=self._study, digest__in=wanted[first : first + READ_AT_ONCE]
            )
            columns = rows.values_list("digest", "text", "asked", "written", "why")
            for name, text, asked, written, why in columns:
                found[names[name]] = Reply(text, asked, written, why)
        return found

    def put(self, fingerprint: str, digest: str, reply: Reply) -> None:
        """Keep one for good; of two of the same call the first stays."""
        row = ModelCall(
            study=self._study,
            digest=_name(fingerprint, digest),
            text=reply.text.replace("\0", ""),
            asked=reply.asked,
            written=reply.written,
            why=reply.why,
        )
        ModelCall.objects.bulk_create([row], ignore_conflicts=True)


def _name(fingerprint: str, digest: str) -> str:
    return blake2b(f"{fingerprint}\0{digest}".encode(), digest_size=16).hexdigest()


def model_judge(
    run: Run, settings: JudgeSettings, *, progress: Progress | None = None
) -> ModelJudge:
    """The judge of a run whose model answers the study's questions. What the run may not name is
    refused here."""
    door = door_of(run, settings)
    assert door is not None
    given = options_of(settings)
    guidelines = run.study.current_guidelines
    asker = ModelAsker(
        _speaker(door, given["most_tokens"], given["timeout"], given["tries"], given["per_minute"]),
        StudyCalls(run.study),
        style_of(settings),
        guidelines="" if guidelines is None else guidelines.text,
        at_once=given["at_once"],
        progress=progress,
    )
    return ModelJudge(asker, guidelines="none" if guidelines is None else f"{guidelines.number}")


@lru_cache(maxsize=4)
def _speaker(door: Door, most_tokens: int, timeout: int, tries: int, per_minute: int) -> Speaker:
    """One for all parts, so that what its server does not take is learnt once."""
    return Speaker(
        door, most_tokens=most_tokens, timeout=timeout, tries=tries, per_minute=per_minute
    )


def options_of(settings: JudgeSettings) -> dict[str, int]:
    """How the model is asked; what is no number within its bounds is refused."""
    found = {name: usual for name, (usual, _) in OPTIONS.items()}
    for name, value in settings.options.items():
        if name not in OPTIONS:
            raise Refused(f"There is no option “{name}”; there are {', '.join(OPTIONS)}.")
        most = OPTIONS[name][1]
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= most):
            raise Refused(f"Expected a whole number up to {most:,} as {name}; found “{text}”.")
        found[name] = int(text)
    return found


def style_of(settings: JudgeSettings) -> Style:
    """How it is asked."""
    known = styles()
    name = settings.style or next(iter(known))
    if name not in known:
        raise Refused(f"There is no style “{name}”; there are {', '.join(known)}.")
    return known[name]


def dimensions_of(study: Study, settings: JudgeSettings) -> list[Dimension]:
    """What it is asked: what was chosen, else all that the study asks people. Not which of two
    answers is better, for it is shown one, nor to write claims."""
    protocol = study.protocol
    unknown = [key for key in settings.dimensions if key not in protocol]
    if unknown:
        raise Refused(f"The study knows no question “{unknown[0]}”.")
    found = protocol.of(settings.dimensions) if settings.dimensions else study.dimension_list
    found = [one for one in found if not one.writes and one.unit_kind is not UnitKind.PAIR]
    if not found:
        raise Refused("There is no question that a model could be asked.")
    return found


def refuse_what_cannot_be_asked(study: Study, settings: JudgeSettings) -> None:
    """Refuse settings of a model that no run can be made of."""
    options_of(settings)
    style_of(settings)
    dimensions_of(study, settings)


def with_questions(study: Study, settings: JudgeSettings, items: Sequence[Item]) -> list[Item]:
    """Items with what the form asks about them."""
    dimensions = dimensions_of(study, settings)
    found = []
    for item in items:
        steps = steps_about(int(item.key), study, dimensions, study.protocol)
        texts = {step.unit.pk: step.unit.text for step in steps}
        found.append(replace(item, asked=tuple(_asked(step, texts) for step in steps)))
    return found


def _asked(step: Step, texts: Mapping[int, str]) -> Asked:
    unit = step.unit
    above = texts.get(unit.parent_id or 0)
    is_part = unit.number is not None  # a citation: what is judged is the text that it stands in
    text = unit.judged_text if is_part and above is None else above if is_part else unit.text
    return Asked(
        unit=unit.key,
        dimension=step.dimension,
        text=text or "",
        passages=tuple(
            Passage(source.n, source.passage.title, source.passage.text) for source in step.sources
        ),
        needs=tuple((need.unit.key, need.dimension, need.values) for need in step.needs),
    )
