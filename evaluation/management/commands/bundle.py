"""`manage.py bundle STUDY --out FILE [--anonymous] [filters]`."""

from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import study_to_export
from annotate.management.printing import cannot_write
from evaluation.management.filter_options import add_filters, filters_of
from evaluation.report_pages.bundle import write_bundle
from evaluation.reports.filters import FilterError


class Command(BaseCommand):
    help = "Write a study's report and all that it is made of into a zip."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument(
            "--anonymous", action="store_true", help="raters by number, without their notes"
        )
        add_filters(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study, path = study_to_export(options["study"], "bundle"), options["out"]
        half = path.with_name(f"{path.name}.part")
        try:
            with half.open("wb") as file:
                write_bundle(study, filters_of(options), file, anonymous=options["anonymous"])
            half.replace(path)
        except FilterError as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise cannot_write(path, problem) from None
        finally:
            with suppress(OSError):
                half.unlink()
        self.stdout.write(f"{path}: {path.stat().st_size:,} bytes.")
