"""Personal data of a study's people as one document, for requests about stored data."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from annotate.models import (
    Assignment,
    Enrolment,
    InquiryMessage,
    Judge,
    Judgment,
    Membership,
    ResponseNote,
    StandingChange,
    Study,
    User,
)
from annotate.people.leaving import WRITTEN_BY_NAME


def personal_data(study: Study, judge: Judge | None = None) -> dict[str, Any]:
    """Return the data of everybody in a study, or of one rater. Answers belong to the study;
    the document has what a person wrote in addition to them."""
    members = Membership.objects.filter(study=study).select_related("user")
    if judge is not None:
        members = members.filter(user=judge.user_id)
    judges = {j.user_id: j for j in study.judges.filter(user__isnull=False)}
    people = [_person(member, judges.get(member.user_id)) for member in members.order_by("pk")]
    if judge is not None and judge.user_id is None:
        people.append(_work(judge))
    found: dict[str, Any] = {"study": {"slug": study.slug, "name": study.name}, "people": people}
    if judge is None:
        found["names_beside_answers"] = sorted(_names(study))
        found["listed_ids"] = [
            listed.external_id
            for batch in study.batches.order_by("pk")
            for listed in batch.admitted.order_by("pk")
        ]
    return found


def _person(member: Membership, judge: Judge | None) -> dict[str, Any]:
    user: User = member.user
    parts = Enrolment.objects.filter(participant__user=user).select_related("participant", "batch")
    return {
        "name": user.name,
        "user_name": user.username,
        "email": user.email,
        "role": member.role,
        "member_since": _at(member.created_at),
        "came_by_links": [
            {
                "batch": part.batch.name,
                "platform": part.participant.platform,
                "id": part.participant.external_id,
                "session": part.session,
                "project": part.project,
                "came_at": _at(part.created_at),
                "consented_at": _at(part.consented_at),
                "finished_at": _at(part.finished_at),
                "left_at": _at(part.left_at),
                "approved_at": _at(part.approved_at),
            }
            for part in parts.order_by("pk")
        ],
        "notes": [
            {"text": note.text, "at": _at(note.created_at)}
            for note in ResponseNote.objects.filter(response__study=member.study_id, author=user)
        ],
        **({} if judge is None else _work(judge)),
    }


def _work(judge: Judge) -> dict[str, Any]:
    """Return a rater's work, and the records about it."""
    changes = StandingChange.objects.filter(judge=judge).order_by("pk")
    said = InquiryMessage.objects.filter(inquiry__judge=judge, is_answer=False).order_by("pk")
    tasks = Assignment.objects.filter(judge=judge).order_by("pk")
    return {
        "rater": judge.name,
        "standing": judge.standing,
        "standing_changes": [
            {"standing": c.standing, "reason": c.reason, "at": _at(c.created_at)} for c in changes
        ],
        "tasks": [
            {
                "batch": task.batch.name,
                "state": task.state,
                "begun_at": _at(task.created_at),
                "done_at": _at(task.done_at),
            }
            for task in tasks.select_related("batch")
        ],
        "answers": list(_answers(judge)),
        "questions": [{"text": m.text, "at": _at(m.created_at)} for m in said],
    }


def _answers(judge: Judge) -> Iterator[dict[str, Any]]:
    rows = Judgment.objects.filter(judge=judge).order_by("pk")
    names = ("unit__response__question__external_id", "unit__response__system__name", "unit__key")
    fields = ("dimension", "value", "skipped_reason", "note", "seconds", "created_at")
    for row in rows.values_list(*names, *fields).iterator(chunk_size=2_000):
        question, system, unit, dimension, value, skipped, note, seconds, at = row
        yield {
            "question": question,
            "system": system,
            "unit": unit,
            "dimension": dimension,
            "value": value,
            "skipped_reason": skipped,
            "note": note,
            "seconds": seconds,
            "at": _at(at),
        }


def _names(study: Study) -> set[str]:
    named = Judgment.objects.filter(judge__study=study, judge__kind__in=WRITTEN_BY_NAME)
    return set(named.exclude(given_by="").values_list("given_by", flat=True))


def _at(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
