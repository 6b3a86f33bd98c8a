"""What other installed packages bring: each names it by an entry point of one of these groups.

An entry point is loaded when it is first asked for, like what ships with Attest. Its name must be
new: nothing that ships is replaced by accident.
"""

from collections.abc import Collection
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

Group = Literal[
    "attest.judges", "attest.scorers", "attest.formats", "attest.sections", "attest.protocols"
]


class ExtensionError(Exception):
    """An extension that cannot be used, or told from another; the message says which package's."""


@lru_cache
def extensions(group: Group, shipped: Collection[str] = frozenset()) -> dict[str, EntryPoint]:
    """The extensions of a group by name; `shipped` are the names that are taken."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda each: (each.name, each.value)):
        if entry.name in shipped:
            raise ExtensionError(
                f"{_package(entry)} brings “{entry.name}” ({group}), which Attest has itself. "
                "Give it another name."
            )
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise ExtensionError(
                f"“{entry.name}” ({group}) is brought by {_package(other)} and by "
                f"{_package(entry)}. Uninstall one of them."
            )
    return found


def load(entry: EntryPoint) -> Any:
    """What an entry point names."""
    try:
        return entry.load()
    except Exception as error:
        raise ExtensionError(
            f"{_package(entry)} brings “{entry.name}” ({entry.group}), which cannot be imported "
            f"from {entry.value}: {error}. Mend or uninstall it."
        ) from error


def _package(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name}" if entry.dist else f"“{entry.value}”"
