"""How similar the claims that people write are: to one another, and to the parser's.

For each group of marks and each pair of claims: the F1 of their shared words, and whether they have
the same words in the same order. The parser's claim is that of the group (see
`annotate/content/written_claims.py`). First the mean over the pairs of a group, then over the
groups:

    f1 = mean over groups g of (mean over pairs {a, b} of g of 2PR / (P + R))
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from annotate.content.written_claims import proposals
from annotate.models import Batch, Unit
from annotate.text.claim_from_words import compared_words
from evaluation.judges.short_answers import shared_f1
from evaluation.labels.study_labels import judgments_of, voting
from evaluation.statistics.ratings import Figure, undefined

Words = list[str]
Pair = tuple[Words, Words]

CHUNK = 500
"""Responses whose claims are in memory at a time."""


@dataclass(frozen=True, slots=True)
class ClaimAgreement:
    """The similarity of two kinds of claims: `groups` have both, in this number of `pairs`."""

    title: str
    groups: int
    pairs: int
    f1: Figure
    exact: Figure


def claim_agreement(batch: Batch) -> list[ClaimAgreement]:
    """Compare people's claims with one another and with the parser's, if people write claims."""
    if not batch.writes_claims:
        return []
    between: list[list[Pair]] = []
    with_parser: list[list[Pair]] = []
    responses = list(batch.items.order_by("response").values_list("response", flat=True))
    for first in range(0, len(responses), CHUNK):
        some = responses[first : first + CHUNK]
        parsers = _parsers(some)
        for unit, claims in _written(batch, some).items():
            between.append(list(combinations(claims, 2)))
            if unit in parsers:
                with_parser.append([(claim, parsers[unit]) for claim in claims])
    return [
        _agreement("Between people", between),
        _agreement("People and the parser", with_parser),
    ]


def _written(batch: Batch, responses: Sequence[int]) -> Mapping[int, list[Words]]:
    """Return the claims of each group that count."""
    rows = voting(judgments_of(batch.study, batch)).filter(
        dimension__in=batch.study.protocol.writing, unit__response__in=responses
    )
    found: dict[int, list[Words]] = {}
    for unit, claim in (
        rows.exclude(claim={}).order_by("unit_id", "judge_id").values_list("unit_id", "claim")
    ):
        found.setdefault(unit, []).append(compared_words(claim["text"]))
    return found


def _parsers(responses: Sequence[int]) -> Mapping[int, Words]:
    units = Unit.objects.filter(response__in=responses, kind__in=["claim", "claim_citation"])
    found = proposals(list(units.order_by("response_id", "pk")))
    return {unit: compared_words(text) for unit, text in found.items()}


def _agreement(title: str, groups: Iterable[list[Pair]]) -> ClaimAgreement:
    some = [pairs for pairs in groups if pairs]

    def of(value: Callable[[Words, Words], float]) -> Figure:
        if not some:
            return undefined("no group has two claims")
        return Figure(fmean(fmean(value(a, b) for a, b in pairs) for pairs in some))

    return ClaimAgreement(
        title=title,
        groups=len(some),
        pairs=sum(map(len, some)),
        f1=of(shared_f1),
        exact=of(lambda a, b: float(a == b)),
    )
