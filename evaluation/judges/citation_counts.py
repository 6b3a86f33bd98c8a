"""Recall and precision of citations, as ALCE counts them for statements and ALiiCE for claims."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.protocol.dimensions import IS_NEEDED
from evaluation.agreement.ratings import Figure, undefined
from evaluation.entailment.asking import FAILED
from evaluation.judges.items import Verdict
from evaluation.judges.support import BEYOND_CAP, UNSUPPORTABLE


@dataclass(frozen=True, slots=True)
class Counts:
    """What the verdicts on one response come to.

    `texts` statements or claims, of which `supported` are, and `spoilt` cite a number that no
    passage has; `citations` that count in texts that are not spoilt, of which `needed` are, and
    `spoilt_citations` that count in the others.
    """

    texts: int
    supported: int
    spoilt: int
    citations: int
    needed: int
    spoilt_citations: int


def counts(verdicts: Sequence[Verdict], recall: str, support: str) -> Counts:
    """Count the verdicts on one response; `recall` and `support` name the two dimensions."""
    texts = [verdict for verdict in verdicts if verdict.dimension == recall]
    cited = [v for v in verdicts if v.dimension == support and v.reason != BEYOND_CAP]
    spoilt = [verdict for verdict in cited if verdict.reason in UNSUPPORTABLE]
    return Counts(
        texts=len(texts),
        supported=sum(verdict.yes for verdict in texts),
        spoilt=len({verdict.unit.rpartition(".")[0] for verdict in spoilt}),
        citations=len(cited) - len(spoilt),
        needed=sum(verdict.value == IS_NEEDED for verdict in cited),
        spoilt_citations=len(spoilt),
    )


def failed(verdicts: Sequence[Verdict], dimension: str) -> Figure | None:
    """What a figure is where the scorer had no answer to something that it rests on."""
    own = (verdict for verdict in verdicts if verdict.dimension == dimension)
    reason = next((v.reason for v in own if v.reason and v.reason.startswith(FAILED)), "")
    return undefined(reason) if reason else None


def share(part: int, whole: int, reason: str) -> Figure:
    """`part` of `whole`, or the reason where there is nothing to take a part of."""
    return Figure(part / whole) if whole else undefined(reason)
