"""What Prolific says of those who come: signed in the address, or asked of its interface.

Both as documented at https://docs.prolific.com: addresses that are secured carry `prolific_token`,
a JWT signed with the keys at `/.well-known/study/jwks.json`; a study's submissions are listed at
`/api/v1/studies/ID/submissions/`.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jwt
from django.conf import settings
from django.core.cache import cache

from annotate.web.errors import Refused
from annotate.work.outgoing import NotAllowedError, UnreachableError, get

log = logging.getLogger(__name__)

SECONDS = 5
"""Somebody waits for a page."""

MOST_BYTES = 20_000_000
KEYS_KEPT_SECONDS = 3_600
CACHED_AS = "prolific-keys"

NOT_SIGNED = (
    "The address that you followed is not signed by Prolific, or its time is over. Open the study "
    "on Prolific again, and follow the link from there."
)
NOT_NOW = "Whether you take part cannot be asked of Prolific now. Try again in a minute."
REFUSED = (
    "Prolific did not accept the token, or knows no study of this id. Give a token of the "
    "workspace that holds the study, and the id from its address there."
)


def signed_parameters(token: str, audiences: Sequence[str]) -> Mapping[str, str]:
    """What Prolific put into the address, if it did: signed, for this site, and not long ago."""
    try:
        kid = str(jwt.get_unverified_header(token).get("kid", ""))
        claims = jwt.decode(
            token,
            _key(kid),
            algorithms=["RS256"],
            audience=list(audiences),
            options={"require": ["exp", "aud"]},
        )
    except jwt.PyJWTError as fault:
        log.warning("a signed address was not accepted: %s", fault)
        raise Refused(NOT_SIGNED) from None
    said = claims.get("prolific")
    if not isinstance(said, dict) or not all(isinstance(text, str) for text in said.values()):
        raise Refused(NOT_SIGNED)
    return said


def _key(kid: str) -> jwt.PyJWK:
    found = _keys(cache.get(CACHED_AS)).get(kid)
    if found is None:
        found = _keys(_kept_keys()).get(kid)
    if found is None:
        raise jwt.InvalidKeyError(f"no key “{kid}”")
    return found


def _keys(text: str | None) -> dict[str, jwt.PyJWK]:
    if not text:
        return {}
    return {key.key_id or "": key for key in jwt.PyJWKSet.from_json(text).keys}


def _kept_keys() -> str:
    """The public keys: from the operator's file, or asked for, once a minute at most."""
    if settings.ATTEST_PROLIFIC_KEYS:
        text = Path(settings.ATTEST_PROLIFIC_KEYS).read_text()
    elif cache.add(f"{CACHED_AS}-asked", 1, 60):
        text = json.dumps(_asked("/.well-known/study/jwks.json", {}))
    else:
        return ""
    cache.set(CACHED_AS, text, KEYS_KEPT_SECONDS)
    return text


def participants(study: str, token: str) -> list[str]:
    """The ids of those who take part in a study there, or did; those who came last first."""
    path = f"/api/v1/studies/{quote(study, safe='')}/submissions/?ordering=-started_at"
    found = _asked(path, {"Authorization": f"Token {token}"})
    rows = found.get("results") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise Refused(NOT_NOW)
    ids = [row.get("participant_id") or row.get("participant") for row in rows if _counts(row)]
    return [name for name in ids if isinstance(name, str) and name]


def _counts(row: object) -> bool:
    """Who returned the submission, or let its time pass, has no place there."""
    gone = {"RETURNED", "TIMED-OUT", "TIMED_OUT"}
    return isinstance(row, dict) and str(row.get("status", "")).replace(" ", "_") not in gone


def _asked(path: str, headers: Mapping[str, str]) -> Any:
    try:
        answer = get(
            settings.ATTEST_PROLIFIC_URL + path,
            {"Accept": "application/json", **headers},
            timeout=SECONDS,
            most_bytes=MOST_BYTES,
            allowed=settings.ATTEST_CALLED_NETWORKS,
        )
    except (NotAllowedError, UnreachableError) as fault:
        log.warning("Prolific cannot be reached: %s", fault)
        raise Refused(NOT_NOW) from None
    if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}:
        log.warning("Prolific refused the token: %s", answer.status)
        raise Refused(REFUSED)
    try:
        if answer.status != HTTPStatus.OK or len(answer.body) > MOST_BYTES:
            raise ValueError(f"status {answer.status}, {len(answer.body):,} bytes")
        return json.loads(answer.body)
    except (ValueError, RecursionError) as fault:
        log.warning("Prolific answered otherwise than documented: %s", fault)
        raise Refused(NOT_NOW) from None
