"""The way to a model behind an address: the address, its key and its name."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from annotate.work import outgoing
from annotate.work.outgoing import EVERYWHERE, Networks

KEY = "ATTEST_SCORER_KEY"

ScorerMode = Literal["pairs", "chat"]
Mode = Literal[ScorerMode, "responses", "anthropic", "gemini", "local", "opensearch"]

SECRET = re.compile(r"(key|token|secret|password|credentials?|sig|signature)$", re.IGNORECASE)
"""Names of parameters that would put a key into the address, and so into signatures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A way out. In a shell it has a plain address; runs use a connection."""

    url: str
    key: str = field(default="", repr=False)
    mode: Mode = "pairs"
    model: str = ""
    connection: str = ""
    """The connection's name; empty for an address given in a shell."""

    edition: str = ""
    """Distinguishes the models that the connection ever had."""

    family: str = ""
    """The model's family, if someone named it; not part of the identity."""

    allowed: Networks = EVERYWHERE
    """Networks that may be called in addition to public ones."""

    @property
    def called(self) -> str:
        """Return its name in messages."""
        return f"The connection “{self.connection}”" if self.connection else self.url

    @property
    def identity(self) -> list[tuple[str, object]]:
        """Return the parts for signatures: a plain address, or the connection."""
        if not self.connection:
            return [("url", self.url)]
        return [("connection", self.connection), ("edition", self.edition)]


OpenDoor = Callable[[str], Door]


def environment_key() -> str:
    """Return the key in this process's environment."""
    return os.environ.get(KEY, "").strip()


def own_door(url: str) -> Door:
    """Return the way to an address given in a shell, with the key of that shell."""
    return Door(url=url, key=environment_key())


def address_fault(url: str, instead: str = f"set {KEY}") -> str:
    """Return the fault of an address; empty if it is valid. `instead` says where a key
    belongs."""
    if fault := outgoing.address_fault(url, instead):
        return fault
    for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        if SECRET.search(name):
            return (
                f"Leave “{name}” out of the address, which is written into signatures, and "
                f"{instead} instead: it is sent in the header Authorization."
            )
    return ""


def key_fault(key: str, whose: str = "The key") -> str:
    """Return the fault of a key, without showing the key; empty if it is valid."""
    if key.isascii() and (key.isprintable() or not key):
        return ""
    return (
        f"{whose} holds signs that no key can have: expected letters, digits and other printable "
        "ASCII signs."
    )
