"""The dimensions of one study: its own, and those of the shipped library."""

from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from json import dumps
from typing import Any

from annotate.protocol.dimensions import Dimension
from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import PUBLISHED, SHIPPED
from annotate.protocol.written import (
    FileFault,
    NotAProtocol,
    as_fields,
    derived_from_fields,
    from_fields,
)


class StudyProtocol(Protocol):
    """All dimensions of a study: its own, and those of the library.

    The asked ones are in the study's order. Each other one follows its predecessors in the library.
    """

    def __init__(
        self,
        asked: Sequence[str],
        own: Iterable[Dimension],
        derived: list[Any],
        earlier: Sequence[Dimension] = (),
        frozen: Collection[str] = (),
    ) -> None:
        mine = {dimension.key: dimension for dimension in own}
        known = {**SHIPPED, **mine}
        order = [key for key in asked if key in known]
        order += [key for key in mine if key not in order]
        before: list[str] = []
        for key in SHIPPED:
            if key not in order:
                last = next((one for one in reversed(before) if one in order), None)
                order.insert(0 if last is None else order.index(last) + 1, key)
            before.append(key)
        made = (derived_from_fields(fields, known) for fields in derived)
        super().__init__((known[key] for key in order), (*SHIPPED.derived.values(), *made))
        self.own = {key: self[key] for key in self if key in mine}
        self.own_derived = [*derived]
        self.earlier = tuple(sorted(earlier, key=lambda one: (order.index(one.key), one.version)))
        """Earlier wordings of its own dimensions."""
        self.frozen = frozenset(frozen)
        """The keys of its own dimensions and numbers that came with a frozen file."""
        self._offered = frozenset([*PUBLISHED, *asked, *mine])

    @property
    def changeable(self) -> dict[str, Dimension]:
        """Its own dimensions except those of frozen files."""
        return {key: one for key, one in self.own.items() if key not in self.frozen}

    @property
    def offered(self) -> Collection[str]:
        """The keys that lists offer: published, asked and own dimensions.

        Automatic judges answer the published ones in any study. Of the rest of the library, only
        the asked ones are offered, because lists would be very long otherwise.
        """
        return self._offered


def form_digest(
    own: Iterable[Dimension], derived: list[Any], earlier: Iterable[Dimension] = ()
) -> str:
    """Return a digest of a study's own questions; empty without any."""
    fields = [as_fields(dimension) for dimension in own]
    before = [as_fields(dimension) for dimension in earlier]
    if not fields and not derived:
        return ""
    whole = [fields, derived, before] if before else [fields, derived]
    return sha256(dumps(whole, sort_keys=True).encode()).hexdigest()


def own_fields(protocol: Protocol) -> dict[str, Any]:
    """Return the fields of a study's own dimensions and numbers; empty without any."""
    if not isinstance(protocol, StudyProtocol) or not (protocol.own or protocol.own_derived):
        return {}
    own = [as_fields(dimension) for dimension in protocol.own.values()]
    earlier = [as_fields(dimension) for dimension in protocol.earlier]
    fields = {"dimensions": own, "derived": protocol.own_derived}
    return fields | ({"earlier": earlier} if earlier else {})


def protocol_from(asked: Sequence[str], own: Any) -> StudyProtocol:
    """Return the protocol of the result of `own_fields`; raise `NotAProtocol`."""
    fields = own if isinstance(own, dict) else {}
    lists = {name: fields.get(name, []) for name in ("dimensions", "derived", "earlier")}
    if fields.keys() - lists.keys() or not all(isinstance(one, list) for one in lists.values()):
        raise NotAProtocol([FileFault(1, "own", "lists of dimensions and derived", "others")])
    own, earlier = ([*map(from_fields, lists[name])] for name in ("dimensions", "earlier"))
    if not {one.key for one in earlier} <= {one.key for one in own}:
        raise NotAProtocol([FileFault(1, "own.earlier", "keys of own dimensions", "another")])
    return StudyProtocol(asked, own, lists["derived"], earlier)
