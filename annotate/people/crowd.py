"""People from crowd platforms: the batch's link, who came by it, leaving, and the end.

Nothing is kept of a person but the platform's id. The account behind it has a random name, no
address and no password: whoever comes by the link with the same id is the same rater.
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
    """The signed part of the batch's link, which only this installation can make."""
    return signing.Signer(salt=_SALT).sign(batch.nonce)


def find_batch(code: str) -> Batch | None:
    """The batch behind a link, whatever its state; none where the link was made up."""
    try:
        nonce = signing.Signer(salt=_SALT).unsign(code)
    except signing.BadSignature:
        return None
    found = Batch.objects.filter(nonce=nonce, study__deleted_at__isnull=True)
    return found.select_related("study").first()


def find_participant(study: Study, *, platform: str, external_id: str) -> Participant | None:
    """Who came to the study with this id before."""
    return _came_as(study, platform, admission.known_as(study, external_id))


def _came_as(study: Study, platform: str, kept: str) -> Participant | None:
    found = Participant.objects.filter(study=study, platform=platform, external_id=kept)
    return found.select_related("user").first()


def find_enrolment(batch: Batch, participant: Participant | None) -> Enrolment | None:
    """The part that a person has in a batch already."""
    if participant is None:
        return None
    found = Enrolment.objects.filter(batch=batch, participant=participant)
    return found.select_related("participant__user").first()


REMOVED = "The study's researchers have ended your part in it."


def was_removed(participant: Participant | None) -> bool:
    """Whether somebody who came before was taken out of the study. No link lets them in again."""
    if participant is None:
        return False
    return not participant.user.memberships.filter(study=participant.study_id).exists()


def entry_fault(batch: Batch) -> str:
    """Why nobody new can take part; empty where they can."""
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
    """Take part, or go on with it. One person is one rater per study, however often they come.

    Who has a part in the batch may come back at any time, in the browser that they began in; nobody
    new once it is full or closed, nor whom its terms do not let in. `signed_for` is the
    study for which the platform signed the id; `came` is who comes, where this browser is signed
    in as them.
    """
    external_id = external_id.strip()
    if platform not in Participant.Platform.values or not external_id:
        raise Refused("The id that the platform gave you is missing.")
    if any(len(text) > ID_CHARS for text in (external_id, session, project)):
        raise Refused(f"An id has at most {ID_CHARS} characters.")
    if not external_id.isprintable():
        raise Refused("An id is one line of text.")
    kept = came.external_id if came else admission.known_as(batch.study, external_id)
    known = came or _came_as(batch.study, platform, kept)
    if find_enrolment(batch, known) is None:
        admission.count_try(batch.study, address, kept)
        admission.refuse_stranger(batch, kept, signed_for=signed_for)
    with transaction.atomic():
        # Everybody who arrives in the study waits here, so that nobody is made twice.
        Study.objects.select_for_update(no_key=True).get(pk=batch.study_id)
        known = _came_as(batch.study, platform, kept)
        if known is not None and was_removed(known):
            raise Refused(REMOVED)
        if known is not None and admission.is_elsewhere(known, browser):
            raise Refused(admission.OTHER_BROWSER)
        found = find_enrolment(batch, known)
        if found is None:
            fault = entry_fault(batch)
            if fault:
                raise Refused(fault)
        if batch.consent and not consented and (found is None or found.consented_at is None):
            raise Refused("Agree to take part first.")
        now = timezone.now()
        if found is None:
            known = known or _new_participant(batch.study, platform, kept)
            found = Enrolment(batch=batch, participant=known)
        admission.bind(found.participant, browser)
        if batch.consent and consented and found.consented_at is None:
            found.consented_at = now
        if not batch.study.sealed_id_key:  # it would lead to the person
            found.session = session or found.session
        found.project = project or found.project
        found.left_at = None
        found.save()
        return found


def _new_participant(study: Study, platform: str, kept: str) -> Participant:
    user = User(username=f"crowd-{secrets.token_hex(8)}")
    user.set_unusable_password()
    user.save()
    member = Membership.objects.create(study=study, user=user, role=Role.RATER)
    audit.note("joined", member, by=user, role=Role.RATER, platform=platform)
    return Participant.objects.create(study=study, platform=platform, external_id=kept, user=user)


def judge_behind(enrolment: Enrolment) -> Judge:
    return judge_of(enrolment.batch.study, enrolment.participant.user)


def leave(enrolment: Enrolment) -> int:
    """Stop taking part: what was begun goes back to the pool, what is done stays."""
    with transaction.atomic():
        freed = assignments.give_all_back(enrolment.batch, judge_behind(enrolment))
        enrolment.left_at = timezone.now()
        enrolment.save(update_fields=["left_at"])
        audit.note("part-ended", enrolment.batch, participant=enrolment.participant_id, freed=freed)
    return freed


def finish(enrolment: Enrolment) -> Enrolment:
    """Note the end of somebody's part, once."""
    now = timezone.now()
    rows = Enrolment.objects.filter(pk=enrolment.pk, finished_at__isnull=True)
    if rows.update(finished_at=now):
        enrolment.finished_at = now
    return enrolment


# The end, as the participant sees it --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrowdOutcome:
    """How somebody's part in a batch stands: what they did, and whether it has come to its end."""

    enrolment: Enrolment
    done: int
    goes_on: bool
    gets_code: bool
    has_left: bool
    waits: bool
    """Others hold what is left; the first of it is free again at `until` at the latest."""

    until: datetime | None
    has_failed: bool
    """The practice's rounds are used up, and it is not passed."""

    text: str
    """Why there is nothing more to do; or why there is no code."""


_ENDED = {
    WhyNoTask.QUOTA,
    WhyNoTask.ALL_DONE,
    WhyNoTask.ALL_YOURS_DONE,
    WhyNoTask.CLOSED,
    WhyNoTask.EMPTY,
}
"""Not where others hold what is left: it may come free, so that is not the end."""


def outcome(enrolment: Enrolment) -> CrowdOutcome:
    """Whether a participant has come to the end. The code is for those who did at least a task."""
    batch, judge = enrolment.batch, judge_behind(enrolment)
    done = judge.assignments.filter(batch=batch, state=Assignment.State.DONE).count()
    nothing = assignments.why_no_task(batch, judge)
    text = "There is more for you to do." if nothing is None else nothing.text
    has_left = enrolment.left_at is not None
    is_over = enrolment.finished_at is not None
    if not is_over and not has_left:
        is_over = nothing is not None and nothing.why in _ENDED
    return CrowdOutcome(
        enrolment=enrolment,
        done=done,
        goes_on=not has_left
        and (nothing is None or (nothing.why is WhyNoTask.NOT_QUALIFIED and batch.is_open)),
        gets_code=is_over and done > 0,
        has_left=has_left,
        waits=not is_over and nothing is not None and nothing.why is WhyNoTask.LEASED,
        until=None if nothing is None else nothing.until,
        has_failed=nothing is not None and nothing.why is WhyNoTask.FAILED_PRACTICE,
        text=text,
    )


def part_behind(user: User, batch: Batch) -> Enrolment | None:
    """The part in a batch, or in one that asks for this practice, of who came by its link."""
    parts = Enrolment.objects.filter(participant__user=user).select_related("batch__study")
    return parts.filter(Q(batch=batch) | Q(batch__qualification=batch)).first()


def approve(batch: Batch, enrolments: Collection[int]) -> int:
    """Note that the platform has approved the work of those named. Says of how many."""
    rows = batch.enrolments.filter(
        pk__in=enrolments, finished_at__isnull=False, approved_at__isnull=True
    )
    with transaction.atomic():
        count = rows.update(approved_at=timezone.now())
        if count:
            audit.note("participants-approved", batch, participants=count)
    return count
