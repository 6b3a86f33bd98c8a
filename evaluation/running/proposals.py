"""What is set of a system's options where nothing was said: as its data, its context and its paper
ask."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from annotate.models import Question, Study
from evaluation.asking.speech import LOCAL
from evaluation.generating.options import LIST
from evaluation.models import Connection
from evaluation.running.generation_settings import MOST_TOKENS, GenerationSettings

THINKING = 4_000
"""What a model that is told how hard to think may write beside its answer."""


def settled(
    study: Study, settings: GenerationSettings, connection: Connection | None
) -> GenerationSettings:
    """The settings with what is proposed; what was said stays."""
    found = proposed(study, settings, connection)
    whole = replace(settings, options={**settings.options, **found})
    whole.check()
    return whole


def proposed(
    study: Study, settings: GenerationSettings, connection: Connection | None
) -> Mapping[str, str]:
    """Options that nobody named, where they are to be others than usual."""
    spec, said = settings.spec, settings.options
    found: dict[str, str] = {}
    if "form" in spec.takes and "form" not in said and _has_lists(study):
        found["form"] = LIST
    form = found.get("form") or settings.own.form
    most = spec.writes(form) + (THINKING if said.get("effort") else 0)
    if "most_tokens" not in said and most != MOST_TOKENS:
        found["most_tokens"] = str(most)
    context = min(filter(None, (settings.context, _reads(connection))), default=0)
    if "ndoc" not in said and spec.of_context and context:
        ndoc = max(many for least, many in spec.of_context if least <= context)
        if ndoc != settings.own.ndoc:
            found["ndoc"] = str(ndoc)
    return found


def _has_lists(study: Study) -> bool:
    """Whether the references of questions are lists of answers, as QAMPARI's: most name several,
    and nothing else. One answer alone, however it may be written, is a short one."""
    known = Question.objects.filter(study=study).exclude(references={})
    if known.filter(references__has_any_keys=["qa_pairs", "claims"]).exists():
        return False
    several = known.filter(references__answers__1__isnull=False)
    return several.count() * 2 > known.count()


def _reads(connection: Connection | None) -> int:
    """How many tokens a model of this machine reads, as its folder says; 0 where nobody knows."""
    if connection is None or connection.mode != LOCAL:
        return 0
    try:
        told = json.loads((Path(connection.url) / "config.json").read_text("utf-8"))
        return max(0, int(told.get("max_position_embeddings") or 0))
    except (OSError, ValueError, OverflowError, AttributeError, TypeError):
        return 0
