"""Kinds of study: their dimensions, how many raters, and the guidelines to begin with."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from annotate.protocol.dimensions import asked

GUIDELINES = Path(__file__).parent / "guidelines"


@dataclass(frozen=True, slots=True)
class Preset:
    """A starting point; everything in it can be changed in the study's settings."""

    key: str
    title: str
    summary: str
    dimensions: tuple[str, ...]
    raters_per_unit: int

    @property
    def guidelines(self) -> str:
        """The first version of the text that raters read (Markdown)."""
        return (GUIDELINES / f"{self.key}.md").read_text(encoding="utf-8")


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
        key="aliice",
        title="ALiiCE",
        summary="Citations inside sentences: atomic claims, their support, their positions' use.",
        dimensions=(
            "utility",
            "citation_recall",
            "citation_support",
            "claim_recall",
            "claim_support",
            "pf_utility",
        ),
        raters_per_unit=3,
    ),
    Preset(
        key="custom",
        title="Custom",
        summary="Choose the dimensions yourself.",
        dimensions=tuple(asked()),
        raters_per_unit=3,
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.key: preset for preset in _ALL})
