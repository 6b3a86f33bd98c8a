"""`manage.py combine_judges STUDY --judges JUDGE … --dimensions KEY … [--use WAY] [--part …]`."""

from argparse import ArgumentParser
from typing import Any

from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from evaluation.management.comparisons import comparison_lines
from evaluation.runs.juries import TriedDimension, form_jury, judges_called, try_jury
from evaluation.statistics.chosen_threshold import PARTS
from evaluation.statistics.juries import METHODS


class Command(RefusingCommand):
    help = "What several judges are worth together, on questions that were held out; and using it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--judges", nargs="+", required=True, help="their signatures")
        parser.add_argument("--dimensions", nargs="+", required=True, metavar="KEY")
        parser.add_argument("--use", choices=METHODS, help="make the jury that decides so")
        parser.add_argument("--part", choices=PARTS, default="half", help="of the questions")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        judges = judges_called(study, options["judges"])
        if not options["use"]:
            for one in try_jury(study, judges, options["dimensions"]):
                self._tell(one)
            return
        made = form_jury(study, judges, options["dimensions"], options["use"], part=options["part"])
        self.stdout.write(f"“{made.judge.name}” is a judge of the study now.")

    def _tell(self, one: TriedDimension) -> None:
        self.stdout.write(one.dimension.title)
        if one.why_not:
            self.stdout.write(f"  {one.why_not}")
        for judge, kappa in one.alone:
            number = "undefined" if kappa is None else f"{kappa:.3f}"
            self.stdout.write(f"  {judge.title}, alone: kappa {number}")
        for way in one.trial.ways if one.trial else ():
            for line in comparison_lines(way.way, way):
                self.stdout.write(line)
