"""Variants of a language model's run, which show what else changes its answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil

from django.db import transaction

from annotate.models import Study, System, User
from annotate.web import audit
from annotate.web.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.asker import ASKED
from evaluation.language_models.asking.variants import CHOICES, MOST_REPEATS
from evaluation.language_models.asking_models import varied_of
from evaluation.language_models.connections import family_fault
from evaluation.models import Run, SystemFamily
from evaluation.runs import lifecycle as runs

REPEATS = 2
"""The default number of repeats."""

QUESTIONS = 50
"""The default number of questions."""


def is_plain_model(run: Run) -> bool:
    """Return whether this is a run of a language model without a variation."""
    settings = JudgeSettings(**run.settings)
    return settings.spec.of_forms and not varied_of(settings).parts


def variants_of(
    settings: JudgeSettings, kinds: Sequence[str], repeats: int = 0
) -> list[JudgeSettings]:
    """Return the judge's settings with each single variation and each repeat."""
    if not settings.spec.of_forms:
        raise Refused("Only language models can be asked otherwise. Choose a run of one.")
    if varied_of(settings).parts:
        raise Refused("This judge is a variant already. Choose the run of the plain one.")
    unknown = [kind for kind in kinds if kind not in CHOICES]
    if unknown:
        known = ", ".join([*CHOICES, "repeat"])
        raise Refused(f"“{unknown[0]}” cannot be varied; there are {known}.")
    if not 0 <= repeats <= MOST_REPEATS:
        raise Refused(f"Expected up to {MOST_REPEATS} repeats; found {repeats}.")
    options = [{kind: CHOICES[kind][1]} for kind in dict.fromkeys(kinds)]
    options += [{"repeat": str(number)} for number in range(1, repeats + 1)]
    if not options:
        raise Refused("Choose at least one thing that is varied.")
    return [replace(settings, options={**settings.options, **more}) for more in options]


def most_calls(run: Run, variants: int, questions: int | None) -> int:
    """Return the largest number of calls of these variants on this number of questions."""
    asked: int = run.plan.get("waves", {}).get(ASKED, {}).get("asked", 0)
    planned: int = run.plan.get("responses", 0)
    if not planned:
        return 0
    systems = System.objects.filter(study=run.study)
    chosen = runs.in_sample(runs.chosen_responses(run, systems), run.study, questions).count()
    return ceil(variants * min(chosen, planned) * asked / planned)


def vary(
    run: Run,
    kinds: Sequence[str],
    *,
    repeats: int = REPEATS,
    questions: int | None = QUESTIONS,
    by: User | None = None,
) -> list[Run]:
    """Create a run for each variant, on a sample of the run's questions. They start after
    planning."""
    settings = variants_of(JudgeSettings(**run.settings), kinds, repeats)
    systems = System.objects.loaded().filter(study=run.study, pk__in=run.systems)
    with transaction.atomic():
        return [
            runs.create(
                run.study,
                one,
                systems=list(systems),
                batch=run.batch,
                questions=questions,
                starts_itself=True,
                by=by,
            )
            for one in settings
        ]


def declare_families(study: Study, said: Mapping[int, str], *, by: User | None = None) -> None:
    """Store the model family of each system, by key; empty for none."""
    for family in said.values():
        if fault := family_fault(family):
            raise Refused(fault)
    with transaction.atomic():
        for system in System.objects.filter(study=study, pk__in=said):
            family = said[system.pk]
            before = SystemFamily.objects.filter(system=system).first()
            if (before.family if before else "") == family:
                continue
            if family:
                SystemFamily.objects.update_or_create(system=system, defaults={"family": family})
            elif before is not None:
                before.delete()
            audit.note("system-family-said", system, by=by, family=family)
