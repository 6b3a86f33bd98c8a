"""A study's own prompts, and the examples in prompts.

Each version of a prompt makes a judge of its own. Examples are drawn when a run is created, and are
left out of the judge's numbers like labels of chosen thresholds (`labels/trained_on.py`).
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from django.db import transaction

from annotate.content.responses_by_label import among
from annotate.models import Study, Unit, User
from annotate.protocol.dimensions import WRITTEN, Dimension, UnitKind
from annotate.rating.examples import ShownExample, examples_from_answers, examples_of
from annotate.web import audit
from annotate.web.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.labels.study_labels import Method, labels
from evaluation.language_models.asking.examples import (
    NO_EXAMPLES,
    Examples,
    LabelledUnit,
    PromptExample,
    drawn,
)
from evaluation.language_models.asking.prompts import PromptStyle, read_style, styles, written_style
from evaluation.models import StudyPrompt, TrainedOn, TrainedScorer

MOST_CHARS = 40_000
MOST_VERSIONS = 200
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class KnownStyle:
    """A prompt style of a study; `rows` has its versions, the newest first, if it is the
    study's own."""

    style: PromptStyle
    rows: tuple[StudyPrompt, ...] = ()

    @property
    def is_own(self) -> bool:
        return bool(self.rows)


def known_styles(study: Study) -> dict[str, KnownStyle]:
    """Return the shipped styles, then the newest versions of the study's own, by name."""
    known = {key: KnownStyle(style) for key, style in styles().items()}
    rows: dict[str, list[StudyPrompt]] = {}
    for row in StudyPrompt.objects.filter(study=study).select_related("created_by"):
        rows.setdefault(row.name, []).append(row)
    known |= {name: KnownStyle(style_of_row(own[0]), tuple(own)) for name, own in rows.items()}
    return known


def style_of_row(row: StudyPrompt) -> PromptStyle:
    """Return the style of a stored version."""
    return read_style(row.name, row.text)


def style_named(study: Study, named: str) -> PromptStyle:
    """Return a style by name; the study's own also by version, as `name:2`."""
    if not named:
        return next(iter(styles().values()))
    if named in styles():
        return styles()[named]
    name, _, version = named.partition(":")
    rows = StudyPrompt.objects.filter(study=study, name=name)
    row = rows.filter(version=_number(version)).first() if version else rows.first()
    if row is not None:
        return style_of_row(row)
    if version and (newest := rows.first()) is not None:
        raise Refused(f"The prompt “{name}” has no version {version}; the newest is {newest}.")
    own = StudyPrompt.objects.filter(study=study).values_list("name", flat=True)
    there = ", ".join([*styles(), *sorted(set(own))])
    raise Refused(f"There is no style “{named}”; there are {there}.")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def with_version(study: Study, settings: JudgeSettings) -> JudgeSettings:
    """Return settings that name a version of the study's own prompt, so that later edits do
    not matter."""
    style = style_named(study, settings.style)
    if style.key in styles():
        return settings
    return replace(settings, style=f"{style.key}:{style.version}")


def save_prompt(study: Study, name: str, text: str, *, by: User | None = None) -> StudyPrompt:
    """Store the next version of a prompt of the study, or return the newest if the text is
    equal. Raises `StyleError` for an invalid text."""
    if not _NAME.fullmatch(name):
        raise Refused(
            "A name is up to 40 small letters, digits, - and _, and begins with a letter or digit; "
            f"found “{name[:80]}”."
        )
    if name in styles():
        raise Refused(f"“{name}” comes with Attest and stays as it is. Give the copy another name.")
    if len(text) > MOST_CHARS:
        raise Refused(f"A prompt has at most {MOST_CHARS:,} characters; found {len(text):,}.")
    style = read_style(name, _with_version(text))
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        newest = StudyPrompt.objects.filter(study=study, name=name).first()
        before = 0 if newest is None else newest.version
        if newest is not None and newest.text == written_style(replace(style, version=before)):
            return newest
        if StudyPrompt.objects.filter(study=study).count() >= MOST_VERSIONS:
            raise Refused(f"A study keeps at most {MOST_VERSIONS} versions of prompts.")
        row = StudyPrompt.objects.create(
            study=study,
            name=name,
            version=before + 1,
            text=written_style(replace(style, version=before + 1)),
            created_by=by,
        )
        audit.note("prompt-written", row, by=by, version=row.version)
    return row


def _with_version(text: str) -> str:
    """Add a version to a file that has none: the study numbers them."""
    head, between, rest = text.replace("\r\n", "\n").partition("\n---\n")
    lines = [line for line in head.splitlines() if not line.startswith("version:")]
    return "\n".join(["version: 1", *lines]) + between + rest


MOST = 40

Answer = tuple[int, str, str, str]
"""A unit, its dimension, people's answer, and the reason."""


def with_examples(
    study: Study, settings: JudgeSettings, dimensions: Sequence[Dimension]
) -> JudgeSettings:
    """Draw and store a run's examples; return settings that name them."""
    number = settings.examples or 0
    if not 0 <= number <= MOST:
        raise Refused(f"Expected up to {MOST} examples; found {number}.")
    if not number and not settings.guideline_examples:
        return replace(settings, shown="")
    keys = {one.key for one in dimensions}
    guideline_answers = [
        (shown.example.unit_id, shown.dimension.key, shown.example.value, shown.explanation)
        for shown in (examples_of(study) if settings.guideline_examples else [])
        if shown.dimension.key in keys
    ]
    choices = [
        one.key for one in dimensions if one.is_choice and one.unit_kind is not UnitKind.PAIR
    ]
    drawn_answers = _drawn(study, choices, number, {unit for unit, *_ in guideline_answers})
    if number and not drawn_answers:
        raise Refused(
            "There are no labels to draw examples from: people have answered none of these "
            "dimensions with choices about one answer. Have some answers rated, or ask without "
            "examples."
        )
    if settings.guideline_examples and not guideline_answers:
        raise Refused(
            "The guidelines have no example of what is asked. Make one on the page of a response, "
            "or ask without them."
        )
    return replace(settings, shown=_keep(study, guideline_answers, drawn_answers, number))


def _drawn(study: Study, keys: Sequence[str], number: int, but: set[int]) -> list[Answer]:
    if not number:
        return []
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for label in labels(study, Method.MAJORITY):
        if label.dimension in keys and label.unit not in but:
            found[label.dimension][label.unit] = label.value
    answers: list[Answer] = []
    for key in sorted(found):
        # Each rater writes these claims, so an example could show another text than was judged.
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


def _keep(
    study: Study, guideline_answers: Sequence[Answer], drawn_answers: Sequence[Answer], number: int
) -> str:
    """Store the shown examples under their digest."""
    about = {"guidelines": guideline_answers, "drawn": drawn_answers, "number": number}
    names = dict(
        Unit.objects.filter(
            pk__in={one[0] for one in (*guideline_answers, *drawn_answers)}
        ).values_list("pk", "key")
    )
    shown = repr(
        [
            [(names[unit], unit, *rest) for unit, *rest in part]
            for part in (guideline_answers, drawn_answers)
        ]
    )
    digest = sha256(f"{number}\n{shown}".encode()).hexdigest()[:16]
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
    """Return the examples of a run; refuse if one was deleted."""
    if not digest:
        return NO_EXAMPLES
    kept = TrainedScorer.objects.filter(study=study, fingerprint=digest).first()
    about: dict[str, Any] = {} if kept is None else kept.agreement.get("shown", {})
    parts: list[list[Answer]] = [about.get(name, []) for name in ("guidelines", "drawn")]
    shown = [examples_from_answers(study, part) for part in parts]
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
