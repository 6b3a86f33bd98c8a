"""The questions of one task, in the order of the protocol, made from the dimension table.

A response is judged as a whole first (without passages), then statement by statement: the
statement, each of its citations alone, its atomic claims in the same way; last come the questions
about the whole response that need everything before them (`Dimension.comes_last`).

Where people write the claims (`Dimension.writes`), all of a response's are written before the first
passage is seen, and what is asked of claims is asked of these instead of the parser's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.protocol.dimensions import (
    CLAIM_WORDS,
    DIMENSIONS,
    OF_CLAIMS,
    Dimension,
    UnitKind,
    is_written,
)

if TYPE_CHECKING:
    from annotate.models import Judgment, Source, Unit

NOT_ASKED = "not asked"
"""Why an answer does not stand any more: the answer that its question depends on has changed."""

WITHDRAWN = "withdrawn"
"""Why an answer does not stand any more: its judge took it back."""

OPEN_AGAIN = {NOT_ASKED, WITHDRAWN}
"""Reasons that a judge did not give: the question is still to be answered."""

Answers = Mapping[tuple[int, str], "Judgment"]
"""A judge's answers by unit and dimension."""


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
        values = DIMENSIONS[self.dimension.part_of].low_to_high
        return values[0], values[-1]

    @property
    def most(self) -> str:
        """The highest answer to this question."""
        return self.dimension.low_to_high[-1]

    def contradicts(self, answers: Answers) -> bool:
        """Whether this passage alone is said to support what all together are said not to."""
        if not self.whole or self.unit.parent_id is None:
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

    @property
    def needs(self) -> tuple[Unit, str, str] | None:
        """The unit, the dimension and the answer to it that this question depends on."""
        if self.dimension.only_if is not None:
            return self.unit, *self.dimension.only_if
        if self.written is None or self.dimension.writes:
            return None
        return self.written, CLAIM_WORDS, "yes"

    def is_asked(self, answers: Answers) -> bool:
        """Whether the answer that this question depends on is the one that it needs."""
        if self.needs is None:
            return True
        unit, key, wanted = self.needs
        first = answers.get((unit.pk, key))
        return first is not None and first.value == wanted


def order_steps(
    units: Sequence[Unit], sources: Sequence[Source], dimensions: Sequence[Dimension], *, cap: int
) -> list[Step]:
    """The questions about the units of one response.

    Citations without a passage, and those beyond the first `cap` of a statement, are not asked
    about; nor is a statement or a claim that cites nothing there is a passage for, nor, where the
    question is about citations, a response that cites nothing of the kind.
    """
    by_id = {source.pk: source for source in sources}
    everything = tuple(sources)
    cited_here = {unit.source_id for unit in units if unit.source_id is not None}
    cited_somewhere = tuple(source for source in sources if source.pk in cited_here)
    children: dict[int, list[Unit]] = {}
    for unit in units:
        if unit.parent_id is not None:
            children.setdefault(unit.parent_id, []).append(unit)

    def cited(unit: Unit) -> list[tuple[Unit, Source]]:
        return [
            (child, by_id[child.source_id])
            for child in children.get(unit.pk, [])
            if child.source_id in by_id and child.ordinal <= cap
        ]

    def in_sight(dimension: Dimension, cited: tuple[Source, ...]) -> tuple[Source, ...]:
        return {"nothing": (), "cited": cited, "all": everything}[dimension.sight]

    def asked(kind: UnitKind) -> list[Dimension]:
        return [d for d in dimensions if d.unit_kind == kind and (cited_here or not d.cited_only)]

    def part(
        unit: Unit, kind: UnitKind, below: UnitKind, written: Unit | None = None
    ) -> list[Step]:
        citations = cited(unit)
        together = tuple(dict.fromkeys(source for _, source in citations))
        found = [Step(unit, d, in_sight(d, together), False, written) for d in asked(kind)]
        return (found if citations else []) + [
            Step(citation, d, in_sight(d, (source,)), len(together) == 1, written)
            for citation, source in citations
            for d in asked(below)
        ]

    writes = are_written(dimensions)
    first: list[Step] = []
    steps: list[Step] = []
    last: list[Step] = []
    for unit in units:
        if unit.kind == UnitKind.RESPONSE:
            for dimension in asked(UnitKind.RESPONSE):
                into = last if dimension.comes_last else first
                into.append(Step(unit, dimension, in_sight(dimension, cited_somewhere)))
        elif unit.kind == UnitKind.STATEMENT:
            steps += part(unit, UnitKind.STATEMENT, UnitKind.CITATION)
            for claim in children.get(unit.pk, []):
                if claim.kind == UnitKind.CLAIM and is_written(claim.key) == writes:
                    kinds = UnitKind.CLAIM, UnitKind.CLAIM_CITATION
                    for step in part(claim, *kinds, claim if writes else None):
                        (first if step.dimension.writes else steps).append(step)
    return first + steps + last


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
