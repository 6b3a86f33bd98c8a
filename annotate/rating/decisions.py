"""Deciding what raters disagree on. The decision is the answer of a judge of its own."""

import uuid

from django.db import transaction

from annotate.content.judgments import record_judgment
from annotate.models import Judge, Judgment, Study, Unit, User
from annotate.protocol.steps import WITHDRAWN
from annotate.web import audit
from annotate.web.errors import Refused

NAME = "adjudicated"
NOTE_CHARS = 5_000


def present_judge(study: Study) -> Judge | None:
    """The judge that holds a study's adjudicated labels, where there is one already."""
    return _judge_or_free_name(study)[0]


def adjudicated_judge(study: Study) -> Judge:
    """The judge that holds a study's adjudicated labels, made at first need; one per study."""
    judge = present_judge(study)
    if judge is not None:
        return judge
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        judge, name = _judge_or_free_name(study)
        return judge or Judge.objects.create(study=study, name=name, kind=Judge.Kind.ADJUDICATED)


def _judge_or_free_name(study: Study) -> tuple[Judge | None, str]:
    """A judge of another kind that a file brought under the name keeps it."""
    taken = {judge.name: judge for judge in study.judges.filter(name__startswith=NAME)}
    name, number = NAME, 1
    while name in taken and taken[name].kind != Judge.Kind.ADJUDICATED:
        number += 1
        name = f"{NAME}-{number}"
    return taken.get(name), name


def decide(
    unit: Unit,
    dimension: str,
    *,
    value: str,
    note: str = "",
    by: User,
    base: str | None = None,
    version: int | None = None,
) -> Judgment:
    """Save the adjudicator's answer to the version that they saw; the earlier one stays in the
    history.

    A `Conflict` is raised where somebody else decided since the adjudicator saw the page (`base`).
    """
    if not value:
        raise Refused("Choose an answer.")
    kept = note.strip()[:NOTE_CHARS]
    return _record(unit, dimension, value=value, note=kept, by=by, base=base, version=version)


def take_back(unit: Unit, dimension: str, *, by: User, base: str | None = None) -> Judgment:
    """The decision does not stand any more; the history keeps it."""
    return _record(unit, dimension, skipped_reason=WITHDRAWN, by=by, base=base)


def _record(
    unit: Unit,
    dimension: str,
    *,
    by: User,
    base: str | None,
    value: str = "",
    skipped_reason: str = "",
    note: str = "",
    version: int | None = None,
) -> Judgment:
    if not unit.response.live:
        raise Refused("The response was replaced by a newer one, so there is nothing to decide.")
    study = unit.response.study
    with transaction.atomic():
        saved = record_judgment(
            judge=adjudicated_judge(study),
            unit=unit,
            dimension=dimension,
            value=value,
            skipped_reason=skipped_reason,
            note=note,
            edit=str(uuid.uuid4()),
            base=base,
            given_by=by.username,
            version=version,
        )
        audit.note("decided", unit, study=study, by=by, dimension=dimension, value=value)
    return saved
