"""`manage.py export_judgments STUDY [--format csv|jsonl|parquet] [--counted] [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.export import streams
from annotate.management.lookup import find_study
from annotate.management.printing import cannot_write, write_lines


class Command(BaseCommand):
    help = "Write every judgment of a study, one row each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=["csv", "jsonl", "parquet"], default="csv")
        parser.add_argument(
            "--counted",
            action="store_true",
            help="without those of excluded raters, and in tasks that are not finished",
        )
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        path: Path | None = options["output"]
        counted: bool = options["counted"]
        if counted:
            number = streams.left_out(study)
            self.stderr.write(
                f"{number} judgments of excluded raters or in unfinished tasks left out."
            )
        if options["format"] == "parquet":
            if path is None:
                raise CommandError("Parquet is not text: name a file with --output.")
            try:
                count = streams.write_parquet(study, path, counted=counted)
            except OSError as error:
                raise cannot_write(path, error) from None
            self.stderr.write(f"{count} judgments.")
            return
        write = streams.judgments_csv if options["format"] == "csv" else streams.judgments_jsonl
        write_lines(self, write(study, counted=counted), path)
