"""The questions (steps) of one task, in the order of the protocol.

A response is judged as a whole first (without passages), then statement by statement: the
statement, each of its citations, then its atomic claims in the same way. Questions about the whole
response that need everything before them come last (`Dimension.comes_last`).

If people write the claims (`Dimension.writes`), they write all claims of a response before they see
the first passage. Questions about claims are then about these instead of the parser's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from annotate.protocol.answers import named_values
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
"""The reason of an answer that was cleared because the answer it depends on has changed."""

WITHDRAWN = "withdrawn"
"""The reason of an answer that its judge withdrew."""

OPEN_AGAIN = {NOT_ASKED, WITHDRAWN}
"""The reasons of answers that must be given again."""

SKIP_REASONS = (
    "I cannot tell from the passages",
    "The source is not available",
    "It needs knowledge that I do not have",
    "The text is broken",
    "The statement is not a claim",
)
"""The offered reasons for not judging. Raters may write others."""

Answers = Mapping[tuple[int, str], "Judgment"]
"""A judge's answers by unit and dimension."""


@dataclass(frozen=True, slots=True)
class Need:
    """An answer that a question depends on: one of `values` to a dimension about a unit."""

    unit: Unit
    dimension: str
    values: tuple[str, ...]

    def is_met(self, answers: Answers) -> bool:
        answer = answers.get((self.unit.pk, self.dimension))
        return answer is not None and not named_values(answer.value).isdisjoint(self.values)

    @property
    def key(self) -> str:
        """The key of the question that must be answered."""
        return f"{self.unit.key}:{self.dimension}"

    @property
    def said(self) -> str:
        """The need as the page's script reads it."""
        return f"{self.key}={'|'.join(self.values)}"


@dataclass(frozen=True, slots=True)
class Step:
    """One question about one unit, and the passages that are visible with it."""

    unit: Unit
    dimension: Dimension
    sources: tuple[Source, ...]
    is_only: bool = False
    """Whether the text cites only this question's passage."""

    written: Unit | None = None
    """The claim that the question is about, if its judge writes it."""

    needs: tuple[Need, ...] = ()

    of_whole: Dimension | None = None
    """The dimension of `whole`."""

    def as_seen(self, *, mirrored: bool) -> Step:
        """Return the step as its rater sees it. The other answer of a pair may come first."""
        if not mirrored or self.unit.kind != UnitKind.PAIR:
            return self
        return replace(self, dimension=as_seen(self.dimension, mirrored=True))

    @property
    def shows_passages(self) -> bool:
        """Whether any passage is visible. The answers of a pair have their own."""
        of_pair = self.unit.kind == UnitKind.PAIR and self.dimension.sight != "nothing"
        return bool(self.sources) or of_pair

    @property
    def key(self) -> str:
        return f"{self.unit.key}:{self.dimension.key}"

    @property
    def name(self) -> str:
        """The key in a form for ids of elements."""
        return f"{self.unit.key.replace('.', '-')}-{self.dimension.key}"

    @property
    def whole(self) -> str:
        """The key of the question about this citation's whole text, if there is one."""
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
        """Whether this passage is said to support the text, and all together are said not to."""
        if self.of_whole is None or self.unit.parent_id is None:
            return False
        own = answers.get((self.unit.pk, self.dimension.key))
        whole = answers.get((self.unit.parent_id, self.dimension.part_of))
        if own is None or whole is None:
            return False
        return (own.value, whole.value) == (self.most, self.extremes[0])

    def answer(self, answers: Answers) -> Judgment | None:
        """Return the judge's answer, unless it must be given again."""
        answer = answers.get((self.unit.pk, self.dimension.key))
        return None if answer is None or answer.skipped_reason in OPEN_AGAIN else answer

    def is_asked(self, answers: Answers) -> bool:
        """Whether all conditions of this question are met."""
        return all(need.is_met(answers) for need in self.needs)


def order_steps(
    units: Sequence[Unit],
    sources: Sequence[Source],
    dimensions: Sequence[Dimension],
    *,
    cap: int,
    protocol: Protocol = SHIPPED,
) -> list[Step]:
    """Return the questions about the units of one response.

    `protocol` has the dimensions that `part_of` names. Not asked about are:

    - citations without a passage or beyond the first `cap` of a statement,
    - statements and claims that cite no passage, except by `Dimension.every`,
    - responses that cite no passage, by `Dimension.cited_only`.
    """
    asking = _Asking(units, sources, dimensions, cap, protocol)
    writes = people_write(dimensions)
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
    """The questions about one response's units."""

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
        """Yield the questions about the response."""
        for dimension in self._asked(UnitKind.RESPONSE):
            yield self._step(unit, dimension, self._in_text)

    def of_made(self, unit: Unit) -> Iterator[Step]:
        """Yield the questions about a pair or a reference's claim.

        Each answer of a pair is shown with its own passages, so the step has none.
        """
        is_pair = unit.kind == UnitKind.PAIR
        for dimension in self._asked(UnitKind(unit.kind)):
            yield self._step(unit, dimension, () if is_pair else self._in_text, alone=is_pair)

    def of_part(
        self, unit: Unit, kind: UnitKind, below: UnitKind, written: Unit | None = None
    ) -> list[Step]:
        """Return the questions about a statement or a claim, and about each of its citations."""
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


def people_write(dimensions: Iterable[Dimension]) -> bool:
    """Whether people write the claims that these dimensions are about."""
    return any(dimension.writes for dimension in dimensions)


def question_keys(dimensions: Collection[Dimension]) -> set[tuple[str, bool]]:
    """Return each dimension's key, and whether it is about claims that people write."""
    writes = people_write(dimensions)
    return {(each.key, writes and each.unit_kind in OF_CLAIMS) for each in dimensions}


def unanswered(steps: Sequence[Step], answers: Answers) -> list[Step]:
    """Return the questions that are asked and not answered."""
    return [s for s in steps if s.is_asked(answers) and s.answer(answers) is None]
