"""Encrypt secrets for the database, so that a copy of the database does not reveal them."""

import base64
from collections.abc import Callable, Sequence
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction
from django.db.models import Model
from django.utils.crypto import salted_hmac

from annotate.web.errors import Refused

SALT = "evaluation.outside.sealing"
"""The module's earlier name, so that older secrets stay readable."""

KEPT: list[tuple[type[Model], str, Callable[[Any], str], Sequence[str]]] = []
"""Encrypted fields: model, field, function for the address, and the encrypted names in JSON."""


def keeps(
    model: type[Model], field: str, address: Callable[[Any], str], names: Sequence[str] = ()
) -> None:
    """Register an encrypted field, which `seal_again` re-encrypts when the secrets change."""
    KEPT.append((model, field, address, names))


def seal_again() -> tuple[int, list[str]]:
    """Encrypt all registered fields with the first secret.

    Return the number of changed values, and the rows that no secret decrypts, which stay unchanged.
    """
    count, unread = 0, list[str]()
    with transaction.atomic():
        for model, field, address, names in KEPT:
            # Include deleted rows, which can be restored.
            rows = model._base_manager.select_for_update().exclude(**{field: ""})
            for row in rows:
                before = getattr(row, field)
                try:
                    after = _sealed_again(before, address(row), names)
                except Refused:
                    unread.append(f"{model._meta.verbose_name} {row.pk} ({field})")
                    continue
                if after != before:
                    setattr(row, field, after)
                    row.save(update_fields=[field])
                    count += 1
    return count, unread


def _sealed_again(kept: Any, address: str, names: Sequence[str]) -> Any:
    if not names:
        return sealed(opened(kept, address), address)
    return {
        name: sealed(opened(value, address), address) if name in names else value
        for name, value in kept.items()
    }


def sealed(key: str, address: str) -> str:
    """Encrypt a secret for one address or purpose. An empty one stays empty."""
    return _sealer(address).encrypt(key.encode()).decode() if key else ""


def opened(kept: str, address: str) -> str:
    """Decrypt a secret for its address.

    The address is part of the encryption. A secret copied to another row is not sent to that row's
    address.
    """
    if not kept:
        return ""
    try:
        return _sealer(address).decrypt(kept.encode()).decode()
    except InvalidToken:
        raise Refused(
            "A key was encrypted for another address, or with a secret that this installation no "
            "longer has (ATTEST_SEALING_SECRETS or SECRET_KEY). Give the key again."
        ) from None


def _sealer(address: str) -> MultiFernet:
    """Return the cipher that encrypts with the first secret and decrypts with any of them.

    Each address has a separate key, because Fernet does not authenticate other data.
    """
    secrets = settings.ATTEST_SEALING_SECRETS or [settings.SECRET_KEY]
    return MultiFernet([Fernet(_derived(secret, address)) for secret in secrets])


def _derived(secret: str, address: str) -> bytes:
    made = salted_hmac(SALT, f"key for {address}", secret=secret, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(made)
