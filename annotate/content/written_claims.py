"""Claims that people write: their units, and the words that were chosen.

Each group of citation marks in a statement has one unit, for example `s2.g1` with the citations
`s2.g1.c1`, `s2.g1.c2`. The claim that a person writes there is stored with the answer about its
words. Several writers therefore share the units.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotate.models import Batch, Unit
from annotate.protocol.dimensions import UnitKind, is_written
from annotate.protocol.places import CitationOfClaim, parsed_units
from annotate.text import Segmentation, Statement
from annotate.text.claim_from_words import Place, places_in, runs_of, runs_saying, text_of
from annotate.web.bulk import insert
from annotate.web.errors import Refused


def _claims(units: Mapping[str, Unit], divided: Segmentation) -> Iterator[tuple[Unit, list[Unit]]]:
    """Yield each new claim unit, with the citations of its group."""
    for number, statement in enumerate(divided.statements, 1):
        parent = units[f"s{number}"]
        for ordinal, (group, cited) in enumerate(_groups(statement, parent, units), 1):
            claim = Unit(
                response_id=parent.response_id,
                kind=UnitKind.CLAIM,
                key=f"{parent.key}.g{ordinal}",
                parent_id=parent.pk,
                ordinal=ordinal,
                text=statement.text,
                start=group[0],
                end=group[1],
            )
            yield claim, cited


def _groups(
    statement: Statement, parent: Unit, units: Mapping[str, Unit]
) -> Iterator[tuple[tuple[int, int], list[Unit]]]:
    """Yield the place of each group, and its citations.

    A number of a group takes the first remaining citation (by its end) with that number.
    """
    left = [(one, units[f"{parent.key}.c{n}"]) for n, one in enumerate(statement.citations, 1)]
    left.sort(key=lambda pair: pair[0].end)
    for group in statement.groups:
        own = []
        for number in group.numbers:
            first = next(pair for pair in left if pair[0].number == number)
            left.remove(first)
            own.append(first[1])
        yield (min(one.start for one in own), max(one.end for one in own)), own


def _citations(claim: Unit, cited: Iterable[Unit]) -> Iterator[Unit]:
    for ordinal, citation in enumerate(cited, 1):
        yield Unit(
            response_id=claim.response_id,
            kind=UnitKind.CLAIM_CITATION,
            key=f"{claim.key}.c{ordinal}",
            parent_id=claim.pk,
            ordinal=ordinal,
            start=citation.start,
            end=citation.end,
            number=citation.number,
            source_id=citation.source_id,
        )


def add_places(divided: Iterable[Sequence[tuple[int, Segmentation]]]) -> None:
    """Create the units of claims that people will write, for responses (by id) without any."""
    for some in divided:
        units: dict[int, dict[str, Unit]] = {response: {} for response, _ in some}
        for unit in Unit.objects.filter(response__in=units).order_by("pk"):
            units[unit.response_id][unit.key] = unit
        claims = [
            each
            for response, found in some
            if not any(map(is_written, units[response]))
            for each in _claims(units[response], found)
        ]
        insert([claim for claim, _ in claims])
        insert([citation for claim, cited in claims for citation in _citations(claim, cited)])


def proposals(units: Sequence[Unit]) -> dict[int, str]:
    """Return the parser's claim at each place where people write one, by the id of its unit.

    The units of a statement must be in the order in which they were created.
    """
    texts = {unit.pk: unit.text for unit in units if unit.kind == UnitKind.CLAIM}
    statements = {
        unit.pk: unit.parent_id
        for unit in units
        if unit.kind == UnitKind.CLAIM and unit.parent_id is not None
    }
    citations = (
        CitationOfClaim(unit.pk, unit.parent_id, unit.number, is_written(unit.key))
        for unit in units
        if unit.kind == UnitKind.CLAIM_CITATION
        and unit.parent_id is not None
        and unit.number is not None
    )
    found = parsed_units(statements, citations)
    return {place: texts[claim] for place, claim in found.items() if place in texts}


def written_claim(sentence: str, words: str, proposal: str) -> dict[str, Any]:
    """Return the stored form of a claim made of these words; raise `Refused` without words."""
    runs = _runs(sentence, words)
    if not runs:
        raise Refused("Choose the words of the claim first.")
    return {
        "text": text_of(sentence, runs),
        "spans": [[*run] for run in runs],
        "proposal": proposal,
    }


def claim_text(sentence: str, words: str) -> str:
    """Return the text of a claim made of these words."""
    return text_of(sentence, _runs(sentence, words))


def _runs(sentence: str, words: str) -> list[Place]:
    """Return the places of the words; empty if they cannot be read."""
    try:
        return runs_of(sentence, places_in(words))
    except ValueError:
        return []


def proposal_for(batch: Batch, claim: Unit) -> str:
    """Return the parser's claim that raters of the batch start from, or an empty text.

    All words of the claim must be in the sentence.
    """
    if batch.claims_from != Batch.ClaimsFrom.PARSER:
        return ""
    units = Unit.objects.filter(
        response_id=claim.response_id, key__startswith=f"{claim.key.partition('.')[0]}."
    )
    proposal = proposals(list(units.order_by("pk"))).get(claim.pk, "")
    return proposal if runs_saying(claim.text, proposal) else ""
