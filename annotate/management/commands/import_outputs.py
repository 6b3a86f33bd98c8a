"""`manage.py import_outputs STUDY FILE`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.formats import formats_listed
from annotate.management.loading import load_path
from annotate.management.lookup import find_study
from annotate.services.errors import Refused
from annotate.services.studies import read_strictly


class Command(BaseCommand):
    help = "Load system outputs, or references of questions. All of a file or nothing of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = [each.key for each in formats_listed("outputs", "references")]
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=known, default="", help="default: from content")
        parser.add_argument("--system", default="", help="its name, where the file has none")
        parser.add_argument("--run", default="", help="its run (seed), where the file has none")
        parser.add_argument("--passages", type=Path, help="passages by id (JSON Lines)")
        parser.add_argument(
            "--strict-marks",
            action="store_true",
            help="read marks as ALCE's released code does; sets the study while it is empty",
        )
        parser.add_argument(
            "--keep-good", action="store_true", help="load the good records, list the bad ones"
        )
        parser.add_argument(
            "--replace", action="store_true", help="replace responses and references that changed"
        )
        parser.add_argument("--mode", choices=["auto", "sentences", "list"], default="auto")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if options["strict_marks"]:
            try:
                study = read_strictly(study)
            except Refused as refusal:
                raise CommandError(str(refusal)) from None
        load_path(
            self,
            study,
            options["file"],
            kinds=("outputs", "references"),
            passages=options["passages"],
            format=options["format"],
            system=options["system"],
            run=options["run"],
            mode=options["mode"],
            replace=options["replace"],
            keep_good=options["keep_good"],
        )
