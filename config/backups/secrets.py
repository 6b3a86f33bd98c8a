"""This installation's secrets: their digests for the manifest, and their values on request."""

import hashlib
import hmac
import os

from django.conf import settings

ROUNDS = 200_000
"""Rounds of hashing, which slow down guessing."""


def mark(secret: str) -> str:
    """Return a salted digest by which a secret is recognised."""
    salt = os.urandom(8).hex()
    return f"{salt}:{_derived(secret, salt)}"


def is_of(marked: str, secret: str) -> bool:
    salt, _, derived = marked.partition(":")
    return hmac.compare_digest(derived, _derived(secret, salt))


def sealing() -> list[str]:
    """Return the secrets that decrypt the keys of connections."""
    return list(settings.ATTEST_SEALING_SECRETS) or [settings.SECRET_KEY]


def as_environment() -> bytes:
    lines = {
        "SECRET_KEY": settings.SECRET_KEY,
        "ATTEST_SEALING_SECRETS": ",".join(settings.ATTEST_SEALING_SECRETS),
    }
    return "".join(f"{name}={value}\n" for name, value in lines.items() if value).encode()


def _derived(secret: str, salt: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", secret.encode(), salt.encode(), ROUNDS).hex()
