"""The library of protocols: files in `annotate/protocols`, and texts from other packages.

An entry point of another package names the text of a protocol. A dimension may be in several
protocols and is the same in each. Every study knows all of these dimensions.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.protocol import Protocol, ProtocolFile
from annotate.protocol.registry import ExtensionError, extensions, load
from annotate.protocol.written import NotAProtocol, read

FOLDER = Path(__file__).parent.parent / "protocols"

FIRST = ("alce", "ais", "aliice")
"""The first protocols, in the order of their questions. The others follow by name."""


def _read() -> dict[str, ProtocolFile]:
    names = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    found = {name: read((FOLDER / f"{name}.yaml").read_text(encoding="utf-8")) for name in names}
    for name, entry in extensions("attest.protocols", frozenset(found)).items():
        try:
            found[name] = read(str(load(entry)))
        except NotAProtocol as error:
            raise ExtensionError(f"“{name}” (attest.protocols): {error}") from error
    return found


def _library(files: Mapping[str, ProtocolFile]) -> Protocol:
    found: dict[str, Dimension] = {}
    for name, file in files.items():
        if file.key != name:
            raise ExtensionError(f"“{name}” (attest.protocols): the file is of “{file.key}”.")
        for key, dimension in file.protocol.items():
            if found.setdefault(key, dimension) != dimension:
                raise ExtensionError(
                    f"“{name}” (attest.protocols): {key} is another dimension elsewhere."
                )
    derived = [one for file in files.values() for one in file.protocol.derived.values()]
    return Protocol(sorted(found.values(), key=_rank), derived)


def _rank(dimension: Dimension) -> tuple[bool, bool, int]:
    """Return the sort key by which a task asks dimensions."""
    kinds = [kind.value for kind in UnitKind]
    return (
        not dimension.of_people,
        dimension.comes_last,
        kinds.index(dimension.unit_kind),
    )


PROTOCOLS: Mapping[str, ProtocolFile] = MappingProxyType(_read())
SHIPPED = _library(PROTOCOLS)

PUBLISHED = frozenset(key for file in PROTOCOLS.values() if file.frozen for key in file.protocol)
"""The dimensions of published protocols."""

PUBLISHED_NUMBERS = frozenset(
    key for file in PROTOCOLS.values() if file.frozen for key in file.protocol.derived
)
