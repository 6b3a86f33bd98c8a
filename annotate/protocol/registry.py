"""Registries: things by name that ship with Attest or come from other installed packages.

Each thing is registered by one line that names its place. Other packages name theirs by an entry
point of a `Group`; an entry point may not replace what ships.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import Any, Generic, Literal, Protocol, TypeVar

Group = Literal[
    "attest.judges", "attest.scorers", "attest.formats", "attest.sections", "attest.protocols"
]


class ExtensionError(Exception):
    """An extension that cannot be used. The message names its package."""


@lru_cache
def extensions(group: Group, shipped: Collection[str] = frozenset()) -> dict[str, EntryPoint]:
    """Return the extensions of a group by name. `shipped` are the names that are taken."""
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
    """Import the object of an entry point."""
    try:
        return entry.load()
    except Exception as error:
        raise ExtensionError(
            f"{_package(entry)} brings “{entry.name}” ({entry.group}), which cannot be imported "
            f"from {entry.value}: {error}. Mend or uninstall it."
        ) from error


def _package(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name}" if entry.dist else f"“{entry.value}”"


class Keyed(Protocol):
    @property
    def key(self) -> str: ...


T = TypeVar("T", bound=Keyed)


class Registry(Mapping[str, T], Generic[T]):
    """Things by name: shipped ones in the order of their lines, then extensions.

    A line of `shipped` is the thing itself or its place, `module:NAME`, as in an entry point. A
    place is imported at first use.
    """

    def __init__(self, group: Group, kind: type[T], shipped: Mapping[str, str | T]) -> None:
        self.group = group
        self.kind = kind
        self.shipped: dict[str, str | T] = dict(shipped)

    def __getitem__(self, name: str) -> T:
        line = self.shipped.get(name)
        if line is None:
            found = load(self.extensions()[name])
        else:
            found = resolve_name(line) if isinstance(line, str) else line
        if not isinstance(found, self.kind) or found.key != name:
            raise ExtensionError(
                f"“{name}” ({self.group}): expected a {self.kind.__name__} with the key “{name}”, "
                f"found {found!r:.200}."
            )
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.shipped or name in self.extensions()

    def __iter__(self) -> Iterator[str]:
        yield from self.shipped
        yield from self.extensions()

    def __len__(self) -> int:
        return len(self.shipped) + len(self.extensions())

    def check(self) -> None:
        """Load all extensions, so that their errors appear at the start."""
        for name in self.extensions():
            self[name]

    def extensions(self) -> Mapping[str, EntryPoint]:
        return extensions(self.group, frozenset(self.shipped))
