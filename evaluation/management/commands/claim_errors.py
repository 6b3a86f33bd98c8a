"""`manage.py claim_errors STUDY [--scorer …] [--rewrite-url URL --rewrite-model NAME] [--json]`."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from annotate.export.streams import response_records
from annotate.management.lookup import find_study, find_systems
from annotate.models import Study
from annotate.segment import SplitterError
from evaluation.claims.keeping import made_again
from evaluation.claims.rewriting import Rewriter
from evaluation.entailment import ScorerError
from evaluation.entailment.http import Http
from evaluation.judges.claim_errors import (
    Change,
    ClaimErrors,
    Divided,
    RewritingReport,
    as_data,
    claim_errors,
)
from evaluation.judges.items import item_of
from evaluation.management.judge_options import add_scorer_options, scorer_asker
from evaluation.models import ClaimDivision
from evaluation.running.known_entailments import DatabaseCache

EXAMPLES = 5
"""Changes shown in each direction; `--json` has all of them."""

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


class Command(BaseCommand):
    help = "Say how well a study's statements were divided into claims, and whether it matters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of them")
        add_scorer_options(parser)
        parser.add_argument(
            "--rewrite-url", default="", help="address of a chat model that rewrites faulty claims"
        )
        parser.add_argument("--rewrite-model", default="", help="the name of that model")
        parser.add_argument(
            "--rewrite-all", action="store_true", help="rewrite the sound claims, too"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        systems = find_systems(study, options["systems"] or ())
        taken = [system for system in systems if not system.uses_autoais]
        left_out = [system.name for system in systems if system.uses_autoais]
        divisions = ClaimDivision.objects.filter(
            response__in=study.responses.current().filter(system__in=taken)
        )
        first = divisions.first()
        if first is None:
            raise CommandError(
                "None of these responses has claims yet. "
                f"Run this first: manage.py make_claims {study.slug}"
            )
        total = study.responses.current().filter(system__in=taken).count()
        analysed = divisions.count()
        try:
            rewriter = _rewriter(options)
            report = claim_errors(
                _divided(study, {system.pk for system in taken}),
                scorer_asker(options, DatabaseCache()),
                claims=first.signature,
                rewriter=rewriter,
                everything=options["rewrite_all"],
            )
        except (ScorerError, SplitterError) as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            counts = {"responses": analysed, "without_claims": total - analysed}
            made = as_data(report) | counts | {"left_out": left_out}
            self.stdout.write(json.dumps(made, ensure_ascii=False, indent=2))
            return
        self.stdout.write(f"{analysed:,} response{pluralize(analysed)}; {report.signature}")
        if more := total - analysed:
            self.stdout.write(
                f"{more:,} more {pluralize(more, 'has,have')} no claims yet: "
                f"manage.py make_claims {study.slug}"
            )
        if left_out:
            self.stdout.write(
                f"Left out, since they used the metric themselves: {', '.join(left_out)}"
            )
        for line in _lines(report):
            self.stdout.write(line)


def _rewriter(options: dict[str, Any]) -> Rewriter | None:
    url, model = options["rewrite_url"], options["rewrite_model"]
    if bool(url) != bool(model):
        raise CommandError("Give --rewrite-url and --rewrite-model together.")
    if not url and options["rewrite_all"]:
        raise CommandError("--rewrite-all needs --rewrite-url and --rewrite-model.")
    return Rewriter(Http(url, mode="chat", model=model)) if url else None


def _divided(study: Study, systems: set[int]) -> Iterator[Divided]:
    """The statements that have a tree, some hundreds of responses at once."""
    for records in response_records(study):
        wanted = [(response, r) for response, r in records if response.system_id in systems]
        found = ClaimDivision.objects.filter(response__in=[response for response, _ in wanted])
        trees = {division.response_id: division.trees for division in found}
        for response, record in wanted:
            item = item_of(record, str(response.pk), study.division)
            statements = {statement.key: statement for statement in item.statements}
            for tree in trees.get(response.pk, ()):
                statement = statements.get(tree["key"])
                if statement is None:
                    raise CommandError(
                        f"Response {item.key} has no statement {tree['key']}: it was divided by "
                        "another version of Attest. Load it again into a new study."
                    )
                yield Divided(item.key, statement, made_again(tree))


def _lines(report: ClaimErrors) -> Iterator[str]:
    yield f"{'':38}{'claims':>8}{'supported':>11}"
    for kind, row in report.rows.items():
        share = "–" if row.share is None else f"{row.share:.1%}"
        yield f"{NAMES[kind]:38}{row.claims:>8,}{row.supported:>11,}{share:>8}"
    if missing := report.rows["all"].out_of_range:
        yield f"Not supported since they cite a passage that is not there: {missing:,}"
    if report.wordless:
        yield f"Statements that cite but have no word: {report.wordless:,}"
    if report.rewriting is not None:
        yield from _rewriting_lines(report.rewriting)


def _rewriting_lines(found: RewritingReport) -> Iterator[str]:
    yield (
        f"Rewritten: {found.asked:,} claims; {found.same:,} came back as they were, "
        f"{found.refused['empty']:,} without a word and {found.refused['marked']:,} with a "
        "citation mark, which stay as they were."
    )
    changed = len(found.gained) + len(found.lost)
    yield (
        f"Decisions that change: {changed:,} of {found.asked:,}; supported before "
        f"{found.supported_before:,}, after {found.supported_after:,}."
    )
    yield f"Supported only when rewritten: {len(found.gained):,}"
    yield from _examples(found.gained)
    yield f"Supported only as they were: {len(found.lost):,}"
    yield from _examples(found.lost)


def _examples(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes[:EXAMPLES]:
        scores = f"{change.before.score:.2f} → {change.after.score:.2f}"
        yield f"  {change.response} {change.key}  {scores}  {change.claim}  →  {change.rewritten}"
