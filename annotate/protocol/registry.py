"""What is called by name: what ships with Attest, and what other packages bring.

Each thing is registered once, by a line that says where it is written; the rest stands there.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from pkgutil import resolve_name
from typing import Generic, Protocol, TypeVar

from annotate.protocol.extensions import ExtensionError, Group, extensions, load


class Keyed(Protocol):
    @property
    def key(self) -> str: ...


T = TypeVar("T", bound=Keyed)


class Registry(Mapping[str, T], Generic[T]):
    """By name and in the order of their lines: what ships, then what other packages bring.

    A line of `shipped` is the thing itself or the place where it is written, `module:NAME`, as in
    an entry point; it is imported when it is first asked for.
    """

    def __init__(self, group: Group, kind: type[T], shipped: Mapping[str, str | T]) -> None:
        self.group = group
        self.kind = kind
        self.shipped: dict[str, str | T] = dict(shipped)

    def __getitem__(self, name: str) -> T:
        line = self.shipped.get(name)
        if line is None:
            found = load(self.brought()[name])
        else:
            found = resolve_name(line) if isinstance(line, str) else line
        if not isinstance(found, self.kind) or found.key != name:
            raise ExtensionError(
                f"“{name}” ({self.group}): expected a {self.kind.__name__} with the key “{name}”, "
                f"found {found!r:.200}."
            )
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.shipped or name in self.brought()

    def __iter__(self) -> Iterator[str]:
        yield from self.shipped
        yield from self.brought()

    def __len__(self) -> int:
        return len(self.shipped) + len(self.brought())

    def check(self) -> None:
        """Load what other packages bring, so that what is wrong with it shows at the start."""
        for name in self.brought():
            self[name]

    def brought(self) -> Mapping[str, EntryPoint]:
        """What other packages name."""
        return extensions(self.group, frozenset(self.shipped))
