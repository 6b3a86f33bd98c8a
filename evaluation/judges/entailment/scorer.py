"""The protocols of scorers and their caches."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

_NOT_PLAIN = re.compile(r"[\\|\x00-\x1f\x7f\ud800-\udfff]")

Pair = tuple[str, str]
"""A premise and a hypothesis."""


class Scorer(Protocol):
    """Returns the probability that a premise entails a hypothesis."""

    threshold: float
    """The smallest probability of an entailed pair."""

    @property
    def fingerprint(self) -> str:
        """Name everything that could change a probability. The threshold is not part of it."""
        ...

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a probability for each pair, in order."""
        ...


class Cache(Protocol):
    """Stores probabilities by a scorer's fingerprint and a pair's digest."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, float]:
        """Return the known ones."""
        ...

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        """Store these."""
        ...


class MemoryCache:
    """A cache in memory."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, float]] = {}

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        known = self._known.get(fingerprint, {})
        return {digest: known[digest] for digest in digests if digest in known}

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        self._known.setdefault(fingerprint, {}).update(probabilities)


def digest(pair: Pair) -> str:
    """Return a pair's digest, 32 hexadecimal digits; the length separates the two texts."""
    premise = pair[0].encode("utf-8", "surrogatepass")
    hypothesis = pair[1].encode("utf-8", "surrogatepass")
    made = b"%d:%b%b" % (len(premise), premise, hypothesis)
    return hashlib.blake2b(made, digest_size=16).hexdigest()


def fingerprint_of(parts: Iterable[tuple[str, object]]) -> str:
    """Return `name:value|name:value`. Bars, line breaks, backslashes and characters that
    databases refuse are escaped, so that different values have different fingerprints."""
    return "|".join(f"{name}:{_NOT_PLAIN.sub(_escaped, str(value))}" for name, value in parts)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
