"""People from crowd platforms: the batch's link, arriving, leaving, and the outcome.

Only the platform's id of a person is stored. Their account has a random name, no e-mail address and
no password. The same id is always the same rater.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.content.judgments import judge_of
from annotate.models import (
    Assignment,
    Batch,
    Enrolment,
    Judge,
    Membership,
    Participant,
    Role,
    Study,
    User,
)
from annotate.people import admission
from annotate.people.admission import ID_CHARS
from annotate.rating import assignments, places
from annotate.rating.assignments import WhyNoTask
from annotate.web import audit
from annotate.web.errors import Refused

_SALT = "annotate.batch"


def batch_code(batch: Batch) -> str:
    """Return the signed part of the batch's link, which only this installation can create."""
    return signing.Signer(salt=_SALT).sign(batch.nonce)


def find_batch(code: str) -> Batch | None:
    """Return the batch of a link in any state, or None if the link is not signed here."""
    try:
        nonce = signing.Signer(salt=_SALT).unsign(code)
    except signing.BadSignature:
        return None
    batches = Batch.objects.filter(nonce=nonce, study__deleted_at__isnull=True)
    return batches.select_related("study").first()


def find_participant(study: Study, *, platform: str, external_id: str) -> Participant | None:
    """Return the study's participant with this platform id."""
    return _stored_participant(study, platform, admission.known_as(study, external_id))


def _stored_participant(study: Study, platform: str, stored_id: str) -> Participant | None:
    rows = Participant.objects.filter(study=study, platform=platform, external_id=stored_id)
    return rows.select_related("user").first()


def find_enrolment(batch: Batch, participant: Participant | None) -> Enrolment | None:
    """Return a participant's enrolment in a batch."""
    if participant is None:
        return None
    rows = Enrolment.objects.filter(batch=batch, participant=participant)
    return rows.select_related("participant__user").first()


REMOVED = "The study's researchers have ended your part in it."


def was_removed(participant: Participant | None) -> bool:
    """Whether a participant was removed from the study. No link admits them again."""
    if participant is None:
        return False
    return not participant.user.memberships.filter(study=participant.study_id).exists()


def entry_fault(batch: Batch) -> str:
    """Return why new people cannot take part, or ""."""
    if batch.audience != Batch.Audience.LINK:
        return "This batch is not open to people who come by a link any more."
    if batch.state == Batch.State.DRAFT:
        return "This batch is not open yet."
    if not batch.is_open:
        return "This batch is closed."
    if batch.is_practice:
        return ""
    free = places.items_to_rate(batch).exclude(
        pk__in=places.full_items(batch, batch.raters_per_item, places.holding(timezone.now()))
    )
    if not free.exists():
        return "All places in this batch are taken at the moment."
    return ""


def arrive(
    batch: Batch,
    *,
    platform: str,
    external_id: str,
    session: str = "",
    project: str = "",
    consented: bool = False,
    browser: str = "",
    address: str = "",
    signed_for: str = "",
    came: Participant | None = None,
) -> Enrolment:
    """Enrol a person in a batch, or let them continue. One person is one rater in a study.

    Enrolled people may return at any time in their first browser. New people are refused if the
    batch is full or closed, or if its terms do not admit them. `signed_for` is the study for which
    the platform signed the id; `came` is the participant that the browser is signed in as.
    """
    external_id = external_id.strip()
    if platform not in Participant.Platform.values or not external_id:
        raise Refused("The id that the platform gave you is missing.")
    if any(len(text) > ID_CHARS for text in (external_id, session, project)):
        raise Refused(f"An id has at most {ID_CHARS} characters.")
    if not external_id.isprintable():
        raise Refused("An id is one line of text.")
    stored_id = came.external_id if came else admission.known_as(batch.study, external_id)
    known = came or _stored_participant(batch.study, platform, stored_id)
    if find_enrolment(batch, known) is None:
        admission.count_try(batch.study, address, stored_id)
        admission.refuse_stranger(batch, stored_id, signed_for=signed_for)
    with transaction.atomic():
        # Arrivals in the study wait for each other, so that no participant is created twice.
        Study.objects.select_for_update(no_key=True).get(pk=batch.study_id)
        known = _stored_participant(batch.study, platform, stored_id)
        if was_removed(known):
            raise Refused(REMOVED)
        if known is not None and admission.is_elsewhere(known, browser):
            raise Refused(admission.OTHER_BROWSER)
        enrolment = find_enrolment(batch, known)
        if enrolment is None and (fault := entry_fault(batch)):
            raise Refused(fault)
        has_consented = enrolment is not None and enrolment.consented_at is not None
        if batch.consent and not consented and not has_consented:
            raise Refused("Agree to take part first.")
        if enrolment is None:
            known = known or _new_participant(batch.study, platform, stored_id)
            enrolment = Enrolment(batch=batch, participant=known)
        admission.bind(enrolment.participant, browser)
        if batch.consent and not has_consented:
            enrolment.consented_at = timezone.now()
        if not batch.study.sealed_id_key:  # with hashed ids, the session would identify the person
            enrolment.session = session or enrolment.session
        enrolment.project = project or enrolment.project
        enrolment.left_at = None
        enrolment.save()
        return enrolment


def _new_participant(study: Study, platform: str, stored_id: str) -> Participant:
    user = User(username=f"crowd-{secrets.token_hex(8)}")
    user.set_unusable_password()
    user.save()
    member = Membership.objects.create(study=study, user=user, role=Role.RATER)
    audit.note("joined", member, by=user, role=Role.RATER, platform=platform)
    return Participant.objects.create(
        study=study, platform=platform, external_id=stored_id, user=user
    )


def judge_behind(enrolment: Enrolment) -> Judge:
    return judge_of(enrolment.batch.study, enrolment.participant.user)


def leave(enrolment: Enrolment) -> int:
    """End a part: unfinished tasks return to the pool, finished ones stay."""
    with transaction.atomic():
        freed = assignments.give_all_back(enrolment.batch, judge_behind(enrolment))
        enrolment.left_at = timezone.now()
        enrolment.save(update_fields=["left_at"])
        audit.note("part-ended", enrolment.batch, participant=enrolment.participant_id, freed=freed)
    return freed


def finish(enrolment: Enrolment) -> Enrolment:
    """Record the end of a part, once."""
    now = timezone.now()
    rows = Enrolment.objects.filter(pk=enrolment.pk, finished_at__isnull=True)
    if rows.update(finished_at=now):
        enrolment.finished_at = now
    return enrolment


# The end, as the participant sees it --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrowdOutcome:
    """The outcome of a participant's part in a batch."""

    enrolment: Enrolment
    done: int
    goes_on: bool
    gets_code: bool
    has_left: bool
    waits: bool
    """Whether others hold the remaining tasks. The first is free at `until` at the latest."""

    until: datetime | None
    has_failed: bool
    """Whether all rounds of the practice were failed."""

    text: str
    """Why there is no task, or no code."""


_ENDED = {
    WhyNoTask.QUOTA,
    WhyNoTask.ALL_DONE,
    WhyNoTask.ALL_YOURS_DONE,
    WhyNoTask.CLOSED,
    WhyNoTask.EMPTY,
}
"""The reasons that end a part. Tasks that others hold may become free, so that is not one."""


def outcome(enrolment: Enrolment) -> CrowdOutcome:
    """Return a participant's outcome. The code needs at least one finished task."""
    batch, judge = enrolment.batch, judge_behind(enrolment)
    done = judge.assignments.filter(batch=batch, state=Assignment.State.DONE).count()
    reason = assignments.why_no_task(batch, judge)
    why = None if reason is None else reason.why
    has_left = enrolment.left_at is not None
    is_over = enrolment.finished_at is not None or (not has_left and why in _ENDED)
    has_task = why is None or (why is WhyNoTask.NOT_QUALIFIED and batch.is_open)
    return CrowdOutcome(
        enrolment=enrolment,
        done=done,
        goes_on=not has_left and has_task,
        gets_code=is_over and done > 0,
        has_left=has_left,
        waits=not is_over and why is WhyNoTask.LEASED,
        until=None if reason is None else reason.until,
        has_failed=why is WhyNoTask.FAILED_PRACTICE,
        text="There is more for you to do." if reason is None else reason.text,
    )


def part_behind(user: User, batch: Batch) -> Enrolment | None:
    """Return a user's enrolment in a batch, or in one that needs this practice."""
    parts = Enrolment.objects.filter(participant__user=user).select_related("batch__study")
    return parts.filter(Q(batch=batch) | Q(batch__qualification=batch)).first()


def approve(batch: Batch, enrolments: Collection[int]) -> int:
    """Record that the platform approved these parts, and return the number of new approvals."""
    rows = batch.enrolments.filter(
        pk__in=enrolments, finished_at__isnull=False, approved_at__isnull=True
    )
    with transaction.atomic():
        count = rows.update(approved_at=timezone.now())
        if count:
            audit.note("participants-approved", batch, participants=count)
    return count
