"""Systems that were made alike but for their seeds, as signatures in their descriptions say."""

import re
from collections.abc import Mapping

SIGNED = "Signature: generated|"
_SEEDS = re.compile(r"\|seeds:[0-9,]+\|")


def series_of(description: str) -> str:
    """The signature of a system that was made here, without its seeds; empty of any other."""
    _, sign, signature = description.rpartition(SIGNED)
    alike, count = _SEEDS.subn("|", signature, count=1)
    return alike.strip() if sign and count else ""


def alike(series: Mapping[int, str]) -> list[list[int]]:
    """Systems of one series each, where there are several, in their order."""
    found: dict[str, list[int]] = {}
    for system, one in series.items():
        if one:
            found.setdefault(one, []).append(system)
    return [systems for systems in found.values() if len(systems) > 1]
