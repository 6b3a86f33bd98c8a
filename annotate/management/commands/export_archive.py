"""`manage.py export_archive STUDY --as tables|dataset|label-studio --output FILE`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotate.exchange.dataset import write_dataset
from annotate.exchange.label_studio import write_label_studio
from annotate.exchange.zip_export import write_tables
from annotate.management.lookup import study_to_export
from annotate.management.printing import cannot_write, offer_slices, offer_spreadsheet
from annotate.management.refusing import RefusingCommand


class Command(RefusingCommand):
    help = "Write a whole study into one zip: tables, a data set, or projects of Label Studio."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        forms = ["tables", "dataset", "label-studio"]
        parser.add_argument("--as", dest="form", choices=forms, default="tables")
        parser.add_argument(
            "--licence", default="", help="of a data set: the licence's short name, as cc-by-4.0"
        )
        parser.add_argument(
            "--split",
            default="",
            metavar="KEY",
            help="of a data set: the key of metadata whose values are its splits, else dataset",
        )
        offer_slices(parser)
        offer_spreadsheet(parser)
        parser.add_argument("--output", type=Path, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_to_export(options["study"], "export_archive")
        path, slices = options["output"], options["slice"]
        try:
            if options["form"] == "tables":
                safe = options["spreadsheet"]
                write_tables(study, path, for_spreadsheets=safe, slices=slices)
            elif options["form"] == "label-studio":
                write_label_studio(study, path, slices=slices)
            else:
                named = {"licence": options["licence"], "split": options["split"]}
                write_dataset(study, path, **named, slices=slices)
        except OSError as error:
            raise cannot_write(path, error) from None
        self.stderr.write(f"Written: {path}")
