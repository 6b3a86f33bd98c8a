"""`manage.py import_outputs STUDY FILE`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotate.formats import formats_listed
from annotate.management.loading import load_path
from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from annotate.studies.lifecycle import read_strictly

KINDS = ("outputs", "references", "captures", "questions")


class Command(RefusingCommand):
    help = (
        "Load system outputs, questions with ranked passages, references of questions, or texts "
        "of sources. All of a file or nothing of it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = [each.key for each in formats_listed(*KINDS)]
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("file", type=Path, help="or a folder of tables")
        parser.add_argument("--format", choices=known, default="", help="default: from content")
        parser.add_argument("--system", default="", help="its name, where the file has none")
        parser.add_argument("--run", default="", help="its run (seed), where the file has none")
        parser.add_argument("--passages", type=Path, help="passages by id or address")
        parser.add_argument(
            "--mapping",
            type=Path,
            help="what the columns of a table are (JSON), as the page saves it",
        )
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
            study = read_strictly(study)
        load_path(
            self,
            study,
            options["file"],
            kinds=KINDS,
            passages=options["passages"],
            mapping=options["mapping"],
            format=options["format"],
            system=options["system"],
            run=options["run"],
            mode=options["mode"],
            replace=options["replace"],
            keep_good=options["keep_good"],
        )
