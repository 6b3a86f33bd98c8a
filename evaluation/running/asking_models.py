"""A language model as a run asks it: which questions, in which words, with which guidelines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from annotate.models import GuidelinesVersion, Study, Wording
from annotate.protocol.dimensions import Dimension
from annotate.protocol.steps import Step
from annotate.services.errors import Refused
from annotate.services.rating.questions import steps_about
from evaluation.asking.asker import ModelAsker
from evaluation.asking.judge import ModelJudge
from evaluation.asking.pace import Pace
from evaluation.asking.prompts import Style
from evaluation.asking.scores import MOST_SAMPLES, Scoring
from evaluation.asking.speaker import Speaker
from evaluation.asking.speech import EFFORTS, LOCAL, SPEECHES
from evaluation.asking.variants import OPTIONS as VARIED
from evaluation.asking.variants import Varied, read_varied
from evaluation.entailment import Door
from evaluation.judges.items import Asked, Item, Passage
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.models import Run
from evaluation.outside.allowed import connection_of
from evaluation.outside.connections import door_to
from evaluation.running.model_calls import ConnectionPace, StudyCalls
from evaluation.running.prompts import style_named, with_version
from evaluation.running.shown_examples import examples_shown, with_examples

MODEL = "model"
"""The judge's name."""

if TYPE_CHECKING:
    from evaluation.asking.local import LocalSpeaker

OPTIONS = {"at_once": (4, 64), "most_tokens": (4_000, 100_000), "per_minute": (0, 1_000_000),
           "samples": (1, MOST_SAMPLES), "timeout": (300, 3_600), "tries": (6, 20)}  # fmt: skip
"""What can be set of asking a model: as it is where nothing is said, and the most."""

LOGPROBS, EFFORT = "logprobs", "effort"
CHOSEN = {LOGPROBS: ("no", "yes"), EFFORT: ("", *EFFORTS)}
"""What is chosen of asking a model, as it is where nothing is said first: whether probabilities of
choices are asked for, and how hard a reasoning model is to think."""


def model_judge(
    run: Run, settings: JudgeSettings, *, token: str = "", progress: Progress | None = None
) -> ModelJudge:
    """The judge of a run whose model answers the study's questions, with the guidelines that were
    there when it was planned. What the run may not name is refused here. Only who holds the lease
    `token` has anything asked."""
    connection = connection_of(run, settings)
    assert connection is not None
    door = door_to(connection)
    given, varied = options_of(settings), varied_of(settings)
    guidelines = _guidelines_of(run)
    asker = ModelAsker(
        _speaker(
            door,
            given["most_tokens"],
            given["timeout"],
            given["tries"],
            given["per_minute"],
            _chosen(settings, EFFORT),
        ),
        StudyCalls(run.study, run, connection, token, repeat=varied.repeat),
        style_named(run.study, settings.style),
        guidelines="" if guidelines is None else guidelines.text,
        examples=examples_shown(run.study, settings.shown),
        scoring=scoring_of(settings),
        vary=varied,
        pace=Pace(1 if connection.mode == LOCAL else given["at_once"], ConnectionPace(connection)),
        progress=progress,
    )
    given_to = "none" if guidelines is None else f"{guidelines.number}"
    return ModelJudge(asker, guidelines=given_to, varied=varied.parts, family=door.family)


GUIDELINES, WORDINGS, CONNECTION, SPEAKER = "guidelines", "wordings", "connection", "speaker"
"""What a run's plan says of what the model is told, and of who is asked."""


def fixed_for(run: Run, settings: JudgeSettings) -> dict[str, Any]:
    """What a run keeps to from its plan on, whatever is changed meanwhile: the version of the
    guidelines, and how each question is worded."""
    study = run.study
    guidelines, connection = study.current_guidelines, connection_of(run, settings)
    return {
        GUIDELINES: None if guidelines is None else guidelines.number,
        WORDINGS: {one.key: study.wording_of(one.key) for one in dimensions_of(study, settings)},
        CONNECTION: None if connection is None else connection.pk,
    }


def _guidelines_of(run: Run) -> GuidelinesVersion | None:
    if GUIDELINES not in run.plan:
        return run.study.current_guidelines
    return run.study.guidelines.filter(number=run.plan[GUIDELINES]).first()


def planned_dimensions(run: Run, settings: JudgeSettings) -> list[Dimension]:
    """What it is asked, in the words of its plan."""
    now = dimensions_of(run.study, settings) if WORDINGS not in run.plan else []
    known = Wording.objects.in_bulk(
        [wording or f"{key}:1" for key, wording in run.plan.get(WORDINGS, {}).items()]
    )
    return now or [wording.as_dimension for wording in known.values()]


@lru_cache(maxsize=4)
def _speaker(
    door: Door, most_tokens: int, timeout: int, tries: int, per_minute: int, effort: str
) -> "Speaker | LocalSpeaker":
    """One for all parts, so that what its server does not take is learnt once, and a model of this
    machine is loaded once."""
    if door.mode == LOCAL:
        from evaluation.asking.local import LocalSpeaker  # torch takes seconds to import

        return LocalSpeaker(door, most_tokens=most_tokens)
    return Speaker(
        door,
        most_tokens=most_tokens,
        timeout=timeout,
        tries=tries,
        per_minute=per_minute,
        effort=effort,
    )


def options_of(settings: JudgeSettings) -> dict[str, int]:
    """How the model is asked; what is no number within its bounds is refused."""
    found = {name: usual for name, (usual, _) in OPTIONS.items()}
    for name, value in settings.options.items():
        if name in VARIED or name in CHOSEN:
            continue
        if name not in OPTIONS:
            known = [*OPTIONS, *CHOSEN, *sorted(VARIED)]
            raise Refused(f"There is no option “{name}”; there are {', '.join(known)}.")
        most = OPTIONS[name][1]
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= most):
            raise Refused(f"Expected a whole number up to {most:,} as {name}; found “{text}”.")
        found[name] = int(text)
    return found


def scoring_of(settings: JudgeSettings) -> Scoring:
    """Where scores come from."""
    likely = _chosen(settings, LOGPROBS) == "yes"
    return Scoring(max(1, options_of(settings)["samples"]), likely)


def _chosen(settings: JudgeSettings, name: str) -> str:
    """What was chosen; what cannot be is refused."""
    known = CHOSEN[name]
    said = str(settings.options.get(name, known[0]))
    if said not in known:
        listed = ", ".join(filter(None, known))
        raise Refused(f"Expected one of {listed} as {name}; found “{said}”.")
    return said


def _refuse_effort(settings: JudgeSettings, mode: str) -> None:
    """Refuse to tell those how hard to think who are never told."""
    told = mode != LOCAL and SPEECHES[mode].takes_effort
    if _chosen(settings, EFFORT) and not told:
        raise Refused(f"In the mode {mode} no model is told how hard to think. Leave {EFFORT} out.")


def _refuse_scores(settings: JudgeSettings, style: Style, mode: str) -> None:
    """Refuse scores that a server of this kind does not give, or that would be two."""
    scoring = scoring_of(settings)
    if not scoring.signature:
        return
    if (scoring.likely and scoring.samples > 1) or style.shares:
        raise Refused(
            "One thing gives the score: probabilities that the model states, log-probabilities or "
            "several samples. Choose one of them."
        )
    if scoring.likely and mode != LOCAL and not SPEECHES[mode].tells_likely:
        raise Refused(
            f"A server of the mode {mode} tells no log-probabilities. Ask for several samples, or "
            "in the style “probabilities”."
        )
    if scoring.samples > 1 and mode == LOCAL:
        raise Refused(
            "A model of this machine answers the same each time. Ask for log-probabilities instead."
        )


def varied_of(settings: JudgeSettings) -> Varied:
    """What of the questions is put otherwise than usual."""
    try:
        return read_varied(settings.options)
    except ValueError as error:
        raise Refused(str(error)) from error


def dimensions_of(study: Study, settings: JudgeSettings) -> list[Dimension]:
    """What it is asked: what was chosen, else all that the study asks people. Not which of two
    answers is better, for it is shown one, nor to write claims."""
    protocol = study.protocol
    unknown = [key for key in settings.dimensions if key not in protocol]
    if unknown:
        raise Refused(f"The study knows no question “{unknown[0]}”.")
    found = protocol.of(settings.dimensions) if settings.dimensions else study.dimension_list
    found = [one for one in found if not one.writes and not one.apart]
    if not found:
        raise Refused("There is no question that a model could be asked.")
    return found


def as_asked(study: Study, settings: JudgeSettings, mode: str) -> JudgeSettings:
    """Settings as a run keeps them, with all that may change meanwhile named; those of which no run
    can be made through a connection of this mode are refused."""
    options_of(settings)
    varied_of(settings)
    _refuse_effort(settings, mode)
    _refuse_scores(settings, style_named(study, settings.style), mode)
    asked = dimensions_of(study, settings)
    return with_examples(study, with_version(study, settings), asked)


def with_questions(
    study: Study, dimensions: Sequence[Dimension], items: Iterable[Item]
) -> Iterator[Item]:
    """Items with what the form asks about them, each when it is looked at."""
    for item in items:
        steps = steps_about(int(item.key), study, dimensions, study.protocol)
        texts = {step.unit.pk: step.unit.text for step in steps}
        yield replace(item, asked=tuple(_asked(step, texts) for step in steps))


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
