"""`manage.py make_claims STUDY [--parser NAME] [--remake]`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from annotate.management.lookup import find_study
from annotate.web.errors import Refused
from evaluation.claims.parsing import ParserError
from evaluation.management.judge_options import add_parser_option, chosen_parser
from evaluation.runs.parsed_claims import make_claims


class Command(BaseCommand):
    help = "Divide a study's cited statements into atomic claims, as units that can be judged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        add_parser_option(parser)
        parser.add_argument(
            "--remake",
            action="store_true",
            help="compute all claims again if another parser made them; refused if they were "
            "judged. Without --parser, the study's parser is also reset.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        try:
            parser = chosen_parser(options, None if options["remake"] else study)
            made = make_claims(study, parser, again=options["remake"])
        except (ParserError, Refused) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Parser: {parser.label}")
        self.stdout.write(
            f"{made.claims:,} claim{pluralize(made.claims)} of {made.responses:,} "
            f"response{pluralize(made.responses)} {pluralize(made.claims, 'is,are')} new; "
            f"{made.present:,} response{pluralize(made.present)} had theirs."
        )
