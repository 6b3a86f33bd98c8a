"""How the parts of a report call things."""

from collections.abc import Mapping
from types import MappingProxyType

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "response": "responses",
        "statement": "statements",
        "citation": "citations",
        "claim": "claims",
        "claim_citation": "citations of claims",
        "pair": "pairs",
        "reference_claim": "claims of references",
    }
)
"""What the `n` of a number counts, by the kind of unit."""


def counted_words(n: int, noun: str) -> str:
    """So many of something: “1 answer”, “1,200 answers”."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
