"""The way to a model behind an address: where it is, with which key, and what it is called."""

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
"""Names under which a key would stand in an address, and then in every signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A way out. Whoever has a shell gives an address himself; runs go through a connection."""

    url: str
    key: str = field(default="", repr=False)
    mode: Mode = "pairs"
    model: str = ""
    connection: str = ""
    """The connection's name; empty where the address was given by hand."""

    edition: str = ""
    """Says which of the models it is that were ever behind the connection."""

    family: str = ""
    """Of which models it is, as somebody said; no part of what tells it from others."""

    allowed: Networks = EVERYWHERE
    """The networks that may be called besides the public ones."""

    @property
    def called(self) -> str:
        """What people are told it is."""
        return f"The connection “{self.connection}”" if self.connection else self.url

    @property
    def identity(self) -> list[tuple[str, object]]:
        """What stands in signatures: an address that somebody gave, or the connection's name."""
        if not self.connection:
            return [("url", self.url)]
        return [("connection", self.connection), ("edition", self.edition)]


OpenDoor = Callable[[str], Door]


def environment_key() -> str:
    """The key that this process was given."""
    return os.environ.get(KEY, "").strip()


def own_door(url: str) -> Door:
    """To an address that somebody gave in a shell, with the key of that shell."""
    return Door(url=url, key=environment_key())


def address_fault(url: str, instead: str = f"set {KEY}") -> str:
    """What is wrong with an address; empty where nothing is. `instead` says where a key belongs."""
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
    """What is wrong with a key, without showing it; empty where nothing is."""
    if key.isascii() and (key.isprintable() or not key):
        return ""
    return (
        f"{whose} holds signs that no key can have: expected letters, digits and other printable "
        "ASCII signs."
    )
