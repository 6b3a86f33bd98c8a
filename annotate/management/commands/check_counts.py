"""`manage.py check_counts STUDY [--again]`."""

from argparse import ArgumentParser
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.content import counts
from annotate.content.counts.checking import LIMIT, differences
from annotate.management.lookup import find_study


class Command(BaseCommand):
    help = "Count all of a study again and compare the result with the kept counts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--again", action="store_true", help="first delete the kept counts")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if options["again"]:
            counts.reset(study)
        if found := list(islice(differences(study), LIMIT)):
            self.stdout.write("\n".join(found))
            raise CommandError(
                "The kept counts differ from a fresh count. Count again with --again, and report "
                "the differences above."
            )
        self.stdout.write("The kept counts equal a fresh count.")
