"""`manage.py export_outputs STUDY [--questions] [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.exchange import streams
from annotate.management.lookup import study_to_export
from annotate.management.printing import offer_slices, write_lines


class Command(BaseCommand):
    help = "Write every response of a study, or its questions, in Attest's own format (JSON Lines)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument(
            "--questions",
            action="store_true",
            help="export questions with their ranked passages instead",
        )
        offer_slices(parser)
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_to_export(options["study"], "export_outputs")
        wanted = streams.question_lines if options["questions"] else streams.output_lines
        lines = wanted(study, slices=options["slice"])
        write_lines(self, lines, options["output"])
