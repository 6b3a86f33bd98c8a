"""The choices of every dimension from low to high.

The rater's form shows them in the order of the published protocols, where "full support" comes
first and "strongly disagree" too; ties need to know which of two choices is the lower one.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from annotate.protocol.dimensions import DIMENSIONS

_NO_YES = ("no", "yes")
_SUPPORT = ("none", "partial", "full")

LOW_TO_HIGH: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "utility": ("1", "2", "3", "4", "5"),
        "interpretable": _NO_YES,
        "attributable": _NO_YES,
        "citation_recall": _NO_YES,
        "citation_support": _SUPPORT,
        "claim_recall": _NO_YES,
        "claim_support": _SUPPORT,
        "pf_utility": ("not_useful", "useful"),
    }
)
"""What people may answer, by dimension."""

LIKERT = frozenset({"utility"})
"""Dimensions that are degrees of consent: their majority is the median."""


def metric(dimension: str) -> Literal["nominal", "ordinal"]:
    """The metric of Krippendorff's alpha for a dimension."""
    return DIMENSIONS[dimension].scale
