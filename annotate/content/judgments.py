"""Writing judgments: one at a time as people give them, or in bulk from files."""

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
from annotate.protocol.answers import NotAnAnswerError, beyond
from annotate.protocol.dimensions import Dimension
from annotate.protocol.steps import OPEN_AGAIN
from annotate.web.bulk import insert
from annotate.web.errors import Refused

BATCH = 2_000


class Conflict(Exception):  # noqa: N818  (two answers, of which the judge is to choose one)
    """The answer was changed elsewhere since the judge saw it; `present` is the one that stands."""

    def __init__(self, present: Judgment) -> None:
        super().__init__("This was answered otherwise in the meantime.")
        self.present = present


def judge_of(study: Study, user: User) -> Judge:
    """The judge that a person is in a study, made at first need under a pseudonym."""
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
    """Save an answer. The same answer again changes nothing; another keeps the earlier one.

    `guidelines_id` is the version that the judge saw, and `version` that of the question: the
    present one, where nothing is said or the study never had it.
    `edit` is the browser's name for this answer, and `base` that of the answer it saw before: an
    edit that has arrived already is not written again, and one that is based on an answer which
    does not stand any more is a `Conflict`. A new one may be in a rating that is `unfinished`.
    """
    value = _fitting(judge.study, unit, dimension, value, skipped_reason)
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
        present = (_standing(offered) if base else None) or _insert(offered)
        if present is offered:
            return offered
        if present.upload is not None and present.upload.published_at is None:
            # The file that brings it may yet be taken back; the person's answer stays.
            present.upload = None
            present.save(update_fields=["upload"])
        if _answer(present) == _answer(offered) or has_arrived(present, edit):
            return present
        stands = present.skipped_reason not in OPEN_AGAIN
        if base is not None and base != present.edit and stands:
            raise Conflict(present)
        return _replace(present, offered)


def _wording(study: Study, key: str, version: int | None) -> str:
    now = study.wording_of(key)
    seen = study.wording_of(key, version) if version else now
    return seen if seen == now or study.wordings.filter(pk=seen).exists() else now


def _standing(offered: Judgment) -> Judgment | None:
    """Lock the answer that an offered one would replace."""
    rows = Judgment.objects.select_for_update()
    return rows.filter(
        judge=offered.judge_id, unit=offered.unit_id, dimension=offered.dimension
    ).first()


def _insert(offered: Judgment) -> Judgment:
    """Insert the first answer. Return it, or the one that another request was faster with."""
    try:
        with transaction.atomic():
            offered.save(force_insert=True)
    except IntegrityError:
        present = _standing(offered)
        if present is None:
            raise
        return present
    return offered


def people_answer(question: Dimension, value: str) -> str:
    """An answer of people as it is written; one that is none is refused."""
    if question.is_choice and value not in {choice.value for choice in question.choices}:
        raise Refused(f"“{question.title}” has no choice “{value}”.")
    return written_answer(question, value)


def written_answer(question: Dimension, value: str) -> str:
    """Any judge's answer as it is written; one that is none is refused."""
    try:
        return question.read(value)
    except NotAnAnswerError as error:
        if question.is_choice:
            raise Refused(f"“{question.title}” has no choice “{value}”.") from error
        raise Refused(f"“{question.title}”: expected {error.expected}.") from error


def _fitting(study: Study, unit: Unit, dimension: str, value: str, skipped_reason: str) -> str:
    """The value as it is written, where it is an answer to the question about the unit."""
    question = study.protocol[dimension]
    if question.unit_kind != unit.kind:
        raise Refused(f"“{question.title}” is not asked of a {unit.kind}.")
    if bool(value) == bool(skipped_reason):
        raise Refused("Give either a value or the reason why there is none.")
    if not value:
        return ""
    return answer_about(unit, question, written_answer(question, value))


def answer_about(unit: Unit, question: Dimension, value: str) -> str:
    """An answer that may be given about a unit; one that marks words that are not there is
    refused."""
    if question.answer != "spans":
        return value
    lengths = {0: len(unit.judged_text)}
    if question.marks == "passages":
        rows = unit.response.sources.annotate(length=Length("passage__text"))
        lengths |= dict(rows.values_list("n", "length"))
    span = beyond(value, lengths)
    if span is not None:
        raise Refused(f"“{question.title}”: there are no words at {span}. Reload the page.")
    return value


def has_arrived(present: Judgment, edit: str) -> bool:
    """Whether the edit was written already, even where another has replaced it since."""
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
    """The row of a judgment that a file brings. Which guidelines its judge saw is not known."""
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
class Sorted:
    """Offered judgments by what is to be done about them."""

    new: list[Judgment]
    unchanged: int
    changed: list[tuple[Judgment, Judgment]]


def sort_against_present(offered: Sequence[Judgment]) -> Sorted:
    """Compare offered rows with those that the same judges gave about the same units."""
    present: dict[tuple[int, str, int], Judgment] = {}
    unit_ids = list({row.unit_id for row in offered})
    judge_ids = {row.judge_id for row in offered}
    for first in range(0, len(unit_ids), BATCH):
        rows = Judgment.objects.filter(
            unit_id__in=unit_ids[first : first + BATCH], judge_id__in=judge_ids
        )
        present.update(((j.unit_id, j.dimension, j.judge_id), j) for j in rows)
    result = Sorted([], 0, [])
    for row in offered:
        old = present.get((row.unit_id, row.dimension, row.judge_id))
        if old is None:
            result.new.append(row)
        elif (*_answer(old), old.seconds) == (*_answer(row), row.seconds):
            result.unchanged += 1
        else:
            result.changed.append((old, row))
    return result


def write_new(rows: Sequence[Judgment]) -> int:
    return insert(rows)


def replace_all(pairs: Sequence[tuple[Judgment, Judgment]]) -> int:
    """Write each offered answer over its present one, keeping the history.

    The present one is read again: its judge may have given another answer in the meantime.
    """
    for first in range(0, len(pairs), BATCH):
        some = pairs[first : first + BATCH]
        locked = Judgment.objects.select_for_update().in_bulk([old.pk for old, _ in some])
        for old, offered in some:
            _replace(locked[old.pk], offered)
    return len(pairs)
