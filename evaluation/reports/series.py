"""Series: systems whose signatures, in their descriptions, differ only in seeds."""

import re
from collections.abc import Mapping

SIGNED = "Signature: generated|"
_SEEDS = re.compile(r"\|seeds:[0-9,]+\|")


def series_of(description: str) -> str:
    """Return the signature of a generated system without its seeds; empty for others."""
    _, sign, signature = description.rpartition(SIGNED)
    alike, count = _SEEDS.subn("|", signature, count=1)
    return alike.strip() if sign and count else ""


def alike(series: Mapping[int, str]) -> list[list[int]]:
    """Return the systems of each series with several, in their order."""
    found: dict[str, list[int]] = {}
    for system, one in series.items():
        if one:
            found.setdefault(one, []).append(system)
    return [systems for systems in found.values() if len(systems) > 1]
