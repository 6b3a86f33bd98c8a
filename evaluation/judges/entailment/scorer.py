"""What a scorer is, and what remembers its answers."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

_NOT_PLAIN = re.compile(r"[\\|\x00-\x1f\x7f\ud800-\udfff]")

Pair = tuple[str, str]
"""A premise and a hypothesis."""


class Scorer(Protocol):
    """Gives the probability that a premise entails a hypothesis."""

    threshold: float
    """A pair counts as entailed from this probability on."""

    @property
    def fingerprint(self) -> str:
        """Names everything that could change a probability. The threshold is not part of it."""
        ...

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """A probability for each pair, in their order."""
        ...


class Cache(Protocol):
    """Remembers probabilities under a scorer's fingerprint and a pair's digest."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, float]:
        """Those that are known."""
        ...

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        """Keep these."""
        ...


class MemoryCache:
    """Remembers as long as it lives."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, float]] = {}

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        """Those that are known."""
        known = self._known.get(fingerprint, {})
        return {digest: known[digest] for digest in digests if digest in known}

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        """Keep these."""
        self._known.setdefault(fingerprint, {}).update(probabilities)


def digest(pair: Pair) -> str:
    """A name for a pair, 32 hexadecimal digits; the length keeps the two texts apart."""
    premise = pair[0].encode("utf-8", "surrogatepass")
    hypothesis = pair[1].encode("utf-8", "surrogatepass")
    made = b"%d:%b%b" % (len(premise), premise, hypothesis)
    return hashlib.blake2b(made, digest_size=16).hexdigest()


def fingerprint_of(parts: Iterable[tuple[str, object]]) -> str:
    """`name:value|name:value`; a bar, a line break, a backslash and whatever no database keeps is
    written as an escape, so that values that differ have fingerprints that differ."""
    return "|".join(f"{name}:{_NOT_PLAIN.sub(_escaped, str(value))}" for name, value in parts)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
