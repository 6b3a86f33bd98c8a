"""ALiiCE's error analysis: faults of the division into claims, and their effect on
support.

Claims are counted by quality (`evaluation/claims/quality.py`), with the supported share of each
kind. With a rewriter, claims that lost words are judged again after rewriting: a changed decision
was due to the words, not the citation.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.claims.quality import Quality, claim_qualities
from evaluation.claims.rewriting import CutClaim, Rewriter, Rewriting
from evaluation.claims.sentences import ParsedSentence
from evaluation.judges.entailment import Asker, Decision
from evaluation.judges.items import ItemStatement
from evaluation.judges.judge import signed
from evaluation.judges.support import JOINT
from evaluation.statistics.ratings import Figure, undefined

VERSION = 1
REWRITTEN = "rewritten"
"""The wave of rewritten claims."""

KINDS = ("all", "sound", "faulty", "long", "root", "roots", "lost_verb", "lost_subject")
"""Kinds of claims: `faulty` is not `sound`; `long`, `root` and `roots` are fallbacks. A
claim may have lost both verb and subject."""


@dataclass(frozen=True, slots=True)
class DividedStatement:
    """A statement of a response and its division."""

    response: str
    statement: ItemStatement
    division: ParsedSentence


@dataclass(slots=True)
class KindRow:
    """Counts of one kind of claim; `out_of_range` claims cite a number without a passage."""

    claims: int = 0
    supported: int = 0
    out_of_range: int = 0

    @property
    def share(self) -> float | None:
        """Return the supported share; None without claims."""
        return self.supported / self.claims if self.claims else None


@dataclass(frozen=True, slots=True)
class DecisionChange:
    """A claim whose decision changes when it is rewritten."""

    response: str
    key: str
    sentence: str
    claim: str
    rewritten: str
    before: Decision
    after: Decision


@dataclass(slots=True)
class RewritingReport:
    """Counts of rewritten claims. Some rewritings were refused (by reason) or equal. Claims in
    `gained` became supported, claims in `lost` no longer are."""

    asked: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    same: int = 0
    supported_before: int = 0
    supported_after: int = 0
    gained: list[DecisionChange] = field(default_factory=list)
    lost: list[DecisionChange] = field(default_factory=list)

    @property
    def changed(self) -> Figure:
        """Return the share of claims whose entailment changes."""
        if not self.asked:
            return undefined("no claim was rewritten")
        return Figure((len(self.gained) + len(self.lost)) / self.asked)


@dataclass(slots=True)
class ClaimErrors:
    """The analysis. `wordless` statements cite, but have no word."""

    signature: str
    rows: dict[str, KindRow]
    wordless: int = 0
    rewriting: RewritingReport | None = None


@dataclass(slots=True)
class _Found:
    """A claim with its decision; `premise` is None if it cites a missing passage."""

    response: str
    key: str
    sentence: str
    text: str
    quality: Quality
    premise: str | None
    decision: Decision | None = None

    @property
    def supported(self) -> bool:
        return self.decision is not None and self.decision.entailed


def claim_errors(
    divided: Iterable[DividedStatement],
    asker: Asker,
    *,
    claims: str,
    rewriter: Rewriter | None = None,
    everything: bool = False,
) -> ClaimErrors:
    """Analyse claims; `claims` is the signature under which they were made.

    Claims that lost verb or subject are rewritten, with `everything` also sound ones. A fallback is
    a whole sentence, so there is nothing to restore.
    """
    signature = signed(
        "claim_errors",
        asker=asker,
        version=VERSION,
        claims=claims,
        rewritten="none" if rewriter is None else "all" if everything else "faulty",
        rewriter="none" if rewriter is None else rewriter.signature,
    )
    report = ClaimErrors(signature, {kind: KindRow() for kind in KINDS})
    found: list[_Found] = []
    for one in divided:
        if one.division.parse.words:
            found += _claims(one)
        else:
            report.wordless += 1
    asked = [(claim, claim.premise) for claim in found if claim.premise is not None]
    decisions = asker.decide([(premise, claim.text) for claim, premise in asked], wave=JOINT)
    for (claim, _), decision in zip(asked, decisions, strict=True):
        claim.decision = decision
    for claim in found:
        for kind in _kinds(claim.quality):
            row = report.rows[kind]
            row.claims += 1
            row.supported += claim.supported
            row.out_of_range += claim.premise is None
    if rewriter is not None:
        report.rewriting = _rewriting(found, asker, rewriter, everything)
    return report


def as_data(report: ClaimErrors) -> dict[str, Any]:
    """Return the analysis as plain data."""
    data: dict[str, Any] = {
        kind: {
            "claims": row.claims,
            "supported": row.supported,
            "share": row.share,
            "out_of_range": row.out_of_range,
        }
        for kind, row in report.rows.items()
    }
    made: dict[str, Any] = {
        "kinds": data,
        "wordless_statements": report.wordless,
        "signature": report.signature,
    }
    if (rewriting := report.rewriting) is not None:
        made["rewriting"] = {
            "asked": rewriting.asked,
            "refused": dict(rewriting.refused),
            "same": rewriting.same,
            "changed": rewriting.changed.value,
            "supported_before": rewriting.supported_before,
            "supported_after": rewriting.supported_after,
            "gained": [_change(change) for change in rewriting.gained],
            "lost": [_change(change) for change in rewriting.lost],
        }
    return made


def _change(change: DecisionChange) -> dict[str, Any]:
    return {
        "response": change.response,
        "claim_key": change.key,
        "sentence": change.sentence,
        "claim": change.claim,
        "rewritten": change.rewritten,
        "score_before": change.before.score,
        "score_after": change.after.score,
    }


def _claims(one: DividedStatement) -> Iterator[_Found]:
    """Yield the citing claims of a statement, with all passages as one premise like the judge
    `aliice`."""
    qualities = claim_qualities(one.division)
    for ordinal, (claim, quality) in enumerate(zip(one.division.claims, qualities, strict=True), 1):
        if not claim.citations:
            continue
        passages = [one.statement.passage(number) for number in claim.citations]
        there = [passage.premise for passage in passages if passage is not None]
        premise = "\n".join(there) if len(there) == len(passages) else None
        key = f"{one.statement.key}.a{ordinal}"
        yield _Found(one.response, key, one.division.sentence, claim.text, quality, premise)


def _kinds(quality: Quality) -> Iterator[str]:
    yield "all"
    yield "sound" if quality.sound else "faulty"
    if quality.fallback:
        yield quality.fallback
    if quality.lost_verb:
        yield "lost_verb"
    if quality.lost_subject:
        yield "lost_subject"


def _rewriting(
    found: Sequence[_Found], asker: Asker, rewriter: Rewriter, everything: bool
) -> RewritingReport:
    """Rewrite claims with a decision; claims without one can never be supported."""
    taken = [
        (claim, claim.premise, claim.decision)
        for claim in found
        if claim.premise is not None
        and claim.decision is not None
        and not claim.quality.fallback
        and (everything or not claim.quality.sound)
    ]
    made = rewriter.rewrite([CutClaim(claim.sentence, claim.text) for claim, _, _ in taken])
    pairs = [(premise, one.text) for (_, premise, _), one in zip(taken, made, strict=True)]
    after = asker.decide(pairs, wave=REWRITTEN)
    report = RewritingReport(asked=len(taken))
    for (claim, _, before), one, now in zip(taken, made, after, strict=True):
        if one.refused:
            report.refused[one.refused] += 1
        else:
            report.same += one.text == claim.text
        report.supported_before += before.entailed
        report.supported_after += now.entailed
        if before.entailed != now.entailed:
            changes = report.gained if now.entailed else report.lost
            changes.append(_changed(claim, one, before, now))
    return report


def _changed(claim: _Found, one: Rewriting, before: Decision, after: Decision) -> DecisionChange:
    return DecisionChange(
        claim.response, claim.key, claim.sentence, claim.text, one.text, before, after
    )
