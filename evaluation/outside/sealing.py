"""Keys of others, encrypted at rest: whoever reads the database alone reads none of them."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from annotate.services.errors import Refused

SALT = "evaluation.outside.sealing"


def sealed(key: str) -> str:
    """A key as the database keeps it; none stays none."""
    return _sealer().encrypt(key.encode()).decode() if key else ""


def opened(kept: str) -> str:
    """The key that was sealed."""
    if not kept:
        return ""
    try:
        return _sealer().decrypt(kept.encode()).decode()
    except InvalidToken:
        raise Refused(
            "A key was encrypted with a secret that this installation no longer has "
            "(ATTEST_SEALING_SECRETS or SECRET_KEY). Give the key again."
        ) from None


def _sealer() -> MultiFernet:
    """Encrypts with the first secret, and reads what any of them encrypted."""
    secrets = settings.ATTEST_SEALING_SECRETS or [settings.SECRET_KEY]
    return MultiFernet([Fernet(_derived(secret)) for secret in secrets])


def _derived(secret: str) -> bytes:
    made = salted_hmac(SALT, "key", secret=secret, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(made)
