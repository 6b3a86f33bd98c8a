"""Match the parser's claims to the places where people write claims."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class CitationOfClaim(NamedTuple):
    """The ids of a claim's citation and of its claim, and the number cited."""

    unit: int
    claim: int
    number: int
    by_people: bool


def parsed_units(claims: Mapping[int, int], citations: Iterable[CitationOfClaim]) -> dict[int, int]:
    """Return the parser's unit for each unit of claims that people write.

    A claim matches the parser's claim with the first mark of its group. A citation matches the
    parser's citation of the same mark. `claims` has the statement of each claim; citations are in
    the order of statements, claims and marks. If the marks of a statement differ, it has no match.
    """
    marks: dict[tuple[int, bool], list[CitationOfClaim]] = {}
    for citation in citations:
        own = marks.setdefault((claims[citation.claim], citation.by_people), [])
        own.append(citation)
    found: dict[int, int] = {}
    for (statement, by_people), own in marks.items():
        parsers = marks.get((statement, False), [])
        if by_people and [one.number for one in own] == [one.number for one in parsers]:
            for one, parsed in zip(own, parsers, strict=True):
                found.setdefault(one.claim, parsed.claim)
                found[one.unit] = parsed.unit
    return found
