"""`manage.py protocol STUDY [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.management.lookup import find_study
from annotate.management.printing import write_lines
from annotate.protocol.written import write
from annotate.studies.wordings import protocol_file_of


class Command(BaseCommand):
    help = (
        "Write what a study asks as a protocol file (YAML): its dimensions and numbers, its "
        "present guidelines, raters, citations and reading. Nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        text = write(protocol_file_of(find_study(options["study"])))
        write_lines(self, text.splitlines(keepends=True), options["output"])
