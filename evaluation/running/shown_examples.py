"""The examples that stand in a run's prompts: drawn when it is made, and kept as what it learned.

They are left out of the judge's numbers by the rule for chosen thresholds
(`reading/trained_on.py`).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from django.db import transaction

from annotate.models import Study, Unit
from annotate.protocol.dimensions import WRITTEN, Dimension, UnitKind
from annotate.reading.examples import ShownExample, examples_of, shown_with
from annotate.reading.labelled import among
from annotate.services.errors import Refused
from evaluation.asking.examples import NO_EXAMPLES, Examples, LabelledUnit, PromptExample, drawn
from evaluation.judges.settings import JudgeSettings
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.reading.labels import Method, labels

MOST = 40

Answer = tuple[int, str, str, str]
"""A unit, the question about it, people's answer, and why."""


def with_examples(
    study: Study, settings: JudgeSettings, dimensions: Sequence[Dimension]
) -> JudgeSettings:
    """Settings that name the examples which the run shows; they are drawn and kept here."""
    number = settings.examples or 0
    if not 0 <= number <= MOST:
        raise Refused(f"Expected up to {MOST} examples; found {number}.")
    if not number and not settings.guideline_examples:
        return replace(settings, shown="")
    keys = {one.key for one in dimensions}
    told = [
        (shown.example.unit_id, shown.dimension.key, shown.example.value, shown.explanation)
        for shown in (examples_of(study) if settings.guideline_examples else [])
        if shown.dimension.key in keys
    ]
    choices = [
        one.key for one in dimensions if one.is_choice and one.unit_kind is not UnitKind.PAIR
    ]
    found = _drawn(study, choices, number, {unit for unit, *_ in told})
    if number and not found:
        raise Refused(
            "There are no labels to draw examples from: people have answered none of these "
            "dimensions with choices about one answer. Have some answers rated, or ask without "
            "examples."
        )
    if settings.guideline_examples and not told:
        raise Refused(
            "The guidelines have no example of what is asked. Make one on the page of a response, "
            "or ask without them."
        )
    return replace(settings, shown=_keep(study, told, found, number))


def _drawn(study: Study, keys: Sequence[str], number: int, but: set[int]) -> list[Answer]:
    if not number:
        return []
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for label in labels(study, Method.MAJORITY):
        if label.dimension in keys and label.unit not in but:
            found[label.dimension][label.unit] = label.value
    answers: list[Answer] = []
    for key in sorted(found):
        # Of claims that each writes anew, an example would show another text than was judged.
        about = Unit.objects.filter(pk__in=among([*found[key]])).exclude(key__contains=WRITTEN)
        questions = dict(about.values_list("pk", "response__question__external_id"))
        known = [
            LabelledUnit(unit, value, questions[unit])
            for unit, value in found[key].items()
            if unit in questions
        ]
        chosen = drawn(known, number, seed=study.seed)
        answers += [(one.unit, key, one.value, "") for one in chosen]
    return answers


def _keep(study: Study, told: Sequence[Answer], found: Sequence[Answer], number: int) -> str:
    """Keep what is shown under its digest; the same again is the same."""
    about = {"guidelines": told, "drawn": found, "number": number}
    names = dict(
        Unit.objects.filter(pk__in={one[0] for one in (*told, *found)}).values_list("pk", "key")
    )
    said = repr([[(names[unit], unit, *rest) for unit, *rest in part] for part in (told, found)])
    digest = sha256(f"{number}\n{said}".encode()).hexdigest()[:16]
    with transaction.atomic():
        kept, is_new = TrainedScorer.objects.get_or_create(
            study=study,
            fingerprint=digest,
            defaults={"folder": "", "seed": study.seed, "agreement": {"shown": about}},
        )
        if is_new:
            TrainedOn.objects.bulk_create([TrainedOn(scorer=kept, unit_id=unit) for unit in names])
    return digest


def examples_shown(study: Study, digest: str) -> Examples:
    """What a run shows; refused where a part of it is gone."""
    if not digest:
        return NO_EXAMPLES
    kept = TrainedScorer.objects.filter(study=study, fingerprint=digest).first()
    about: dict[str, Any] = {} if kept is None else kept.agreement.get("shown", {})
    parts: list[list[Answer]] = [about.get(name, []) for name in ("guidelines", "drawn")]
    shown = [shown_with(study, part) for part in parts]
    if kept is None or [len(part) for part in shown] != [len(part) for part in parts]:
        raise Refused(
            "An answer that stands as an example in this run's prompt was deleted. Make a new run."
        )
    first, second = (tuple(map(_example, part)) for part in shown)
    return Examples(first, second, about["number"], digest)


def _example(shown: ShownExample) -> PromptExample:
    dimension, value = shown.dimension, shown.example.value
    is_choice = dimension.is_choice
    return PromptExample(
        dimension=dimension.key,
        question=shown.example.unit.response.question.external_id,
        asked=shown.question,
        text=shown.statement,
        passages=shown.passages,
        answer=f"`{value}` ({shown.label})" if is_choice else shown.label,
        why=shown.explanation,
    )
