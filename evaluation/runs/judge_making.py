"""Judges as a worker keeps them: a model is loaded once, and serves all shards that ask for it."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache

from django.conf import settings as site

from annotate.models import Study
from evaluation.claims.keeping import RememberingParser
from evaluation.claims.parsing import ParserError, SpacyParser, load_parser
from evaluation.judges import AutomaticJudge
from evaluation.judges.entailment import Asker, Cache, Door, Scorer
from evaluation.judges.entailment.premises import PremiseLengths
from evaluation.judges.settings import JudgeSettings, Progress, ScorerSettings
from evaluation.language_models.allowed import door_of
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking_models import model_judge
from evaluation.models import Generation, Run
from evaluation.runs.known_entailments import DatabaseCache
from evaluation.runs.parsed_claims import remembered_parser

SECONDS = 2.0
"""How long a portion of pairs may take, so that progress is seen to move."""


def made(
    run: Run, cache: Cache, *, token: str = "", progress: Progress | None = None
) -> tuple[AutomaticJudge, Asker | ModelAsker | None]:
    """A run's judge, which asks through a cache, and what it asks; the scorer and parser are
    shared."""
    settings = JudgeSettings(**run.settings)
    if settings.spec.of_forms:
        judge = model_judge(run, settings, token=token, progress=progress)
        return judge, judge.asker
    scorer = scorer_of(run, settings)
    asker = None
    if scorer is not None:
        asker = Asker(
            scorer,
            cache,
            threshold=settings.threshold,
            seconds=SECONDS,
            progress=progress,
        )
    return judge_for(settings, run.study, asker), asker


def judge_for(settings: JudgeSettings, study: Study, asker: Asker | None) -> AutomaticJudge:
    """The judge that asks `asker`, as the study wants it."""

    def parser(asked_for: str) -> RememberingParser:
        return RememberingParser(parser_for(study, asked_for))

    return settings.make(asker, splitter=study.splitter, parser=parser)


def scorer_of(run: Run | Generation, settings: JudgeSettings) -> Scorer | None:
    """The scorer of a run's judge if it asks one, loaded at most once in this process. What the run
    may not name is refused here, before anything of it is looked at."""
    return scorer_through(settings, door_of(run, settings))


def scorer_through(settings: JudgeSettings, door: Door | None) -> Scorer | None:
    """The same of a judge whose settings were looked at: what it asks outside, through a door."""
    if not settings.asks:
        return None
    options = json.dumps(dict(settings.options), sort_keys=True)
    return _scorer(settings.scorer, settings.model, options, door)


@lru_cache(maxsize=1)
def _scorer(name: str, model: str | None, options: str, door: Door | None) -> Scorer:
    return ScorerSettings(name, model, json.loads(options)).load(door)


@contextmanager
def measured_lengths(scorer: object) -> Iterator[dict[str, int]]:
    """How often premises were too long meanwhile: filled at the end; the scorer counts for ever."""
    found: dict[str, int] = {}
    before = _lengths(scorer)
    yield found
    found.update({key: count - before[key] for key, count in _lengths(scorer).items()})


def _lengths(scorer: object) -> dict[str, int]:
    lengths: PremiseLengths | None = getattr(scorer, "lengths", None)
    return {} if lengths is None else asdict(lengths)


def parser_for(study: Study | None, asked_for: str = "") -> SpacyParser:
    """The parser that was asked for; else the one of the study's claims; else that of the setting.

    With none of these it is the first of the preferred ones that is installed.
    """
    remembered = "" if study is None or asked_for else remembered_parser(study)
    try:
        return _parser(asked_for or remembered or site.ATTEST_PARSER)
    except ParserError as error:
        if not remembered:
            raise
        raise ParserError(
            f"This study's claims were made by the parser “{remembered}”. {error} For a parser in "
            "a folder, use --parser."
        ) from error


@lru_cache(maxsize=1)
def _parser(name: str) -> SpacyParser:
    return load_parser(name)


WAVE = "claims and passages"


class Entailing:
    """Says of pairs of a passage and a claim whether the one entails the other. Each pair is asked
    once, by whomever."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self.signature = ""
        """Names the scorer, where it was asked."""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        scorer = scorer_through(self.settings, None)
        assert scorer is not None
        asker = Asker(scorer, DatabaseCache())
        self.signature = f"{scorer.fingerprint}|threshold:{asker.threshold:g}"
        return [decision.entailed for decision in asker.decide(pairs, wave=WAVE)]


def entailing(scorer: str, model: str | None = None) -> Entailing:
    """The same by a scorer of this name."""
    return Entailing(JudgeSettings("alce", scorer, model))
