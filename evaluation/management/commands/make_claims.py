"""`manage.py make_claims STUDY [--parser NAME]`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import find_study
from annotate.services.errors import Refused
from evaluation.claims.parsing import ParserError, load_parser
from evaluation.services.claims import make_claims


class Command(BaseCommand):
    help = "Divide a study's cited statements into atomic claims, as units that can be judged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--parser", default="", help="name or folder of a spaCy pipeline for English"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        try:
            made = make_claims(study, load_parser(options["parser"]))
        except (ParserError, Refused) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{made.claims:,} claims of {made.responses:,} responses are new; "
            f"{made.present:,} responses had theirs."
        )
