"""`manage.py import_judgments STUDY FILE`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.management.loading import load_path
from annotate.management.lookup import find_study


class Command(BaseCommand):
    help = "Load judgments in the long form (CSV or JSON Lines), or those of TREC."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("file", type=Path)
        parser.add_argument("--judge", default="", help="its name, where the file has none")
        parser.add_argument(
            "--mapping",
            type=Path,
            help="what the columns of a table are (JSON), as the page saves it",
        )
        parser.add_argument(
            "--keep-good", action="store_true", help="load the good rows, list the bad ones"
        )
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace answers that differ; the earlier ones stay in the history",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        load_path(
            self,
            find_study(options["study"]),
            options["file"],
            kinds=("judgments",),
            system=options["judge"],
            mapping=options["mapping"],
            replace=options["replace"],
            keep_good=options["keep_good"],
        )
