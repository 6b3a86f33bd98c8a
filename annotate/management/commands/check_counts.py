"""`manage.py check_counts STUDY [--again]`."""

from argparse import ArgumentParser
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import find_study
from annotate.services import counts
from annotate.services.counts.checking import MOST, differences


class Command(BaseCommand):
    help = "Count all of a study anew, and say whether the counts that are kept are the same."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument(
            "--again", action="store_true", help="first have everything counted and kept anew"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if options["again"]:
            counts.start_over(study)
        if found := list(islice(differences(study), MOST)):
            self.stdout.write("\n".join(found))
            raise CommandError(
                "What is kept is not what there is. Have it counted anew with --again, and tell "
                "who looks after Attest what stands above."
            )
        self.stdout.write("What is kept is equal to what there is.")
