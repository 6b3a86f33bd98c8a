"""Analyse how a study's claims were divided and how that affects their support."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.template.defaultfilters import pluralize

from annotate.exchange.streams import response_records
from annotate.models import Study, System
from annotate.web.errors import Refused
from evaluation.claims.rewriting import Rewriter
from evaluation.claims.sentences import restored
from evaluation.judges.claim_errors import (
    ClaimErrors,
    DividedStatement,
    RewritingReport,
    claim_errors,
)
from evaluation.judges.entailment import Asker
from evaluation.judges.items import item_of
from evaluation.models import ClaimDivision
from evaluation.runs.tables import DIGITS, ResultTable, table
from evaluation.statistics.ratings import Figure, undefined

NAMES = {
    "all": "all claims",
    "sound": "sound",
    "faulty": "faulty",
    "long": "  whole sentence: too long to divide",
    "root": "  whole sentence: its root is cited",
    "roots": "  whole sentence: several roots",
    "lost_verb": "  lost the verb",
    "lost_subject": "  lost the subject",
}

SHOWN = 50
"""Changed claims in each direction in a table."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """An analysis and the responses it covers."""

    study: Study
    report: ClaimErrors
    responses: int
    without_claims: int
    left_out: list[str]
    """Systems that used the metric."""

    def lines(self) -> Iterator[str]:
        yield f"{self.responses:,} response{pluralize(self.responses)}; {self.report.signature}"
        if more := self.without_claims:
            yield (
                f"{more:,} more {pluralize(more, 'has,have')} no claims yet: "
                f"manage.py make_claims {self.study.slug}"
            )
        if self.left_out:
            yield f"Left out, since they used the metric themselves: {', '.join(self.left_out)}"


def analysed(
    study: Study,
    systems: Sequence[System],
    asker: Asker,
    rewriter: Rewriter | None = None,
    *,
    everything: bool = False,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> Analysed:
    """Analyse the claims of some systems. `tell` receives the number of responses read, and of
    all."""
    taken = [system for system in systems if not system.uses_autoais]
    current = study.responses.current().filter(system__in=taken)
    divisions = ClaimDivision.objects.filter(response__in=current)
    first = divisions.first()
    if first is None:
        raise Refused(
            "None of these responses has claims yet. Have them made first, on the page Tools or "
            f"by: manage.py make_claims {study.slug}"
        )
    count = divisions.count()
    report = claim_errors(
        _divided(study, {system.pk for system in taken}, lambda done: tell(done, count)),
        asker,
        claims=first.signature,
        rewriter=rewriter,
        everything=everything,
    )
    left_out = [system.name for system in systems if system.uses_autoais]
    return Analysed(study, report, count, current.count() - count, left_out)


def _divided(
    study: Study, systems: set[int], tell: Callable[[int], object]
) -> Iterator[DividedStatement]:
    """Yield the parsed statements, some hundred responses at a time."""
    done = 0
    for records in response_records(study):
        tell(done)
        wanted = [(response, r) for response, r in records if response.system_id in systems]
        found = ClaimDivision.objects.filter(response__in=[response for response, _ in wanted])
        trees = {division.response_id: division.trees for division in found}
        done += len(trees)
        for response, record in wanted:
            item = item_of(record, str(response.pk), study.division)
            statements = {statement.key: statement for statement in item.statements}
            for tree in trees.get(response.pk, ()):
                statement = statements.get(tree["key"])
                if statement is None:
                    raise Refused(
                        f"Response {item.key} has no statement {tree['key']}: it was divided by "
                        "another version of Attest. Load it again into a new study."
                    )
                yield DividedStatement(item.key, statement, restored(tree))


def notes_of(report: ClaimErrors) -> Iterator[str]:
    """Yield notes on the counts of claims."""
    if missing := report.rows["all"].out_of_range:
        yield f"Not supported since they cite a passage that is not there: {missing:,}"
    if report.wordless:
        yield f"Statements that cite but have no word: {report.wordless:,}"
    if report.rewriting is not None:
        yield from _of_rewriting(report.rewriting)


def _of_rewriting(found: RewritingReport) -> Iterator[str]:
    refused = found.refused
    yield (
        f"Rewritten: {found.asked:,} claims; {found.same:,} came back as they were, "
        f"{refused['empty']:,} without a word and {refused['marked']:,} with a citation mark, "
        f"{refused['unanswered']:,} got no answer; these stay as they were."
    )
    changed, share = len(found.gained) + len(found.lost), found.changed.value
    yield (
        f"Decisions that change: {changed:,} of {found.asked:,}"
        f"{'' if share is None else f' ({share:.1%})'}; supported before "
        f"{found.supported_before:,}, after {found.supported_after:,}."
    )


def tables_of(report: ClaimErrors) -> list[ResultTable]:
    """Return tables of claims by fault, and of decisions that change after rewriting."""
    rows = [
        {
            "kind": NAMES[kind].strip(),
            "claims": row.claims,
            "supported": row.supported,
            "share": undefined("no claims") if row.share is None else Figure(row.share),
        }
        for kind, row in report.rows.items()
    ]
    columns = {"kind": "Claims", "claims": "How many", "supported": "Supported", "share": "Share"}
    found = [table("Claims by how they were divided", columns, rows)]
    if report.rewriting is not None:
        changes = [
            {
                "where": f"{one.response} {one.key}",
                "claim": one.claim,
                "rewritten": one.rewritten,
                "scores": f"{one.before.score:.{DIGITS}f} → {one.after.score:.{DIGITS}f}",
            }
            for side in (report.rewriting.gained, report.rewriting.lost)
            for one in side[:SHOWN]
        ]
        columns = {
            "where": "Response, claim", "claim": "As it was", "rewritten": "Rewritten",
            "scores": "Score",
        }  # fmt: skip
        found.append(table("Claims that are decided otherwise when rewritten", columns, changes))
    return found
