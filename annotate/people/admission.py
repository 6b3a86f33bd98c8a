"""Who may come by a batch's link: known ids, one browser for each, and not too many from one place.

An id in an address is no secret. So a batch can ask for ids that a researcher listed, or that the
platform names, or for addresses that the platform signed; the browser that comes first with an id
keeps it; and of the ids that are tried from one network address only so many are looked at a day.
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
"""What is sealed is for these alone."""

keeps(Admission, "sealed_token", lambda _: TOKEN_FOR)
keeps(Study, "sealed_id_key", lambda _: ID_KEY_FOR)

MOST_IDS = 100_000
ID_CHARS = 200
"""How long an id of a platform may be."""

ASKED_AGAIN_SECONDS = 10
"""So long nobody asks the platform once more of an id that it did not name."""

DAY = timedelta(days=1)
HASHED = "hash:"
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that looks like another
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
    """A batch's terms; where it has none, those that let anybody in."""
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
    """Say who may come; `token` None leaves the one that is kept, `ids` None the list."""
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
    """The list of a batch is these ids and no others."""
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
    """Ask Prolific who takes part; how many of them are new."""
    terms = terms_of(batch)
    if not (terms.sealed_token and terms.prolific_study):
        raise Refused("Give the id of the study on Prolific, and a token, first.")
    found = prolific.participants(terms.prolific_study, opened(terms.sealed_token, TOKEN_FOR))
    with transaction.atomic():
        before = batch.admitted.count()
        _admit(batch, {known_as(batch.study, name) for name in found})
        new = batch.admitted.count() - before
        if new:
            audit.note("admission-changed", batch, fetched=new)
    return new


# Ids ---------------------------------------------------------------------------------------------


def known_as(study: Study, external_id: str) -> str:
    """An id as it is kept: itself, or a digest that only the study's own key makes."""
    if not study.sealed_id_key:
        return external_id
    key = opened(study.sealed_id_key, ID_KEY_FOR).encode()
    return HASHED + hmac.new(key, external_id.encode(), sha256).hexdigest()


def hash_ids(study: Study) -> int:
    """Keep the ids of people from platforms as digests from now on; how many there were. What was
    kept is replaced, and cannot be had back."""
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
    """Refuse somebody new whom the batch's terms do not let in. May ask the platform. Whoever has a
    study there can have addresses signed that lead here, so it must be the right one."""
    terms = terms_of(batch)
    if terms.rule == Rule.SIGNED and signed_for != terms.prolific_study:
        raise Refused(prolific.NOT_SIGNED)
    if not terms.admits_ids or batch.admitted.filter(external_id=external_id).exists():
        return
    if terms.rule == Rule.PROLIFIC and cache.add(
        f"prolific-{batch.pk}-{_digest(external_id)}", 1, ASKED_AGAIN_SECONDS
    ):
        try:
            fetch(batch)
        except Refused:  # what it says is for researchers
            raise Refused(prolific.NOT_NOW) from None
        if batch.admitted.filter(external_id=external_id).exists():
            return
    raise Refused(NOT_LISTED)


def count_try(study: Study, address: str, external_id: str) -> None:
    """Count a new id that came from a network address; refuse where it is one too many."""
    most = settings.ATTEST_IDS_PER_ADDRESS
    if not address or not most:
        return
    now = timezone.now()
    where = _digest(f"{study.pk}:{address}")
    CrowdTry.objects.filter(at__lt=now - DAY).delete()
    own = CrowdTry.objects.filter(study=study, address=where)
    one = _digest(external_id)
    if own.filter(external_id=one).exists():
        return
    if own.count() >= most:
        raise Refused(TOO_MANY)
    CrowdTry.objects.get_or_create(study=study, address=where, external_id=one)


def _digest(text: str) -> str:
    return salted_hmac("annotate.crowd", text, algorithm="sha256").hexdigest()


def is_elsewhere(participant: Participant, browser: str) -> bool:
    """Whether another browser has this id."""
    return bool(participant.browser) and participant.browser != _digest(browser)


def bind(participant: Participant, browser: str) -> None:
    """The browser that comes first with an id keeps it."""
    if browser and not participant.browser:
        participant.browser = _digest(browser)
        participant.save(update_fields=["browser"])


def release(participant: Participant) -> None:
    """Let another browser come with this id. The one that had it is signed out."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
        user = participant.user
        user.set_unusable_password()  # drawn anew, which ends all its sessions
        user.save(update_fields=["password"])
        participant.browser = ""
        participant.save(update_fields=["browser"])
        audit.note("released", participant)


# Codes -------------------------------------------------------------------------------------------


def code_of(enrolment: Enrolment, terms: Admission | None = None) -> str:
    """The completion code of somebody's part: the batch's, or one of their own that begins so."""
    common = enrolment.batch.completion_code
    if not (terms or terms_of(enrolment.batch)).own_codes:
        return common
    drawn = salted_hmac("annotate.completion", str(enrolment.pk), algorithm="sha256").digest()
    own = "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in drawn[:CODE_LENGTH])
    return f"{common}-{own}" if common else own
