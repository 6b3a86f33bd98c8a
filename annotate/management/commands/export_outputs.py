"""`manage.py export_outputs STUDY [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.export import streams
from annotate.management.lookup import study_to_export
from annotate.management.printing import offer_slices, write_lines


class Command(BaseCommand):
    help = "Write every response of a study in Attest's own format (JSON Lines)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        offer_slices(parser)
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_to_export(options["study"], "export_outputs")
        lines = streams.output_lines(study, slices=options["slice"])
        write_lines(self, lines, options["output"])
