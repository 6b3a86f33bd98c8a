"""`manage.py export_judgments STUDY [--format FORM] [--counted] [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.exchange import streams
from annotate.management.lookup import study_to_export
from annotate.management.printing import (
    as_wanted,
    cannot_write,
    offer_slices,
    offer_spreadsheet,
    write_lines,
)


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
        offer_slices(parser)
        offer_spreadsheet(parser)
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_to_export(options["study"], "export_judgments")
        path: Path | None = options["output"]
        counted: bool = options["counted"]
        write = streams.judgments_jsonl if options["format"] == "jsonl" else streams.judgments_csv
        rows = write(study, counted=counted, slices=options["slice"])
        lines = as_wanted(rows, options["format"], options)
        if counted:
            number = streams.left_out(study, options["slice"])
            self.stderr.write(
                f"{number} judgments of excluded raters or in unfinished tasks left out."
            )
        if options["format"] == "parquet":
            from annotate.exchange import parquet

            if path is None:
                raise CommandError("Parquet is not text: name a file with --output.")
            try:
                count = parquet.write_judgments(
                    study, path, counted=counted, slices=options["slice"]
                )
            except OSError as error:
                raise cannot_write(path, error) from None
            self.stderr.write(f"{count} judgments.")
            return
        write_lines(self, lines, path)
