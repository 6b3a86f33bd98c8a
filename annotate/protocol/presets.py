"""Kinds of study: their dimensions, how many raters, and the guidelines to begin with."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from annotate.protocol.dimensions import CLAIM_WORDS, asked

GUIDELINES = Path(__file__).parent / "guidelines"


CUSTOM = "custom"
"""The preset whose dimensions are chosen with the study."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A starting point; everything in it can be changed in the study's settings."""

    key: str
    title: str
    summary: str
    dimensions: tuple[str, ...]
    raters_per_unit: int
    lines: Literal["all", "first", "flat"] = "all"
    """How much of an output is read."""

    like: str = ""
    """The preset whose guidelines it begins with, if not its own."""

    @property
    def guidelines(self) -> str:
        """The first version of the text that raters read (Markdown)."""
        return (GUIDELINES / f"{self.like or self.key}.md").read_text(encoding="utf-8")


_ALL = (
    Preset(
        key="ais",
        title="Attributed QA (AIS)",
        summary="Short answers with one source each: interpretable, then attributable.",
        dimensions=("interpretable", "attributable"),
        raters_per_unit=5,
    ),
    Preset(
        key="alce",
        title="ALCE",
        summary="Long answers with [1][2] marks: utility, citation recall, citation support.",
        dimensions=("utility", "citation_recall", "citation_support"),
        raters_per_unit=3,
    ),
    Preset(
        key="alce_released",
        title="ALCE, as its released script reads",
        summary="The same questions about the first line of each answer alone.",
        dimensions=("utility", "citation_recall", "citation_support"),
        raters_per_unit=3,
        lines="first",
        like="alce",
    ),
    Preset(
        key="aliice",
        title="ALiiCE",
        summary="Citations inside sentences: claims that raters write, their support, their use.",
        dimensions=("utility", CLAIM_WORDS, "claim_recall", "claim_support", "pf_utility"),
        raters_per_unit=3,
    ),
    Preset(
        key=CUSTOM,
        title="Custom",
        summary="Choose the dimensions yourself.",
        dimensions=tuple(key for key in asked() if key != CLAIM_WORDS),
        raters_per_unit=3,
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.key: preset for preset in _ALL})
