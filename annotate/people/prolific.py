"""Prolific's data about participants: signed in the link, or from its API.

Both are documented at https://docs.prolific.com. Secured links have `prolific_token`, a JWT signed
with the keys at `/.well-known/study/jwks.json`. A study's submissions are listed at
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

TIMEOUT_SECONDS = 5
"""Short, because a person waits for a page."""

MOST_BYTES = 20_000_000
KEYS_KEPT_SECONDS = 3_600
CACHE_KEY = "prolific-keys"

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
    """Return Prolific's parameters from a valid token for this site, or refuse it."""
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
    parameters = claims.get("prolific")
    if not isinstance(parameters, dict) or not all(
        isinstance(text, str) for text in parameters.values()
    ):
        raise Refused(NOT_SIGNED)
    return parameters


def _key(kid: str) -> jwt.PyJWK:
    key = _keys(cache.get(CACHE_KEY)).get(kid) or _keys(_load_keys()).get(kid)
    if key is None:
        raise jwt.InvalidKeyError(f"no key “{kid}”")
    return key


def _keys(text: str | None) -> dict[str, jwt.PyJWK]:
    if not text:
        return {}
    return {key.key_id or "": key for key in jwt.PyJWKSet.from_json(text).keys}


def _load_keys() -> str:
    """Load the public keys from the operator's file, or from Prolific at most once a minute."""
    if settings.ATTEST_PROLIFIC_KEYS:
        text = Path(settings.ATTEST_PROLIFIC_KEYS).read_text()
    elif cache.add(f"{CACHE_KEY}-asked", 1, 60):
        text = json.dumps(_get_json("/.well-known/study/jwks.json", {}))
    else:
        return ""
    cache.set(CACHE_KEY, text, KEYS_KEPT_SECONDS)
    return text


def participants(study: str, token: str) -> list[str]:
    """Return the ids of a study's present and former participants, newest first."""
    path = f"/api/v1/studies/{quote(study, safe='')}/submissions/?ordering=-started_at"
    answer = _get_json(path, {"Authorization": f"Token {token}"})
    rows = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise Refused(NOT_NOW)
    ids = [row.get("participant_id") or row.get("participant") for row in rows if _counts(row)]
    return [name for name in ids if isinstance(name, str) and name]


def _counts(row: object) -> bool:
    """Whether a submission was neither returned nor timed out."""
    gone = {"RETURNED", "TIMED-OUT", "TIMED_OUT"}
    return isinstance(row, dict) and str(row.get("status", "")).replace(" ", "_") not in gone


def _get_json(path: str, headers: Mapping[str, str]) -> Any:
    try:
        answer = get(
            settings.ATTEST_PROLIFIC_URL + path,
            {"Accept": "application/json", **headers},
            timeout=TIMEOUT_SECONDS,
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
