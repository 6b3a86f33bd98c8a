"""The atomic claims of one response: drawn trees and the faults of each claim."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from annotate import access
from annotate.access import Access
from annotate.models import Role
from annotate.web.messages import in_study, is_htmx
from evaluation.claims.drawing import draw
from evaluation.claims.parsing import parser_in
from evaluation.claims.quality import Quality, claim_qualities
from evaluation.claims.sentences import ParsedSentence, restored
from evaluation.models import ClaimDivision


class ShownTree(NamedTuple):
    """A statement's drawing, and its claims with their faults."""

    key: str
    division: ParsedSentence
    drawing: SafeString
    claims: list[tuple[str, str, Quality]]


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, response_id: int) -> HttpResponse:
    response = access.response_of(entered, response_id)
    division = ClaimDivision.objects.filter(response=response).first()
    trees = [] if division is None else [_shown(data) for data in division.trees]
    context = {
        "access": entered,
        "response": response,
        "division": division,
        "parser": "" if division is None else parser_in(division.signature),
        "trees": trees,
    }
    page = "claims/trees.html" if is_htmx(request) else "claims/page.html"
    return render(request, page, context)


def _shown(data: dict[str, object]) -> ShownTree:
    division = restored(data)
    key = str(data["key"])
    pairs = zip(division.claims, claim_qualities(division), strict=True)
    found = [(f"{key}.a{number}", claim.text, q) for number, (claim, q) in enumerate(pairs, 1)]
    # The drawing escapes every word of the text.
    return ShownTree(key, division, SafeString(draw(division, name=f"tree-{key}")), found)
