"""Store the atomic claims of a study's responses as units, made by one parser.

Raters and judges answer about the same claims, so these stay: new responses are divided by the same
parser. Another parser may remake them until someone was asked about them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotate.exchange.streams import records_by_key
from annotate.models import Batch, Judgment, Response, Study, Unit
from annotate.protocol.dimensions import WRITTEN
from annotate.text import is_by_blocks
from annotate.web.bulk import insert
from annotate.web.errors import Refused
from evaluation.claims import Parser, claims_signature, divide
from evaluation.claims.parsing import parser_in
from evaluation.claims.sentences import CachingParser, kept
from evaluation.judges import item_of
from evaluation.models import ClaimDivision

OF_CLAIMS = ("claim", "claim_citation")
"""The kinds of unit that are written here."""
PORTION = 200
"""Responses whose claims are stored in one transaction."""


@dataclass(slots=True)
class MadeClaims:
    """Counts of new and present claims."""

    responses: int = 0
    claims: int = 0
    present: int = 0


def remembered_parser(study: Study) -> str:
    """Return the name of the parser of the study's claims; empty without claims."""
    made = _divisions(study).order_by("pk").first()
    return "" if made is None else parser_in(made.signature)


def make_claims(
    study: Study,
    parser: Parser,
    *,
    again: bool = False,
    responses: Sequence[int] | None = None,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> MadeClaims:
    """Divide the cited statements of responses that have no claims yet.

    `again` first deletes claims of another parser, and is refused after someone was asked about
    them. `tell` receives the responses done and all, within the next transaction.
    """
    signature = claims_signature(parser)
    if again:
        _take_back(study, signature)
    else:
        _refuse_another(study, signature)
    current = Response.objects.current().filter(study=study)
    if responses is not None:
        current = current.filter(pk__in=responses)
    made = MadeClaims(present=current.filter(claim_division__isnull=False).count())
    todo = current.filter(claim_division__isnull=True).order_by("pk")
    total = todo.count()
    while portion := list(todo[:PORTION]):
        with transaction.atomic():
            tell(made.responses, total)
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            rest = list(todo.filter(pk__in=[r.pk for r in portion]))
            claims, trees = _write(rest, parser)
            made.claims += claims
            insert(
                [
                    ClaimDivision(response_id=r.pk, signature=signature, trees=trees.get(r.pk, []))
                    for r in rest
                ]
            )
        made.responses += len(rest)
    return made


def remember_trees(parser: object, responses: Sequence[int]) -> None:
    """Give a remembering parser the stored trees of these responses."""
    if not isinstance(parser, CachingParser):
        return
    own = ClaimDivision.objects.filter(
        response__in=responses, signature=claims_signature(parser)
    ).values_list("trees", flat=True)
    parser.remember(tree for trees in own for tree in trees)


def _refuse_another(study: Study, signature: str) -> None:
    other = _divisions(study).exclude(signature=signature).first()
    if other is not None:
        raise Refused(
            f"This study's claims were made otherwise ({other.signature}; now {signature}). Use "
            "the same parser or another study, or have all claims made again (--remake)."
        )


def _divisions(study: Study) -> QuerySet[ClaimDivision]:
    return ClaimDivision.objects.filter(response__study=study, response__live=True)


def _take_back(study: Study, signature: str) -> None:
    """Delete the claims that another parser made."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        others = _divisions(study).exclude(signature=signature)
        claims = Unit.objects.filter(
            response__in=others.values("response_id"), kind__in=OF_CLAIMS
        ).exclude(key__contains=WRITTEN)
        answers = Judgment.objects.filter(unit__in=claims).count()
        asking = [
            batch.name
            for batch in study.batches.exclude(pk__in=_batches_with_written_claims(study))
            if any(dimension.unit_kind in OF_CLAIMS for dimension in batch.dimension_list)
        ]
        if answers:
            raise Refused(
                "This study's claims cannot be made again: judges and raters gave "
                f"{answers:,} answers about them. Use another study."
            )
        if asking and claims.exists():
            raise Refused(
                "This study's claims cannot be made again: raters are asked about them in "
                f"“{asking[0]}”. Delete that batch, or use another study."
            )
        claims.filter(kind="claim_citation").delete()
        claims.delete()
        others.delete()


def _batches_with_written_claims(study: Study) -> list[int]:
    """Return the batches in which raters write the claims themselves."""
    from_nothing = study.batches.filter(claims_from=Batch.ClaimsFrom.NOTHING)
    return [batch.pk for batch in from_nothing if batch.writes_claims]


def _write(
    responses: Sequence[Response], parser: Parser
) -> tuple[int, dict[int, list[dict[str, Any]]]]:
    """Store claims and citations of some responses; return the number of claims, and trees by
    response."""
    statements = list(Unit.objects.filter(response__in=responses, kind="statement").order_by("pk"))
    marks: dict[int, list[Unit]] = {}
    for unit in Unit.objects.filter(response__in=responses, kind="citation").order_by("pk"):
        if unit.parent_id is not None:
            marks.setdefault(unit.parent_id, []).append(unit)
    cited = [statement for statement in statements if statement.pk in marks]
    marked = _marked(responses)
    texts = [marked[statement.response_id, statement.key] for statement in cited]
    claims: list[Unit] = []
    cited_by: list[tuple[Unit, tuple[int, ...], list[Unit]]] = []
    trees: dict[int, list[dict[str, Any]]] = {}
    for statement, division in zip(cited, divide(texts, parser), strict=True):
        tree = kept(statement.key, division)
        trees.setdefault(statement.response_id, []).append(tree)
        for ordinal, claim in enumerate(division.claims, 1):
            if not claim.citations:
                continue
            unit = Unit(
                response_id=statement.response_id,
                kind="claim",
                key=f"{statement.key}.a{ordinal}",
                parent=statement,
                ordinal=ordinal,
                text=claim.text,
                start=statement.start,
                end=statement.end,
            )
            claims.append(unit)
            cited_by.append((unit, claim.citations, marks[statement.pk]))
    insert(claims)
    insert([citation for each in cited_by for citation in _citations(*each)])
    return len(claims), trees


def _marked(responses: Sequence[Response]) -> dict[tuple[int, str], str]:
    """Return the statements of some responses with their marks, by response and key."""
    marked: dict[tuple[int, str], str] = {}
    by_blocks = [r.pk for r in responses if is_by_blocks(r.segmentation)]
    if by_blocks:
        study = responses[0].study
        for response, record in records_by_key(study, by_blocks):
            for statement in item_of(record, "", study.division).statements:
                marked[response.pk, statement.key] = statement.marked
    others = {r.pk for r in responses} - set(by_blocks)
    whole = dict(
        Unit.objects.filter(response__in=others, kind="response").values_list("response_id", "text")
    )
    for unit in Unit.objects.filter(response__in=others, kind="statement"):
        text = whole[unit.response_id][unit.start : unit.end]
        marked[unit.response_id, unit.key] = text.strip()
    return marked


def _citations(claim: Unit, numbers: Sequence[int], marks: Sequence[Unit]) -> Iterator[Unit]:
    """Yield the claim's citations, each at the first mark with its number."""
    first = {mark.number: mark for mark in reversed(marks)}
    for place, number in enumerate(numbers, 1):
        mark = first.get(number)
        yield Unit(
            response_id=claim.response_id,
            kind="claim_citation",
            key=f"{claim.key}.c{place}",
            parent=claim,
            ordinal=place,
            start=claim.start if mark is None else mark.start,
            end=claim.end if mark is None else mark.end,
            number=number,
            source_id=None if mark is None else mark.source_id,
        )
