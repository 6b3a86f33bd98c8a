"""Judges as a worker keeps them: a model is loaded once, and serves all shards that ask for it."""

import json
from dataclasses import replace
from functools import lru_cache

from evaluation.entailment import Asker, Cache, Scorer, load_scorer
from evaluation.judge_settings import JudgeSettings, Progress
from evaluation.judges import Judge

SECONDS = 2.0
"""How long a portion of pairs may take, so that progress is seen to move."""


def made(
    settings: JudgeSettings, *, splitter: str, cache: Cache, progress: Progress | None = None
) -> tuple[Judge, Asker | None]:
    """A judge that asks through a cache, and what it asks; the scorer and parser are shared."""
    asker = None
    if settings.asks:
        asker = Asker(
            scorer_of(settings),
            cache,
            threshold=settings.threshold,
            seconds=SECONDS,
            progress=progress,
        )
    return settings.make(asker, splitter=splitter), asker


def scorer_of(settings: JudgeSettings) -> Scorer:
    """The scorer, loaded at most once in this process."""
    bare = replace(settings, threshold=None)
    return _scorer(bare.scorer, bare.model, json.dumps(dict(bare.options), sort_keys=True))


@lru_cache(maxsize=1)
def _scorer(name: str, model: str, options: str) -> Scorer:
    chosen = json.loads(options)
    if model:
        chosen["model"] = model
    return load_scorer(name, **chosen)
