"""Presets of new studies: dimensions, number of raters, and guidelines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from annotate.protocol.protocol import ProtocolFile, Variant
from annotate.protocol.shipped import FIRST, PROTOCOLS, SHIPPED

SHORTEST = "ais"
"""The preset that is offered first."""

CUSTOM = "custom"
"""The preset whose dimensions are chosen with the study."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The initial settings of a study, which can all be changed."""

    key: str
    title: str
    summary: str
    dimensions: tuple[str, ...]
    raters_per_unit: int
    guidelines: str
    """The first version of the text that raters read (Markdown)."""

    citations: int = 3
    """How many citations of a statement count."""

    frozen: bool = False
    """Whether it is a published protocol."""

    lines: Literal["all", "first", "flat"] = "all"
    """Which lines of an output are read."""


def _all() -> Iterator[Preset]:
    """Yield the presets of shipped protocols and their variants, then the custom one."""
    for file in sorted(PROTOCOLS.values(), key=lambda file: file.key != SHORTEST):
        asked = tuple(file.protocol.asked)
        if not asked:
            continue
        forms: list[ProtocolFile | Variant] = [file, *file.variants]
        for one in forms:
            yield Preset(
                key=one.key,
                title=one.title,
                summary=one.summary,
                dimensions=asked,
                raters_per_unit=file.raters,
                guidelines=file.guidelines,
                citations=file.citations,
                frozen=file.frozen,
                lines=one.lines,
            )
    yield Preset(
        key=CUSTOM,
        title="Custom",
        summary="Choose the dimensions yourself.",
        dimensions=tuple(
            key
            for key, one in SHIPPED.asked.items()
            if not one.writes and any(key in PROTOCOLS[paper].protocol for paper in FIRST)
        ),
        raters_per_unit=3,
        guidelines=(Path(__file__).parent / "custom.md").read_text(encoding="utf-8"),
    )


PRESETS: Mapping[str, Preset] = MappingProxyType({preset.key: preset for preset in _all()})


def grouped() -> dict[str, list[Preset]]:
    """Return the presets by the title of their group."""
    others = [one for one in PRESETS.values() if not one.frozen and one.key != CUSTOM]
    return {
        "As in the paper": [one for one in PRESETS.values() if one.frozen],
        "After published work, or Attest's own": others,
        "Your choice": [PRESETS[CUSTOM]],
    }
