"""`manage.py improve_judge STUDY JUDGE [--dimension KEY] [--use WAY] [--part half|all]`."""

from argparse import ArgumentParser
from typing import Any

from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from annotate.web.errors import Refused
from evaluation.management.comparisons import comparison_lines
from evaluation.runs.improving import Improvement, improvable, improve, judge_called
from evaluation.runs.thresholds import use_threshold
from evaluation.statistics.chosen_threshold import PARTS, WAYS


class Command(RefusingCommand):
    help = "What the study's labels make of a judge, on questions that were held out; and using it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("judge", help="the judge's signature")
        parser.add_argument("--dimension", metavar="KEY", help="default: each that it answers")
        parser.add_argument("--use", choices=WAYS, help="make the judge that learned so")
        parser.add_argument("--part", choices=PARTS, default="half", help="of the questions")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        judge = judge_called(study, options["judge"])
        known = [d for d in improvable(judge) if options["dimension"] in (None, d.key)]
        if not known:
            raise Refused("This judge has no answers with scores to such a dimension.")
        for dimension in known:
            self._tell(improve(judge, dimension))
        if options["use"]:
            if len(known) > 1:
                raise Refused("Say for which dimension: --dimension KEY.")
            kept = use_threshold(
                study, judge.name, known[0].key, part=options["part"], way=options["use"]
            )
            self.stdout.write(
                f"“{kept.agreement['judge']}” is a judge of the study now; "
                f"{kept.units.count():,} labels are left out of its numbers."
            )

    def _tell(self, found: Improvement) -> None:
        self.stdout.write(found.dimension.title)
        if found.why_not:
            self.stdout.write(f"  {found.why_not}")
        for judge, one in found.comparisons:
            for line in comparison_lines(judge.title if judge else one.way, one):
                self.stdout.write(line)
