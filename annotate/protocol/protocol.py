"""Protocols: dimensions in their order, with the numbers derived from their answers."""

from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from annotate.protocol.dimensions import OF_ANSWER, PARENTS, Condition, Derived, Dimension, UnitKind
from annotate.protocol.faults import Fault


class Protocol(dict[str, Dimension]):
    """The dimensions of a study, of a file, or of Attest, by key. Immutable."""

    def __init__(self, dimensions: Iterable[Dimension], derived: Iterable[Derived] = ()) -> None:
        super().__init__((dimension.key, dimension) for dimension in dimensions)
        self.derived = {one.key: one for one in derived}

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    @cached_property
    def order(self) -> Mapping[str, int]:
        """The position of each dimension."""
        return {key: place for place, key in enumerate(self)}

    @cached_property
    def places(self) -> Mapping[tuple[str, str], int]:
        """The rank of each answer of people from low to high, by dimension and value."""
        return {
            (key, value): place
            for key, dimension in self.items()
            for place, value in enumerate(dimension.low_to_high)
        }

    @cached_property
    def writing(self) -> frozenset[str]:
        """The keys of dimensions that people answer by writing a claim."""
        return frozenset(key for key, dimension in self.items() if dimension.writes)

    @property
    def asked(self) -> dict[str, Dimension]:
        """The dimensions that people may be asked."""
        return {key: dimension for key, dimension in self.items() if dimension.of_people}

    @property
    def offered(self) -> Collection[str]:
        """The keys that lists offer to choose from."""
        return self.keys()

    def of(self, keys: Collection[str]) -> list[Dimension]:
        """Return the dimensions with these keys, in the protocol's order."""
        return [dimension for key, dimension in self.items() if key in keys]

    def has_open(self, keys: Collection[str]) -> bool:
        """Whether one of these questions is not answered by one choice."""
        return any(not dimension.is_choice for dimension in self.of(keys))

    def with_conditions(self, keys: Collection[str]) -> list[str]:
        """Return these keys and those of the dimensions that their conditions need."""
        wanted, grown = set(keys), set[str]()
        while grown != wanted:
            grown = set(wanted)
            for key in grown & {*self}:
                wanted |= {condition.dimension for condition in self[key].shown_when}
        return [key for key in self if key in wanted]

    def depending_on(self, key: str) -> list[tuple[Dimension, Condition]]:
        """Return the dimensions with a condition on this one, and the condition."""
        return [
            (dimension, condition)
            for dimension in self.values()
            for condition in dimension.shown_when
            if condition.dimension == key
        ]

    def faults(self) -> Iterator[tuple[str, Fault]]:
        """Yield faults between the dimensions, with the key of the one concerned."""
        for key, dimension in self.items():
            for condition in dimension.shown_when:
                fault = self._fault_of_condition(dimension, condition)
                if fault is not None:
                    yield key, fault
            never = self._never_met(dimension)
            if never:
                yield key, Fault("shown_when", "answers that one judge can give", never)
            whole = self.get(dimension.part_of)
            if dimension.part_of and (
                whole is None or whole.unit_kind is not PARENTS.get(dimension.unit_kind)
            ):
                expected = "a dimension of what this one's unit is a part of"
                yield key, Fault("part_of", expected, f"“{dimension.part_of}”")
            elif whole is not None and not whole.is_choice:
                found = f"{whole.key}: {OF_ANSWER[whole.answer]}"
                yield key, Fault("part_of", "a dimension with one choice", found)
        writing = [key for key, dimension in self.items() if dimension.writes]
        for key in writing[1:]:
            yield key, Fault("writes", "one dimension at most that writes claims", f"also {key}")

    def _fault_of_condition(self, dimension: Dimension, condition: Condition) -> Fault | None:
        before = [key for key in self if key != dimension.key]
        other = self.get(condition.dimension)
        if other is None or other is dimension:
            expected = f"one of {', '.join(before) or 'the other dimensions'}"
            return Fault("shown_when", expected, f"“{condition.dimension}”")
        if not other.of_people and dimension.of_people:
            return Fault("shown_when", "a dimension that people are asked", f"“{other.key}”")
        known = other.low_to_high if other.is_choice else other.named
        if not known:
            expected = "a dimension that is answered by choosing"
            return Fault("shown_when", expected, f"{other.key}: {OF_ANSWER[other.answer]}")
        unknown = [value for value in condition.values if value not in known]
        if unknown or not condition.values:
            expected = f"some of {', '.join(known)}, which {other.key} is answered with"
            return Fault("shown_when", expected, ", ".join(unknown) or "nothing")
        kind: UnitKind | None = dimension.unit_kind
        if condition.of == "parent":
            kind = PARENTS.get(dimension.unit_kind)
        elif condition.of == "response":
            kind = UnitKind.RESPONSE
        if other.unit_kind is not kind:
            found = f"{other.key}, which is about a {other.unit_kind}"
            return Fault("shown_when", f"a dimension of the {condition.of}", found)
        if other.comes_last and not dimension.comes_last:
            return Fault("shown_when", "a dimension that comes before", f"{other.key}, the last")
        if self.order[other.key] > self.order[dimension.key]:
            return Fault("shown_when", "a dimension that stands before this one", other.key)
        return None

    def _never_met(self, dimension: Dimension) -> str:
        """Return contradictory answers that it requires, so that it is never asked; else empty."""
        wanted: dict[str, set[str]] = {}
        open_ones, seen = [dimension], {dimension.key}
        while open_ones:
            for condition in open_ones.pop().shown_when:
                if condition.dimension in self and not self[condition.dimension].is_choice:
                    continue  # an answer may name several values
                there = wanted.setdefault(condition.dimension, {*condition.values})
                if not there & {*condition.values}:
                    both = f"{', '.join(sorted(there))} and {', '.join(condition.values)}"
                    return f"{condition.dimension} both {both}"
                there &= {*condition.values}
                if condition.dimension not in seen and condition.dimension in self:
                    seen.add(condition.dimension)
                    open_ones.append(self[condition.dimension])
        return ""


def pools_with(one: Dimension, other: Dimension) -> bool:
    """Whether answers to both may be counted together: same unit, answers and conditions."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("unit_kind", "answer", "values", "low_to_high", "positive", "scale",
                     "label_by", "ties", "low", "high", "decimals", "least", "most", "marks",
                     "asked_of", "every", "writes", "unasked", "shown_when")
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variant:
    """The same form for outputs that are read differently."""

    key: str
    title: str
    summary: str
    lines: Literal["all", "first", "flat"]


@dataclass(frozen=True, slots=True, eq=False)
class ProtocolFile:
    """A protocol file, which can be published and cited."""

    key: str
    version: int
    title: str
    protocol: Protocol
    summary: str = ""
    source: str = ""
    guidelines: str = ""
    raters: int = 3
    lines: Literal["all", "first", "flat"] = "all"
    citations: int = 3
    """How many citations of a statement count."""

    frozen: bool = False
    """Whether it was published, so that only a copy can be changed."""

    variants: Sequence[Variant] = ()

    earlier: Sequence[Dimension] = ()
    """Earlier wordings, which answers may name."""

    @property
    def name(self) -> str:
        """The name to cite it by."""
        return f"{self.key} {self.version}"
