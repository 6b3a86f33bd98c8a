"""Kinds of study: their dimensions, how many raters, and the guidelines to begin with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from annotate.protocol.protocol import ProtocolFile, Variant
from annotate.protocol.shipped import FIRST, PROTOCOLS, SHIPPED

SHORTEST = "ais"
"""The protocol that is offered first."""

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
    guidelines: str
    """The first version of the text that raters read (Markdown)."""

    citations: int = 3
    """How many citations of a statement count."""

    frozen: bool = False
    """Whether it is a paper's own."""

    lines: Literal["all", "first", "flat"] = "all"
    """How much of an output is read."""


def _all() -> Iterator[Preset]:
    """Of each shipped protocol that people answer, and of its variants; last the custom one."""
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
    """As they are offered, by what they are."""
    others = [one for one in PRESETS.values() if not one.frozen and one.key != CUSTOM]
    return {
        "As in the paper": [one for one in PRESETS.values() if one.frozen],
        "After published work, or Attest's own": others,
        "Your choice": [PRESETS[CUSTOM]],
    }
