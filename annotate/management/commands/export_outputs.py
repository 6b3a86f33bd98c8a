"""`manage.py export_outputs STUDY [--output FILE]`."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate import exports
from annotate.management.lookup import find_study


class Command(BaseCommand):
    help = "Write every response of a study in Attest's own format (JSON Lines)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        lines = exports.output_lines(find_study(options["study"]))
        path: Path | None = options["output"]
        if path is None:
            for line in lines:
                sys.stdout.write(line)
            return
        with path.open("w", encoding="utf-8", newline="") as handle:
            handle.writelines(lines)
