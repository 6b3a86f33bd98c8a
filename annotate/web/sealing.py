"""Keys of others, encrypted at rest: whoever reads the database alone reads none of them."""

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
"""Its name of before: what was sealed then stays readable."""

KEPT: list[tuple[type[Model], str, Callable[[Any], str], Sequence[str]]] = []
"""The models that keep something sealed, in which field, for which address, and under which names
where the field has more than that."""


def keeps(
    model: type[Model], field: str, address: Callable[[Any], str], names: Sequence[str] = ()
) -> None:
    """Has a field sealed anew with the others, when the secrets change."""
    KEPT.append((model, field, address, names))


def seal_again() -> tuple[int, list[str]]:
    """Encrypt all that is kept with the first of the secrets. Return how much was encrypted again,
    and which rows no secret reads: they stay as they are."""
    count, unread = 0, list[str]()
    with transaction.atomic():
        for model, field, address, names in KEPT:
            # Also what is being deleted, which can be put back.
            rows = model._base_manager.select_for_update().exclude(**{field: ""})
            for row in rows:
                before = getattr(row, field)
                try:
                    after = _sealed_anew(before, address(row), names)
                except Refused:
                    unread.append(f"{model._meta.verbose_name} {row.pk} ({field})")
                    continue
                if after != before:
                    setattr(row, field, after)
                    row.save(update_fields=[field])
                    count += 1
    return count, unread


def _sealed_anew(kept: Any, address: str, names: Sequence[str]) -> Any:
    if not names:
        return sealed(opened(kept, address), address)
    return {
        name: sealed(opened(value, address), address) if name in names else value
        for name, value in kept.items()
    }


def sealed(key: str, address: str) -> str:
    """A key as the database keeps it, for one address alone, or for what it is used for here; none
    stays none."""
    return _sealer(address).encrypt(key.encode()).decode() if key else ""


def opened(kept: str, address: str) -> str:
    """The key that was sealed for an address. Whoever writes to the database, and moves it to
    another address, does not have it sent there."""
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
    """Encrypts with the first secret, and reads what any of them encrypted. Each address has a key
    of its own: Fernet binds what it encrypts to nothing else."""
    secrets = settings.ATTEST_SEALING_SECRETS or [settings.SECRET_KEY]
    return MultiFernet([Fernet(_derived(secret, address)) for secret in secrets])


def _derived(secret: str, address: str) -> bytes:
    made = salted_hmac(SALT, f"key for {address}", secret=secret, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(made)
