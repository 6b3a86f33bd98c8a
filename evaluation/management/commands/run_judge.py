"""`manage.py run_judge STUDY JUDGE [--scorer …] [--systems …]`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import find_study, find_systems
from annotate.segment import SplitterError
from annotate.services.errors import Refused
from evaluation.claims.parsing import ParserError
from evaluation.entailment import Asker, ScorerError
from evaluation.judges import JUDGES, JudgeError
from evaluation.management.judge_options import (
    add_judge_options,
    asker_of,
    judge_of,
    lengths_said,
)
from evaluation.services.judging import Outcome, judge_study
from evaluation.services.known_entailments import DatabaseCache


class Command(BaseCommand):
    help = "Judge a study's responses automatically and keep the verdicts. Again: nothing changes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("judge", choices=list(JUDGES))
        parser.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of them")
        add_judge_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        systems = find_systems(study, options["systems"] or ())
        name: str = options["judge"]
        try:
            asker = asker_of(name, options, DatabaseCache())
            judge = judge_of(name, asker, options, splitter=study.splitter, study=study)
            outcome = judge_study(study, judge, systems=systems)
        except (ScorerError, JudgeError, SplitterError, ParserError, Refused) as error:
            raise CommandError(str(error)) from None
        self._report(outcome, asker)

    def _report(self, outcome: Outcome, asker: Asker | None) -> None:
        say = self.stdout.write
        say(f"Judge: {outcome.name}")
        if outcome.judge is None:
            say("No response of these systems is to be judged, so nothing was written.")
        say(
            f"{outcome.responses:,} responses: {outcome.new:,} judgments are new, "
            f"{outcome.changed:,} changed, {outcome.unchanged:,} as before; "
            f"{outcome.measures:,} measures."
        )
        for reason, count in outcome.not_judged.most_common():
            say(f"Not judged, {reason}: {count:,}")
        if outcome.left_out:
            say(f"Left out, since they used the metric themselves: {', '.join(outcome.left_out)}")
        for wave, asked in asker.counts.items() if asker is not None else ():
            say(
                f"Pairs, {wave}: {asked.asked:,} asked, {asked.unique:,} different, "
                f"{asked.cached:,} known already, {asked.computed:,} computed"
            )
        for line in lengths_said(asker):
            say(line)
