"""Judges, scorers and parsers of a worker process; each model is loaded once."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from hashlib import blake2b

from django.conf import settings as site
from django.db.models import F

from annotate.content.responses_by_label import among
from annotate.models import Study
from evaluation.claims.parsing import ParserError, SpacyParser, load_parser
from evaluation.claims.sentences import CachingParser
from evaluation.judges import AutomaticJudge
from evaluation.judges.entailment import Asker, Cache, Door, MemoryCache, Scorer
from evaluation.judges.entailment.rows import PremiseLengths
from evaluation.judges.settings import JudgeSettings, Progress, ScorerSettings
from evaluation.language_models.asking.asker import ModelAsker
from evaluation.language_models.asking_models import model_judge
from evaluation.language_models.connections import door_of
from evaluation.models import Entailment, EntailmentScorer, Generation, Run
from evaluation.runs.parsed_claims import remembered_parser

ASKED_AT_ONCE = 5_000
WRITTEN_AT_ONCE = 500


class DatabaseCache:
    """A cache of all pairs. If two workers store the same pair, the first value stays; both
    are equal."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        rows = Entailment.objects.filter(scorer_id=self._scorer(fingerprint))
        known: dict[str, float] = {}
        for first in range(0, len(digests), ASKED_AT_ONCE):
            some = among(digests[first : first + ASKED_AT_ONCE])
            known.update(rows.filter(pair__in=some).values_list("pair", "probability"))
        return known

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        scorer = self._scorer(fingerprint)
        Entailment.objects.bulk_create(
            [
                Entailment(scorer_id=scorer, pair=pair, probability=probability)
                for pair, probability in probabilities.items()
            ],
            batch_size=WRITTEN_AT_ONCE,
            ignore_conflicts=True,
        )

    def _scorer(self, fingerprint: str) -> int:
        if fingerprint not in self._ids:
            digest = _digest(fingerprint)
            scorer, _ = EntailmentScorer.objects.get_or_create(
                digest=digest, defaults={"fingerprint": fingerprint}
            )
            self._ids[fingerprint] = scorer.pk
        return self._ids[fingerprint]


class BufferedCache(MemoryCache):
    """A cache that holds new probabilities in memory until `write`. A part's probabilities are
    stored together with its verdicts."""

    def __init__(self, beneath: DatabaseCache) -> None:
        super().__init__()
        self._beneath = beneath

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        known = super().get_many(fingerprint, digests)
        rest = [name for name in digests if name not in known]
        return known | (self._beneath.get_many(fingerprint, rest) if rest else {})

    def write(self) -> int:
        """Store the new probabilities, in the same order in every worker; return their number."""
        count = sum(map(len, self._known.values()))
        for fingerprint, new in self._known.items():
            self._beneath.put_many(fingerprint, dict(sorted(new.items())))
        self._known.clear()
        return count


def record_speed(fingerprint: str, computed: int, seconds: float) -> None:
    """Add a measurement to the speed of a scorer."""
    if computed and seconds:
        EntailmentScorer.objects.filter(digest=_digest(fingerprint)).update(
            computed=F("computed") + computed, seconds=F("seconds") + seconds
        )


def known_speed(fingerprint: str) -> float | None:
    """Return the measured pairs per second of one worker, or None."""
    scorer = EntailmentScorer.objects.filter(digest=_digest(fingerprint)).first()
    return scorer.pairs_per_second if scorer else None


def _digest(fingerprint: str) -> str:
    return blake2b(fingerprint.encode(), digest_size=16).hexdigest()


SECONDS = 2.0
"""Aimed seconds for a portion of pairs, so that progress is visible."""


def judge_of_run(
    run: Run, cache: Cache, *, token: str = "", progress: Progress | None = None
) -> tuple[AutomaticJudge, Asker | ModelAsker | None]:
    """Return a run's judge, and the scorer or model that it asks through `cache`."""
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
    return make_judge(settings, run.study, asker), asker


def make_judge(settings: JudgeSettings, study: Study, asker: Asker | None) -> AutomaticJudge:
    """Return the judge with the study's splitter and parser."""

    def parser(asked_for: str) -> CachingParser:
        return CachingParser(parser_for(study, asked_for))

    return settings.make(asker, splitter=study.splitter, parser=parser)


def scorer_of(run: Run | Generation, settings: JudgeSettings) -> Scorer | None:
    """Return the scorer of a run's judge, or None; refuse a model that the run may not use."""
    return load_shared_scorer(settings, door_of(run, settings))


def load_shared_scorer(settings: JudgeSettings, door: Door | None) -> Scorer | None:
    """Return the scorer of checked settings, which reaches other machines through `door`."""
    if not settings.asks:
        return None
    options = json.dumps(dict(settings.options), sort_keys=True)
    return _scorer(settings.scorer, settings.model, options, door)


@lru_cache(maxsize=1)
def _scorer(name: str, model: str | None, options: str, door: Door | None) -> Scorer:
    return ScorerSettings(name, model, json.loads(options)).load(door)


@contextmanager
def measured_lengths(scorer: object) -> Iterator[dict[str, int]]:
    """Yield a dict that receives the counts of too long premises within the block."""
    found: dict[str, int] = {}
    before = _lengths(scorer)
    yield found
    found.update({key: count - before[key] for key, count in _lengths(scorer).items()})


def _lengths(scorer: object) -> dict[str, int]:
    lengths: PremiseLengths | None = getattr(scorer, "lengths", None)
    return {} if lengths is None else asdict(lengths)


def parser_for(study: Study | None, asked_for: str = "") -> SpacyParser:
    """Return the parser asked for, else that of the study's claims, else that of the settings.
    Without any of these it is the first installed one of the preferred parsers."""
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
    """Decide whether passages entail claims; each pair is asked once for all studies."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self.signature = ""
        """The scorer's name, after it was asked."""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        scorer = load_shared_scorer(self.settings, None)
        assert scorer is not None
        asker = Asker(scorer, DatabaseCache())
        self.signature = f"{scorer.fingerprint}|threshold:{asker.threshold:g}"
        return [decision.entailed for decision in asker.decide(pairs, wave=WAVE)]


def entailing(scorer: str, model: str | None = None) -> Entailing:
    """Return an `Entailing` that asks the scorer with this name."""
    return Entailing(JudgeSettings("alce", scorer, model))
