"""Write judgments, one at a time from people or in bulk from files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotate.formats.records import JudgmentRecord
from annotate.models import (
    Judge,
    Judgment,
    PastJudgment,
    Study,
    Unit,
    Upload,
    User,
)
from annotate.models.judging import Answer
from annotate.protocol.answers import NotAnAnswerError, first_outside
from annotate.protocol.dimensions import Dimension
from annotate.protocol.steps import OPEN_AGAIN
from annotate.web.errors import Refused

BATCH = 2_000


class Conflict(Exception):  # noqa: N818  (not an error: the judge chooses one of two answers)
    """The answer changed elsewhere since the judge saw it. `present` is the current one."""

    def __init__(self, present: Judgment) -> None:
        super().__init__("This was answered otherwise in the meantime.")
        self.present = present


def judge_of(study: Study, user: User) -> Judge:
    """Return a person's judge in a study. Create it under a pseudonym if there is none."""
    judge = Judge.objects.filter(study=study, user=user).first()
    if judge is not None:
        return judge
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        number = 1
        taken = set(study.judges.values_list("name", flat=True))
        while f"rater-{number}" in taken:
            number += 1
        return Judge.objects.get_or_create(
            study=study,
            user=user,
            defaults={"kind": Judge.Kind.HUMAN, "name": f"rater-{number}"},
        )[0]


def record_judgment(
    *,
    judge: Judge,
    unit: Unit,
    dimension: str,
    value: str = "",
    skipped_reason: str = "",
    score: float | None = None,
    note: str = "",
    seconds: float | None = None,
    guidelines_id: int | None = None,
    edit: str = "",
    base: str | None = None,
    given_by: str = "",
    unfinished: bool = False,
    claim: dict[str, Any] | None = None,
    version: int | None = None,
) -> Judgment:
    """Save an answer. A different earlier answer moves to the history.

    `guidelines_id` and `version` are the versions of the guidelines and the question that the judge
    saw; the current ones by default, or if the study never had that version.
    `edit` is the browser's id of this answer, and `base` the id of the answer that it showed
    before. An edit that is recorded already is not written again. An edit whose base is no longer
    the current answer raises `Conflict`. `unfinished` marks a new answer of an unfinished rating.
    """
    value = _checked_value(judge.study, unit, dimension, value, skipped_reason)
    with transaction.atomic(savepoint=False):
        offered = Judgment(
            judge=judge,
            unit=unit,
            dimension=dimension,
            value=value,
            skipped_reason=skipped_reason,
            score=score,
            note=note,
            seconds=seconds,
            guidelines_id=guidelines_id or judge.study.current_guidelines.pk,
            edit=edit,
            given_by=given_by,
            unfinished=unfinished,
            wording=_wording(judge.study, dimension, version),
            claim=claim or {},
        )
        present = (_current(offered) if base else None) or _insert(offered)
        if present is offered:
            return offered
        if present.upload is not None and present.upload.published_at is None:
            # The upload of the same answer may still be undone. The person's answer stays.
            present.upload = None
            present.save(update_fields=["upload"])
        if _answer(present) == _answer(offered) or is_recorded(present, edit):
            return present
        is_answered = present.skipped_reason not in OPEN_AGAIN
        if base is not None and base != present.edit and is_answered:
            raise Conflict(present)
        return _replace(present, offered)


def _wording(study: Study, key: str, version: int | None) -> str:
    current = study.wording_of(key)
    seen = study.wording_of(key, version) if version else current
    return seen if seen == current or study.wordings.filter(pk=seen).exists() else current


def _current(offered: Judgment) -> Judgment | None:
    """Lock and return the answer that an offered one would replace."""
    rows = Judgment.objects.select_for_update()
    return rows.filter(
        judge=offered.judge_id, unit=offered.unit_id, dimension=offered.dimension
    ).first()


def _insert(offered: Judgment) -> Judgment:
    """Insert the first answer. Return it, or the one that another request inserted before."""
    try:
        with transaction.atomic():
            offered.save(force_insert=True)
    except IntegrityError:
        present = _current(offered)
        if present is None:
            raise
        return present
    return offered


def people_answer(question: Dimension, value: str) -> str:
    """Return a person's answer in the form that is stored, or raise `Refused`."""
    if question.is_choice and value not in {choice.value for choice in question.choices}:
        raise Refused(f"“{question.title}” has no choice “{value}”.")
    return _stored_answer(question, value)


def _stored_answer(question: Dimension, value: str) -> str:
    """Return any judge's answer in the form that is stored, or raise `Refused`."""
    try:
        return question.read(value)
    except NotAnAnswerError as error:
        if question.is_choice:
            raise Refused(f"“{question.title}” has no choice “{value}”.") from error
        raise Refused(f"“{question.title}”: expected {error.expected}.") from error


def _checked_value(
    study: Study, unit: Unit, dimension: str, value: str, skipped_reason: str
) -> str:
    """Return the value in the form that is stored, or raise `Refused` if it does not fit."""
    question = study.protocol[dimension]
    if question.unit_kind != unit.kind:
        raise Refused(f"“{question.title}” is not asked of a {unit.kind}.")
    if bool(value) == bool(skipped_reason):
        raise Refused("Give either a value or the reason why there is none.")
    if not value:
        return ""
    return check_marks(unit, question, _stored_answer(question, value))


def check_marks(unit: Unit, question: Dimension, value: str) -> str:
    """Return the answer, or raise `Refused` if it marks words that do not exist."""
    if question.answer != "spans":
        return value
    lengths = {0: len(unit.judged_text)}
    if question.marks == "passages":
        rows = unit.response.sources.annotate(length=Length("passage__text"))
        lengths |= dict(rows.values_list("n", "length"))
    span = first_outside(value, lengths)
    if span is not None:
        raise Refused(f"“{question.title}”: there are no words at {span}. Reload the page.")
    return value


def is_recorded(present: Judgment, edit: str) -> bool:
    """Whether the edit was written already, even if another one has replaced it since."""
    return bool(edit) and (present.edit == edit or present.history.filter(edit=edit).exists())


def _answer(judgment: Judgment) -> tuple[str, str, float | None, str, dict[str, Any]]:
    return (
        judgment.value, judgment.skipped_reason, judgment.score, judgment.note, judgment.claim,
    )  # fmt: skip


def _replace(present: Judgment, offered: Judgment) -> Judgment:
    """Move the present answer into the history and write the offered one over it."""
    before = {name: getattr(present, name) for name in _ANSWER}
    PastJudgment.objects.create(judgment=present, **before)
    for name in _ANSWER:
        setattr(present, name, getattr(offered, name))
    present.save(update_fields=_ANSWER)
    return present


_ANSWER = tuple(field.attname for field in Answer._meta.local_fields)


def judgment_row(
    record: JudgmentRecord, *, unit_id: int, judge_id: int, upload: Upload
) -> Judgment:
    """Return the row of a judgment from a file. The guidelines that its judge saw are unknown."""
    return Judgment(
        unit_id=unit_id,
        judge_id=judge_id,
        dimension=record.dimension,
        value=record.value,
        skipped_reason=record.skipped_reason,
        score=record.score,
        note=record.note,
        seconds=record.seconds,
        created_at=_moment(record.created) or upload.created_at,
        unfinished=record.counted == "unfinished",
        upload_id=upload.pk,
        wording=upload.study.wording_of(
            record.dimension, int(record.version) if record.version else None
        ),
        claim=dict(record.claim or {}),
    )


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    moment = parse_datetime(text)
    if moment is None:
        return None
    return timezone.make_aware(moment) if timezone.is_naive(moment) else moment


@dataclass(slots=True)
class ComparedJudgments:
    """Offered judgments, compared with the stored ones."""

    new: list[Judgment]
    unchanged: int
    changed: list[tuple[Judgment, Judgment]]
    """Pairs of a stored and an offered judgment."""


def compare_with_stored(offered: Sequence[Judgment]) -> ComparedJudgments:
    """Compare offered rows with the stored ones of the same judges about the same units."""
    present: dict[tuple[int, str, int], Judgment] = {}
    unit_ids = list({row.unit_id for row in offered})
    judge_ids = {row.judge_id for row in offered}
    for first in range(0, len(unit_ids), BATCH):
        rows = Judgment.objects.filter(
            unit_id__in=unit_ids[first : first + BATCH], judge_id__in=judge_ids
        )
        present.update(((j.unit_id, j.dimension, j.judge_id), j) for j in rows)
    result = ComparedJudgments([], 0, [])
    for row in offered:
        old = present.get((row.unit_id, row.dimension, row.judge_id))
        if old is None:
            result.new.append(row)
        elif (*_answer(old), old.seconds) == (*_answer(row), row.seconds):
            result.unchanged += 1
        else:
            result.changed.append((old, row))
    return result


def replace_all(pairs: Sequence[tuple[Judgment, Judgment]]) -> int:
    """Replace each stored answer by the offered one, and keep the history.

    The stored one is read again, because its judge may have changed the answer meanwhile.
    """
    for first in range(0, len(pairs), BATCH):
        some = pairs[first : first + BATCH]
        locked = Judgment.objects.select_for_update().in_bulk([old.pk for old, _ in some])
        for old, offered in some:
            _replace(locked[old.pk], offered)
    return len(pairs)
