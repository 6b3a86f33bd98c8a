"""`manage.py post_edit STUDY SYSTEM {rerank,postcite,rerank-passages} --name NEW`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import find_study, find_systems
from annotate.models import Study
from annotate.text import SplitterError
from annotate.web.errors import Refused
from evaluation.generating.new_systems import WAYS, editing_by, post_edit
from evaluation.generating.postediting import Editing
from evaluation.judges import AutomaticJudge, JudgeError
from evaluation.judges.entailment import Asker, ScorerError
from evaluation.management.judge_options import add_judge_options, judge_of
from evaluation.runs.judge_making import DatabaseCache


class Command(BaseCommand):
    help = "Make a new system from an old one: choose samples, add citations, or order passages."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("system")
        parser.add_argument("way", choices=WAYS)
        parser.add_argument("--name", required=True, help="of the new system")
        parser.add_argument(
            "--by",
            choices=["recall", "probability"],
            default="recall",
            help="for rerank: which sample is the best",
        )
        parser.add_argument(
            "--encoder",
            metavar="FOLDER",
            help="for postcite: a sentence encoder instead of BM25",
        )
        add_judge_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        (system,) = find_systems(study, [options["system"]])
        try:
            way, asker = _way(study, options)
            new, outcomes = post_edit(system, way, name=options["name"])
        except (ScorerError, JudgeError, SplitterError, Refused) as error:
            raise CommandError(str(error)) from None
        say = self.stdout.write
        say(f"New system: {new.name}")
        say(new.description)
        for outcome, count in outcomes.most_common():
            say(f"{count:,} response{'' if count == 1 else 's'}: {outcome}")
        if new.uses_autoais:
            say("It counts as having used AutoAIS: its automatic score is not shown.")
        for wave, asked in asker.counts.items() if asker is not None else ():
            say(
                f"Pairs, {wave}: {asked.asked:,} asked, {asked.unique:,} different, "
                f"{asked.cached:,} known already, {asked.computed:,} computed"
            )


def _way(study: Study, options: dict[str, Any]) -> tuple[Editing, Asker | None]:
    """Return the method that the options describe, and the asker of its scorer, if it has one."""
    askers: list[Asker | None] = []

    def judge(name: str) -> AutomaticJudge:
        made, asker = judge_of(name, options, splitter=study.splitter, cache=DatabaseCache())
        askers.append(asker)
        return made

    way, by, encoder = options["way"], options["by"], options["encoder"] or ""
    made = editing_by(way, study.division, judge, by=by, encoder=encoder)
    return made, askers[0] if askers else None
