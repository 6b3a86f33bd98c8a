"""Admission by a batch's link: known ids, one browser for each, limits by network.

An id in a link is no secret. A batch can therefore require ids that a researcher listed or that the
platform confirms, or links that the platform signed. The first browser with an id keeps it. The
number of new ids from one network address is limited for each day.
"""

import hmac
import secrets
from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotate.models import (
    Admission,
    AdmittedId,
    Batch,
    CrowdTry,
    Enrolment,
    Participant,
    Study,
)
from annotate.people import prolific
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.web.sealing import keeps, opened, sealed

Rule = Admission.Rule

TOKEN_FOR, ID_KEY_FOR = "Prolific", "ids of the crowd"
"""The purposes of the sealed values."""

keeps(Admission, "sealed_token", lambda _: TOKEN_FOR)
keeps(Study, "sealed_id_key", lambda _: ID_KEY_FOR)

MOST_IDS = 100_000
ID_CHARS = 200
"""The longest id of a platform."""

RETRY_SECONDS = 10
"""The pause before the platform is asked again about an unknown id."""

DAY = timedelta(days=1)
HASHED = "hash:"
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without I, O, 0 and 1
CODE_LENGTH = 8

NOT_LISTED = (
    "Your id may not take part here. Sign in to the platform as yourself and open the link "
    "exactly as it gives it to you."
)
OTHER_BROWSER = (
    "Somebody started with this id in another browser. Continue in that browser. If you cannot, or "
    "it was not you, write to the study's researchers through the platform: they can release the "
    "id, and then this link works here."
)
TOO_MANY = (
    "Very many different ids came from your network today, so no new one is let in from there. "
    "Come back tomorrow or from another network, or write to the study's researchers through the "
    "platform."
)


# Terms -------------------------------------------------------------------------------------------


def terms_of(batch: Batch) -> Admission:
    """Return a batch's terms, by default open ones."""
    return Admission.objects.filter(batch=batch).first() or Admission(batch=batch)


def change_terms(
    batch: Batch,
    *,
    rule: str,
    own_codes: bool,
    prolific_study: str = "",
    token: str | None = None,
    ids: Iterable[str] | None = None,
) -> Admission:
    """Change a batch's terms. None keeps the stored `token` or `ids`."""
    with transaction.atomic():
        Batch.objects.select_for_update(of=("self",), no_key=True).get(pk=batch.pk)
        terms = terms_of(batch)
        if token is not None:
            terms.sealed_token = sealed(token, TOKEN_FOR)
        terms.rule, terms.own_codes = rule, own_codes
        terms.prolific_study = prolific_study.strip()
        if rule == Rule.PROLIFIC and not (terms.prolific_study and terms.sealed_token):
            raise Refused(
                "To ask Prolific, enter the study's id there and an API token. The id is in the "
                "study's address after /studies/. Tokens are on Prolific under Settings, API "
                "tokens."
            )
        if rule == Rule.SIGNED and not terms.prolific_study:
            raise Refused(
                "Give the id of the study on Prolific (in its address, after /studies/): Prolific "
                "signs the same for everybody's studies."
            )
        terms.save()
        if ids is not None:
            _list(batch, ids)
        audit.note(
            "admission-changed",
            batch,
            rule=str(rule),
            own_codes=own_codes,
            token=bool(terms.sealed_token),
            ids=batch.admitted.count(),
        )
    return terms


def _list(batch: Batch, ids: Iterable[str]) -> None:
    """Replace a batch's list of ids."""
    names = list(dict.fromkeys(name for text in ids if (name := text.strip())))
    if len(names) > MOST_IDS:
        raise Refused(f"A list has at most {MOST_IDS:,} ids; these are {len(names):,}.")
    if any(len(name) > ID_CHARS or not name.isprintable() for name in names):
        raise Refused(f"An id is one line of at most {ID_CHARS} characters.")
    batch.admitted.all().delete()
    _admit(batch, [known_as(batch.study, name) for name in names])


def _admit(batch: Batch, ids: Iterable[str]) -> None:
    rows = [AdmittedId(batch=batch, external_id=name) for name in ids]
    AdmittedId.objects.bulk_create(rows, batch_size=2_000, ignore_conflicts=True)


def fetch(batch: Batch) -> int:
    """Fetch the participants' ids from Prolific, and return the number of new ones."""
    terms = terms_of(batch)
    if not (terms.sealed_token and terms.prolific_study):
        raise Refused("Give the id of the study on Prolific, and a token, first.")
    names = prolific.participants(terms.prolific_study, opened(terms.sealed_token, TOKEN_FOR))
    with transaction.atomic():
        before = batch.admitted.count()
        _admit(batch, {known_as(batch.study, name) for name in names})
        new = batch.admitted.count() - before
        if new:
            audit.note("admission-changed", batch, fetched=new)
    return new


# Ids ---------------------------------------------------------------------------------------------


def known_as(study: Study, external_id: str) -> str:
    """Return the stored form of an id: itself, or its digest with the study's key."""
    if not study.sealed_id_key:
        return external_id
    key = opened(study.sealed_id_key, ID_KEY_FOR).encode()
    return HASHED + hmac.new(key, external_id.encode(), sha256).hexdigest()


def hash_ids(study: Study) -> int:
    """Replace the platform ids of a study by digests, now and in future; return their number.

    The ids cannot be recovered.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.sealed_id_key:
            return 0
        locked.sealed_id_key = sealed(secrets.token_hex(32), ID_KEY_FOR)
        locked.save(update_fields=["sealed_id_key"])
        rows: list[Participant | AdmittedId] = [
            *Participant.objects.select_for_update().filter(study=study),
            *AdmittedId.objects.select_for_update().filter(batch__study=study),
        ]
        for row in rows:
            row.external_id = known_as(locked, row.external_id)
            row.save(update_fields=["external_id"])
        Enrolment.objects.filter(batch__study=study).update(session="")
        audit.note("ids-hashed", locked, ids=len(rows))
    study.sealed_id_key = locked.sealed_id_key
    return len(rows)


# Coming ------------------------------------------------------------------------------------------


def refuse_stranger(batch: Batch, external_id: str, *, signed_for: str) -> None:
    """Refuse a new person whom the batch's terms do not admit. It may ask the platform.

    Anyone with a study on Prolific can sign links to this server, so a signature must be for the
    right study.
    """
    terms = terms_of(batch)
    if terms.rule == Rule.SIGNED and signed_for != terms.prolific_study:
        raise Refused(prolific.NOT_SIGNED)
    if not terms.admits_ids or batch.admitted.filter(external_id=external_id).exists():
        return
    if terms.rule == Rule.PROLIFIC and cache.add(
        f"prolific-{batch.pk}-{_digest(external_id)}", 1, RETRY_SECONDS
    ):
        try:
            fetch(batch)
        except Refused:  # its message is for researchers
            raise Refused(prolific.NOT_NOW) from None
        if batch.admitted.filter(external_id=external_id).exists():
            return
    raise Refused(NOT_LISTED)


def count_try(study: Study, address: str, external_id: str) -> None:
    """Count a new id from a network address, and refuse it above the limit."""
    most = settings.ATTEST_IDS_PER_ADDRESS
    if not address or not most:
        return
    network, one = _digest(f"{study.pk}:{address}"), _digest(external_id)
    CrowdTry.objects.filter(at__lt=timezone.now() - DAY).delete()
    tries = CrowdTry.objects.filter(study=study, address=network)
    if tries.filter(external_id=one).exists():
        return
    if tries.count() >= most:
        raise Refused(TOO_MANY)
    CrowdTry.objects.get_or_create(study=study, address=network, external_id=one)


def _digest(text: str) -> str:
    return salted_hmac("annotate.crowd", text, algorithm="sha256").hexdigest()


def is_elsewhere(participant: Participant, browser: str) -> bool:
    """Whether this id belongs to another browser."""
    return bool(participant.browser) and participant.browser != _digest(browser)


def bind(participant: Participant, browser: str) -> None:
    """Bind an id to its first browser."""
    if browser and not participant.browser:
        participant.browser = _digest(browser)
        participant.save(update_fields=["browser"])


def release(participant: Participant) -> None:
    """Release an id for another browser, and sign the present one out."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
        user = participant.user
        user.set_unusable_password()  # a new random value ends all sessions
        user.save(update_fields=["password"])
        participant.browser = ""
        participant.save(update_fields=["browser"])
        audit.note("released", participant)


# Codes -------------------------------------------------------------------------------------------


def code_of(enrolment: Enrolment, terms: Admission | None = None) -> str:
    """Return a participant's completion code: the batch's, or one that starts with it."""
    common = enrolment.batch.completion_code
    if not (terms or terms_of(enrolment.batch)).own_codes:
        return common
    drawn = salted_hmac("annotate.completion", str(enrolment.pk), algorithm="sha256").digest()
    own = "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in drawn[:CODE_LENGTH])
    return f"{common}-{own}" if common else own
