"""Who is at work on an upload. The database is the truth; a message only says where to look."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Study, Upload

LEASE = timedelta(minutes=2)


class LeaseLost(Exception):  # noqa: N818
    """Another worker took over, so this one must write nothing more."""


class Cancelled(Exception):  # noqa: N818
    """The researcher asked to stop."""


def claim(upload_id: int) -> Upload | None:
    """Take the upload's next step, checking or loading; none where there is nothing to take.

    Locks are taken without the key, which rows that refer to the study may go on reading; a load
    would otherwise wait for whoever waits for it.

    A study loads one upload at a time: the next waits in the state `queued`, also while the
    worker of the one before is dead, since what that one left must be taken back first.
    """
    State = Upload.State  # noqa: N806
    now = timezone.now()
    with transaction.atomic():
        found = Upload.objects.filter(pk=upload_id).first()
        if found is None or (found.lease_until is not None and found.lease_until >= now):
            return None
        Study.objects.select_for_update(no_key=True).get(pk=found.study_id)
        rows = Upload.objects.select_for_update(of=("self",), no_key=True)
        upload = rows.select_related("study").get(pk=upload_id)
        dead = upload.lease_until is None or upload.lease_until < now
        if upload.state == State.RECEIVED or (upload.state == State.CHECKING and dead):
            upload.state = State.CHECKING
        elif upload.state == State.QUEUED or (upload.state == State.LOADING and dead):
            others = Upload.objects.filter(study_id=upload.study_id, state=State.LOADING)
            if others.exclude(pk=upload.pk).exists():
                return None
            upload.state = State.LOADING
        else:
            return None
        upload.lease_token = secrets.token_hex(16)
        upload.lease_until = now + LEASE
        upload.position = 0
        upload.save(update_fields=["state", "lease_token", "lease_until", "position"])
    return upload


def renew(upload: Upload, position: int) -> None:
    """Say how far the work has come; stop where it was cancelled or taken over."""
    mine = Upload.objects.filter(pk=upload.pk, lease_token=upload.lease_token, state=upload.state)
    if not mine.update(position=position, lease_until=timezone.now() + LEASE):
        raise LeaseLost
    if mine.filter(cancel_requested=True).exists():
        raise Cancelled


def hold(upload: Upload) -> None:
    """Within a transaction: make sure that the work is still ours, and keep it so to its end."""
    mine = Upload.objects.filter(pk=upload.pk, lease_token=upload.lease_token, state=upload.state)
    if not mine.update(lease_until=timezone.now() + LEASE):
        raise LeaseLost


def finish(upload: Upload, state: "Upload.State", **fields: object) -> None:
    """End a step: the new state, and no lease."""
    changes = {
        **fields,
        "state": state,
        "lease_token": "",
        "lease_until": None,
        "finished_at": timezone.now(),
    }
    mine = Upload.objects.filter(pk=upload.pk, lease_token=upload.lease_token, state=upload.state)
    if not mine.update(**changes):
        raise LeaseLost
    for name, value in changes.items():
        setattr(upload, name, value)


def dropped() -> QuerySet[Upload]:
    """Uploads whose worker was killed in the middle of a step."""
    State = Upload.State  # noqa: N806
    return Upload.objects.filter(
        state__in=[State.CHECKING, State.LOADING], lease_until__lt=timezone.now()
    ).order_by("pk")


def stale() -> list[int]:
    """Uploads that nobody works on although there is work: lost messages, killed workers."""
    State = Upload.State  # noqa: N806
    waiting = Upload.objects.filter(state__in=[State.RECEIVED, State.QUEUED])
    return list((dropped() | waiting).order_by("pk").values_list("pk", flat=True))
