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
    """All dimensions that a study knows: its own, and those of the library. The asked ones stand in
    the study's order, each of the others after those that it follows in the library."""

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
        """Wordings of its own before the present ones."""
        self.frozen = frozenset(frozen)
        """Which of its own dimensions and numbers came with a frozen file."""
        self._offered = frozenset([*PUBLISHED, *asked, *mine])

    @property
    def changeable(self) -> dict[str, Dimension]:
        """Its own dimensions but those of frozen files."""
        return {key: one for key, one in self.own.items() if key not in self.frozen}

    @property
    def offered(self) -> Collection[str]:
        """Those of the published protocols, which automatic judges answer in any study, and the
        study's own. Of the rest of the library what is asked: else every list would name it all."""
        return self._offered


def form_digest(
    own: Iterable[Dimension], derived: list[Any], earlier: Iterable[Dimension] = ()
) -> str:
    """What tells one state of a study's own questions from another; empty without any."""
    fields = [as_fields(dimension) for dimension in own]
    before = [as_fields(dimension) for dimension in earlier]
    if not fields and not derived:
        return ""
    whole = [fields, derived, before] if before else [fields, derived]
    return sha256(dumps(whole, sort_keys=True).encode()).hexdigest()


def own_fields(protocol: Protocol) -> dict[str, Any]:
    """What is a study's own, as a file says it; empty where nothing is."""
    if not isinstance(protocol, StudyProtocol) or not (protocol.own or protocol.own_derived):
        return {}
    own = [as_fields(dimension) for dimension in protocol.own.values()]
    earlier = [as_fields(dimension) for dimension in protocol.earlier]
    said = {"dimensions": own, "derived": protocol.own_derived}
    return said | ({"earlier": earlier} if earlier else {})


def protocol_from(asked: Sequence[str], own: Any) -> StudyProtocol:
    """The protocol of what `own_fields` said; raises `NotAProtocol`."""
    said = own if isinstance(own, dict) else {}
    lists = {name: said.get(name, []) for name in ("dimensions", "derived", "earlier")}
    if said.keys() - lists.keys() or not all(isinstance(one, list) for one in lists.values()):
        raise NotAProtocol([FileFault(1, "own", "lists of dimensions and derived", "others")])
    own = [from_fields(fields) for fields in lists["dimensions"]]
    earlier = [from_fields(fields) for fields in lists["earlier"]]
    if not {one.key for one in earlier} <= {one.key for one in own}:
        raise NotAProtocol([FileFault(1, "own.earlier", "keys of own dimensions", "another")])
    return StudyProtocol(asked, own, lists["derived"], earlier)
