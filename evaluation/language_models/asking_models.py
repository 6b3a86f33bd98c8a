"""Model judges of runs: their dimensions, wordings, guidelines and settings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from annotate.content.units import (
    claims_of,
    is_mirrored_for,
    texts_of,
    units_of,
)
from annotate.models import GuidelinesVersion, Source, Study, Unit, Wording
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import Step, people_write
from annotate.rating.claim_words import Claims
from annotate.rating.task_steps import form_steps
from annotate.web.errors import Refused
from evaluation.judges.entailment import Door
from evaluation.judges.items import FormQuestion, Item, ItemPassage, OtherAnswer
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking.batches import batches_fault
from evaluation.language_models.asking.calling import Pacer
from evaluation.language_models.asking.client import ModelClient
from evaluation.language_models.asking.judge import ModelJudge
from evaluation.language_models.asking.prompts import PromptStyle
from evaluation.language_models.asking.scores import MOST_SAMPLES, Scoring
from evaluation.language_models.asking.server_apis import EFFORTS, LOCAL, SERVER_APIS
from evaluation.language_models.asking.variants import OPTIONS as VARIED
from evaluation.language_models.asking.variants import Varied, read_varied
from evaluation.language_models.connections import KnownRefusals, connection_of, door_to
from evaluation.language_models.model_calls import StudyCalls, parts_asking
from evaluation.language_models.study_prompts import (
    examples_shown,
    style_named,
    with_examples,
    with_version,
)
from evaluation.models import Connection, Run

MODEL = "model"
"""The judge's name."""

if TYPE_CHECKING:
    from evaluation.language_models.asking.local import LocalModel

OPTIONS = {"at_once": (8, 64), "most_tokens": (4_000, 100_000), "per_minute": (0, 1_000_000),
           "samples": (1, MOST_SAMPLES), "timeout": (300, 3_600), "tries": (6, 20)}  # fmt: skip
"""Numeric options: default and maximum."""

LOGPROBS, EFFORT, BATCHES = "logprobs", "effort", "batches"
CHOSEN = {LOGPROBS: ("no", "yes"), EFFORT: ("", *EFFORTS), BATCHES: ("no", "yes")}
"""Options with a choice; the first value is the default. Token probabilities, reasoning
effort, and whether calls are sent as batches."""


def model_judge(
    run: Run, settings: JudgeSettings, *, token: str = "", progress: Progress | None = None
) -> ModelJudge:
    """Return a run's model judge, with the guidelines of its plan. What the run may not use is
    refused. Only the holder of the lease `token` makes calls."""
    connection = connection_of(run, settings)
    assert connection is not None
    varied = varied_of(settings)
    guidelines = _guidelines_of(run)
    asker = ModelAsker(
        client_for(connection, settings),
        StudyCalls(run.study, run, connection, token, repeat=varied.repeat),
        style_named(run.study, settings.style),
        guidelines="" if guidelines is None else guidelines.text,
        examples=examples_shown(run.study, settings.shown),
        scoring=scoring_of(settings),
        vary=varied,
        pace=pacer_for(connection, settings),
        progress=progress,
    )
    given_to = "none" if guidelines is None else f"{guidelines.number}"
    return ModelJudge(
        asker,
        guidelines=given_to,
        varied=varied.parts,
        family=connection.family,
        writes=people_write(planned_dimensions(run, settings)),
    )


GUIDELINES, WORDINGS, CONNECTION, SPEAKER = "guidelines", "wordings", "connection", "speaker"
"""Keys of a run's plan."""


def plan_details(run: Run, settings: JudgeSettings) -> dict[str, Any]:
    """Return what a run keeps until it ends: the guidelines' version, wordings and the
    connection."""
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
    """Return the run's dimensions, in the wordings of its plan."""
    now = dimensions_of(run.study, settings) if WORDINGS not in run.plan else []
    known = Wording.objects.in_bulk(
        [wording or f"{key}:1" for key, wording in run.plan.get(WORDINGS, {}).items()]
    )
    return now or [wording.as_dimension for wording in known.values()]


def client_for(connection: Connection, settings: JudgeSettings) -> "ModelClient | LocalModel":
    """Return the client of a connection, with the server's known refusals."""
    given = options_of(settings)
    numbers = (given[name] for name in ("most_tokens", "timeout", "tries", "per_minute"))
    speaker = _client(door_to(connection), *numbers, _chosen(settings, EFFORT))
    if isinstance(speaker, ModelClient):
        speaker.recall(KnownRefusals(connection))
    return speaker


def pacer_for(connection: Connection, settings: JudgeSettings) -> Pacer:
    """Return the pacer of a connection; a local model makes one call at a time."""
    at_once = 1 if connection.mode == LOCAL else options_of(settings)["at_once"]
    return Pacer(at_once, partial(parts_asking, connection))


@lru_cache(maxsize=4)
def _client(
    door: Door, most_tokens: int, timeout: int, tries: int, per_minute: int, effort: str
) -> "ModelClient | LocalModel":
    """Return one client for all parts: its knowledge is shared, and a local model is loaded
    once."""
    if door.mode == LOCAL:
        from evaluation.language_models.asking.local import (
            LocalModel,  # torch takes seconds to import
        )

        return LocalModel(door, most_tokens=most_tokens)
    return ModelClient(
        door,
        most_tokens=most_tokens,
        timeout=timeout,
        tries=tries,
        per_minute=per_minute,
        effort=effort,
    )


def options_of(settings: JudgeSettings) -> dict[str, int]:
    """Return the numeric options; refuse invalid ones."""
    values = {name: usual for name, (usual, _) in OPTIONS.items()}
    for name, value in settings.options.items():
        if name in VARIED or name in CHOSEN:
            continue
        if name not in OPTIONS:
            known = [*OPTIONS, *CHOSEN, *sorted(VARIED)]
            raise Refused(f"There is no option “{name}”; there are {', '.join(known)}.")
        usual, most = OPTIONS[name]
        least, text = min(1, usual), str(value)
        is_number = text.isascii() and text.isdigit() and len(text) < 9
        if not (is_number and least <= int(text) <= most):
            raise Refused(
                f"Expected a whole number from {least} to {most:,} as {name}; found “{text}”."
            )
        values[name] = int(text)
    return values


def scoring_of(settings: JudgeSettings) -> Scoring:
    likely = _chosen(settings, LOGPROBS) == "yes"
    return Scoring(max(1, options_of(settings)["samples"]), likely)


def _chosen(settings: JudgeSettings, name: str) -> str:
    """Return the chosen value of an option; refuse an unknown one."""
    known = CHOSEN[name]
    value = str(settings.options.get(name, known[0]))
    if value not in known:
        listed = ", ".join(filter(None, known))
        raise Refused(f"Expected one of {listed} as {name}; found “{value}”.")
    return value


def wants_batches(settings: JudgeSettings) -> bool:
    """Return whether calls are sent as batches."""
    return _chosen(settings, BATCHES) == "yes"


def _refuse_effort(settings: JudgeSettings, mode: str) -> None:
    """Refuse a reasoning effort in modes that take none."""
    told = mode != LOCAL and SERVER_APIS[mode].takes_effort
    if _chosen(settings, EFFORT) and not told:
        raise Refused(f"In the mode {mode} models take no reasoning effort. Leave {EFFORT} out.")


def _refuse_scores(settings: JudgeSettings, style: PromptStyle, mode: str) -> None:
    """Refuse scores that the server does not give, and two sources of scores."""
    scoring = scoring_of(settings)
    if not scoring.signature:
        return
    if (scoring.likely and scoring.samples > 1) or style.shares:
        raise Refused(
            "One thing gives the score: probabilities that the model states, log-probabilities or "
            "several samples. Choose one of them."
        )
    if scoring.likely and mode != LOCAL and not SERVER_APIS[mode].tells_likely:
        raise Refused(
            f"A server of the mode {mode} tells no log-probabilities. Ask for several samples, or "
            "in the style “probabilities”."
        )
    if scoring.samples > 1 and mode == LOCAL:
        raise Refused(
            "A model of this machine answers the same each time. Ask for log-probabilities instead."
        )


def varied_of(settings: JudgeSettings) -> Varied:
    """Return the variation that the options name."""
    try:
        return read_varied(settings.options)
    except ValueError as error:
        raise Refused(str(error)) from error


def dimensions_of(study: Study, settings: JudgeSettings) -> list[Dimension]:
    """Return the chosen dimensions, or all that the study asks people."""
    protocol = study.protocol
    unknown = [key for key in settings.dimensions if key not in protocol]
    if unknown:
        raise Refused(f"The study knows no dimension “{unknown[0]}”.")
    found = protocol.of(settings.dimensions) if settings.dimensions else study.dimension_list
    return found


def fixed_settings(study: Study, settings: JudgeSettings, connection: Connection) -> JudgeSettings:
    """Return the settings that a run stores, with versions fixed; refuse invalid ones."""
    options_of(settings)
    varied_of(settings)
    _refuse_effort(settings, connection.mode)
    if wants_batches(settings) and (fault := batches_fault(connection.mode, connection.url)):
        raise Refused(fault)
    _refuse_scores(settings, style_named(study, settings.style), connection.mode)
    asked = dimensions_of(study, settings)
    return with_examples(study, with_version(study, settings), asked)


def with_questions(
    study: Study,
    dimensions: Sequence[Dimension],
    items: Iterable[Item],
    *,
    run: Run | None = None,
    drafts: bool = False,
) -> Iterator[Item]:
    """Yield items with the form's questions, lazily. Pairs are limited to the systems and
    batch of `run`. With `drafts`, units that do not exist yet are included."""
    of_pairs = any(one.unit_kind is UnitKind.PAIR for one in dimensions)
    for item in items:
        steps = form_steps(int(item.key), study, dimensions, study.protocol, drafts=drafts)
        pairs = _pairs_of(int(item.key), run) if of_pairs else {}
        texts = {step.unit.pk: step.unit.text for step in steps}
        marked = _marked(steps)
        questions = []
        for step in steps:
            if step.unit.kind != UnitKind.PAIR:
                one = replace(_unit_question(step, texts, item), marked=marked.get(step.key, ""))
                questions += [one] * (one.reference is None or all((one.text, one.reference)))
            elif (pair := pairs.get(step.unit.pk, None if step.unit.pk else step.unit)) is not None:
                questions.append(_pair_question(step, study, pair))
        yield replace(item, asked=tuple(questions))


def _unit_question(step: Step, texts: Mapping[int, str], item: Item) -> FormQuestion:
    unit = step.unit
    above = texts.get(unit.parent_id or 0)
    is_part = unit.number is not None  # a citation: its text is judged
    text = unit.judged_text if is_part and above is None else above if is_part else unit.text
    reference = tuple(texts_of(item.references)) if step.dimension.sees_reference else None
    if reference is not None and unit.kind == UnitKind.RESPONSE:
        text = "\n".join(claims_of(item.references))
    return FormQuestion(
        unit=unit.key,
        dimension=step.dimension,
        text=text or "",
        passages=tuple(_passage(source, source.n) for source in step.sources),
        needs=_needs(step),
        reference=reference,
    )


def _marked(steps: Sequence[Step]) -> dict[str, str]:
    """Return the marked sentence of each question that asks for a claim."""
    writing = [step for step in steps if step.dimension.writes]
    if not writing:
        return {}
    units = units_of(writing[0].unit.response_id)
    claims = Claims(units, {}, ())
    return {step.key: claims.shown(step.unit, to_choose=True).marked for step in writing}


def _pair_question(step: Step, study: Study, pair: Unit) -> FormQuestion:
    """Return a question about a pair, in an order drawn by the study's seed, equal for all
    models."""
    assert pair.other is not None
    first = bool(is_mirrored_for(study, MODEL, pair))
    numbers = ((one, place_of(one, pair)) for one in step.sources)
    passages = [_passage(one, -number if first else number) for one, number in numbers]
    passages.sort(key=lambda one: (one.number < 0, abs(one.number)))
    return FormQuestion(
        unit=pair.key,
        dimension=step.dimension,
        text="",
        passages=tuple(passages),
        needs=_needs(step),
        beside=OtherAnswer(pair.other.text, pair.other.system.name, first),
    )


def _passage(source: Source, number: int) -> ItemPassage:
    return ItemPassage(number, source.passage.title, source.passage.text)


def _needs(step: Step) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    return tuple((need.unit.key, need.dimension, need.values) for need in step.needs)


def _pairs_of(response: int, run: Run | None) -> dict[int, Unit]:
    """Return the pairs of a response, by key."""
    rows = Unit.objects.filter(response=response, other__isnull=False).select_related(
        "response__question", "response__system", "other__system"
    )
    if run is not None and run.systems:
        rows = rows.filter(other__system__in=run.systems)
    if run is not None and run.batch is not None and run.batch.is_about_pairs:
        rows = rows.filter(batch_items__batch=run.batch)
    return {row.pk: row for row in rows}
