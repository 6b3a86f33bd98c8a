"""The questions of one task, in the order of the protocol, made from the dimension table.

A response is judged as a whole first (without passages), then statement by statement: the
statement, each of its citations alone, its atomic claims in the same way; last come the questions
about the whole response that need everything before them (`Dimension.comes_last`).

Where people write the claims (`Dimension.writes`), all of a response's are written before the first
passage is seen, and what is asked of claims is asked of these instead of the parser's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from annotate.protocol.answers import said
from annotate.protocol.dimensions import (
    IS_WRITTEN,
    OF_CLAIMS,
    OF_WHOLE,
    Dimension,
    UnitKind,
    is_written,
)
from annotate.protocol.pairs import as_seen
from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import SHIPPED

if TYPE_CHECKING:
    from annotate.models import Judgment, Source, Unit

NOT_ASKED = "not asked"
"""Why an answer does not stand any more: the answer that its question depends on has changed."""

WITHDRAWN = "withdrawn"
"""Why an answer does not stand any more: its judge took it back."""

OPEN_AGAIN = {NOT_ASKED, WITHDRAWN}
"""Reasons that a judge did not give: the question is still to be answered."""

SKIP_REASONS = (
    "I cannot tell from the passages",
    "The source is not available",
    "It needs knowledge that I do not have",
    "The text is broken",
    "The statement is not a claim",
)
"""The reasons that are offered to who does not judge; others may be written."""

Answers = Mapping[tuple[int, str], "Judgment"]
"""A judge's answers by unit and dimension."""


@dataclass(frozen=True, slots=True)
class Need:
    """An answer that a question depends on: to a dimension about a unit, one of some values."""

    unit: Unit
    dimension: str
    values: tuple[str, ...]

    def is_met(self, answers: Answers) -> bool:
        answer = answers.get((self.unit.pk, self.dimension))
        return answer is not None and not said(answer.value).isdisjoint(self.values)

    @property
    def key(self) -> str:
        """The key of the question that it is an answer to."""
        return f"{self.unit.key}:{self.dimension}"

    @property
    def said(self) -> str:
        """For the page's script."""
        return f"{self.key}={'|'.join(self.values)}"


@dataclass(frozen=True, slots=True)
class Step:
    """One question about one unit, and the passages that are in sight for it."""

    unit: Unit
    dimension: Dimension
    sources: tuple[Source, ...]
    is_only: bool = False
    """Whether the text cites no other passage than this question's."""

    written: Unit | None = None
    """The claim that the question is about, where its judge writes it."""

    needs: tuple[Need, ...] = ()
    """All that the question depends on."""

    of_whole: Dimension | None = None
    """The dimension of `whole`."""

    def as_seen(self, *, mirrored: bool) -> Step:
        """The question as its rater is asked it: of a pair, the other answer may come first."""
        if not mirrored or self.unit.kind != UnitKind.PAIR:
            return self
        return replace(self, dimension=as_seen(self.dimension, mirrored=True))

    @property
    def shows_passages(self) -> bool:
        """Whether any passage is in sight; beside a pair, each answer has its own."""
        of_pair = self.unit.kind == UnitKind.PAIR and self.dimension.sight != "nothing"
        return bool(self.sources) or of_pair

    @property
    def key(self) -> str:
        return f"{self.unit.key}:{self.dimension.key}"

    @property
    def name(self) -> str:
        """The key as a part of an element's id."""
        return f"{self.unit.key.replace('.', '-')}-{self.dimension.key}"

    @property
    def whole(self) -> str:
        """The key of the question about the text that this citation stands in, if it has one."""
        parent = self.unit.key.rpartition(".")[0]
        return f"{parent}:{self.dimension.part_of}" if self.dimension.part_of else ""

    @property
    def extremes(self) -> tuple[str, str]:
        """The lowest and the highest answer to `whole`."""
        assert self.of_whole is not None
        values = self.of_whole.low_to_high
        return values[0], values[-1]

    @property
    def most(self) -> str:
        """The highest answer to this question."""
        return self.dimension.low_to_high[-1]

    def contradicts(self, answers: Answers) -> bool:
        """Whether this passage alone is said to support what all together are said not to."""
        if self.of_whole is None or self.unit.parent_id is None:
            return False
        own = answers.get((self.unit.pk, self.dimension.key))
        whole = answers.get((self.unit.parent_id, self.dimension.part_of))
        if own is None or whole is None:
            return False
        return (own.value, whole.value) == (self.most, self.extremes[0])

    def answer(self, answers: Answers) -> Judgment | None:
        """The judge's answer, where it stands."""
        found = answers.get((self.unit.pk, self.dimension.key))
        return None if found is None or found.skipped_reason in OPEN_AGAIN else found

    def is_asked(self, answers: Answers) -> bool:
        """Whether the answers that this question depends on are those that it needs."""
        return all(need.is_met(answers) for need in self.needs)


def order_steps(
    units: Sequence[Unit],
    sources: Sequence[Source],
    dimensions: Sequence[Dimension],
    *,
    cap: int,
    protocol: Protocol = SHIPPED,
) -> list[Step]:
    """The questions about the units of one response; `protocol` knows those that they speak of.

    Citations without a passage, and those beyond the first `cap` of a statement, are not asked
    about; nor is a statement or a claim that cites nothing there is a passage for, but by questions
    put to every statement; nor, where the question is about citations, a response that cites
    nothing of the kind.
    """
    asking = _Asking(units, sources, dimensions, cap, protocol)
    writes = are_written(dimensions)
    first: list[Step] = []
    steps: list[Step] = []
    last: list[Step] = []
    for unit in units:
        if unit.kind == UnitKind.RESPONSE:
            for one in asking.of_whole(unit):
                (last if one.dimension.comes_last else first).append(one)
        elif unit.kind in OF_WHOLE:
            steps += asking.of_made(unit)
        elif unit.kind == UnitKind.STATEMENT:
            steps += asking.of_part(unit, UnitKind.STATEMENT, UnitKind.CITATION)
            for claim in asking.children.get(unit.pk, []):
                if claim.kind == UnitKind.CLAIM and is_written(claim.key) == writes:
                    kinds = UnitKind.CLAIM, UnitKind.CLAIM_CITATION
                    for one in asking.of_part(claim, *kinds, claim if writes else None):
                        (first if one.dimension.writes else steps).append(one)
    return first + steps + last


class _Asking:
    """What is asked of one response's units."""

    def __init__(
        self,
        units: Sequence[Unit],
        sources: Sequence[Source],
        dimensions: Sequence[Dimension],
        cap: int,
        protocol: Protocol,
    ) -> None:
        self._dimensions, self._cap, self._protocol = dimensions, cap, protocol
        self._writing = next((dimension.key for dimension in dimensions if dimension.writes), "")
        self._by_id = {source.pk: source for source in sources}
        self._units = {unit.pk: unit for unit in units}
        self._response = next((unit for unit in units if unit.kind == UnitKind.RESPONSE), None)
        self._cited = {unit.source_id for unit in units if unit.source_id is not None}
        self._in_text = tuple(one for one in self._by_id.values() if one.pk in self._cited)
        self.children: dict[int, list[Unit]] = {}
        for unit in units:
            if unit.parent_id is not None:
                self.children.setdefault(unit.parent_id, []).append(unit)

    def of_whole(self, unit: Unit) -> Iterator[Step]:
        """The questions about the response."""
        for dimension in self._asked(UnitKind.RESPONSE):
            yield self._step(unit, dimension, self._in_text)

    def of_made(self, unit: Unit) -> Iterator[Step]:
        """Those about a pair or a reference's claim. What stands beside a pair is each answer's
        own, so no passage stands beside both."""
        is_pair = unit.kind == UnitKind.PAIR
        for dimension in self._asked(UnitKind(unit.kind)):
            yield self._step(unit, dimension, () if is_pair else self._in_text, alone=is_pair)

    def of_part(
        self, unit: Unit, kind: UnitKind, below: UnitKind, written: Unit | None = None
    ) -> list[Step]:
        """Those about a statement or a claim, and about each of its citations."""
        citations = [
            (child, self._by_id[child.source_id])
            for child in self.children.get(unit.pk, [])
            if child.source_id in self._by_id and child.ordinal <= self._cap
        ]
        together = tuple(dict.fromkeys(source for _, source in citations))
        found = [self._step(unit, d, together, written=written) for d in self._asked(kind)]
        is_only = len(together) == 1
        return [one for one in found if citations or one.dimension.every] + [
            self._step(citation, d, (source,), is_only=is_only, written=written)
            for citation, source in citations
            for d in self._asked(below)
        ]

    def _asked(self, kind: UnitKind) -> list[Dimension]:
        return [
            d for d in self._dimensions if d.unit_kind == kind and (self._cited or not d.cited_only)
        ]

    def _step(
        self,
        unit: Unit,
        dimension: Dimension,
        cited: tuple[Source, ...],
        *,
        is_only: bool = False,
        written: Unit | None = None,
        alone: bool = False,
    ) -> Step:
        every = () if alone else tuple(self._by_id.values())
        in_sight = {"cited": cited, "all": every}
        return Step(
            unit,
            dimension,
            in_sight.get(dimension.sight, ()),
            is_only,
            written,
            tuple(self._needs(unit, dimension, written)),
            self._protocol.get(dimension.part_of),
        )

    def _needs(self, unit: Unit, dimension: Dimension, written: Unit | None) -> Iterator[Need]:
        above = self._units.get(unit.parent_id or 0)
        about = {"unit": unit, "parent": above, "response": self._response}
        for condition in dimension.shown_when:
            of = about[condition.of]
            if of is not None:
                yield Need(of, condition.dimension, condition.values)
        if written is not None and not dimension.writes:
            yield Need(written, self._writing, (IS_WRITTEN,))


def are_written(dimensions: Iterable[Dimension]) -> bool:
    """Whether people write the claims that they are asked about."""
    return any(dimension.writes for dimension in dimensions)


def questions_put(dimensions: Collection[Dimension]) -> set[tuple[str, bool]]:
    """Which questions are put: about the claims that people write, they are others than about the
    parser's."""
    writes = are_written(dimensions)
    return {(each.key, writes and each.unit_kind in OF_CLAIMS) for each in dimensions}


def missing(steps: Sequence[Step], answers: Answers) -> list[Step]:
    """The questions that are asked and not answered."""
    return [s for s in steps if s.is_asked(answers) and s.answer(answers) is None]
