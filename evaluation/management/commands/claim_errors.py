"""`manage.py claim_errors STUDY [--scorer …] [--rewriter CONNECTION] [--json]`."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import find_study, find_systems
from annotate.models import Study
from annotate.text import SplitterError
from annotate.web.errors import Refused
from evaluation.judges.claim_errors import ClaimErrors, DecisionChange, as_data
from evaluation.judges.entailment import ScorerError
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.claims import ModelRewriter
from evaluation.language_models.asking_models import MODEL, client_for, pacer_for
from evaluation.language_models.connections import refuse_disallowed
from evaluation.language_models.model_calls import StudyCalls
from evaluation.management.judge_options import add_scorer_options, scorer_asker
from evaluation.runs.claim_errors import NAMES, analysed, notes_of
from evaluation.runs.judge_making import DatabaseCache

EXAMPLES = 5
"""Changes shown in each direction; `--json` has all of them."""


class Command(BaseCommand):
    help = "Say how well a study's statements were divided into claims, and whether it matters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of them")
        add_scorer_options(parser)
        parser.add_argument(
            "--rewriter", default="", metavar="NAME",
            help="the connection to a language model that rewrites faulty claims",
        )  # fmt: skip
        parser.add_argument("--rewrite-all", action="store_true", help="also rewrite sound claims")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        systems = find_systems(study, options["systems"] or ())
        try:
            found = analysed(
                study,
                systems,
                scorer_asker(options, DatabaseCache()),
                _rewriter(study, options),
                everything=options["rewrite_all"],
            )
        except (Refused, ScorerError, SplitterError) as error:
            raise CommandError(str(error)) from None
        report = found.report
        if options["json"]:
            counts = {"responses": found.responses, "without_claims": found.without_claims}
            made = as_data(report) | counts | {"left_out": found.left_out}
            self.stdout.write(json.dumps(made, ensure_ascii=False, indent=2))
            return
        for line in (*found.lines(), *_lines(report)):
            self.stdout.write(line)


def _rewriter(study: Study, options: dict[str, Any]) -> ModelRewriter | None:
    """Return a rewriter by a connection; the study keeps its answers for later runs."""
    name = options["rewriter"]
    if not name:
        if options["rewrite_all"]:
            raise CommandError("--rewrite-all needs --rewriter, the name of a connection.")
        return None
    settings = JudgeSettings(MODEL, "", connection=name)
    connection = refuse_disallowed(settings, study, None, by_operator=True)
    assert connection is not None
    calls = StudyCalls(study, None, connection, uuid4().hex)
    speaker = client_for(connection, settings)
    return ModelRewriter(Caller(speaker, calls, pace=pacer_for(connection, settings)))


def _lines(report: ClaimErrors) -> Iterator[str]:
    yield f"{'':38}{'claims':>8}{'supported':>11}"
    for kind, row in report.rows.items():
        share = "–" if row.share is None else f"{row.share:.1%}"
        yield f"{NAMES[kind]:38}{row.claims:>8,}{row.supported:>11,}{share:>8}"
    yield from notes_of(report)
    if (found := report.rewriting) is not None:
        yield f"Supported only when rewritten: {len(found.gained):,}"
        yield from _examples(found.gained)
        yield f"Supported only as they were: {len(found.lost):,}"
        yield from _examples(found.lost)


def _examples(changes: Sequence[DecisionChange]) -> Iterator[str]:
    for change in changes[:EXAMPLES]:
        scores = f"{change.before.score:.2f} → {change.after.score:.2f}"
        yield f"  {change.response} {change.key}  {scores}  {change.claim}  →  {change.rewritten}"
