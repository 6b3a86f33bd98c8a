"""Which of the parser's claims stands at each place where people write one."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class CitationOfClaim(NamedTuple):
    """A citation of a claim: what it is called by, what its claim is, and the number cited."""

    unit: int
    claim: int
    number: int
    by_people: bool


def parsers_at(claims: Mapping[int, int], citations: Iterable[CitationOfClaim]) -> dict[int, int]:
    """The parser's unit at each unit of the claims that people write: of a claim the one that the
    group's first mark belongs to, of a citation that of the same mark.

    `claims` names the statement of each claim; the citations come in the order of statements,
    claims and marks. Both kinds name all marks of a statement in order; where they do not name the
    same, nothing of it has one of the parser.
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
