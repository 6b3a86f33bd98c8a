"""`manage.py aggregate STUDY [--method majority|dawid-skene|adjudicated] [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import study_to_export
from annotate.management.printing import as_wanted, offer_slices, offer_spreadsheet, write_lines
from annotate.models import Batch
from evaluation.labels.study_labels import Method, labels_csv, left_out


class Command(BaseCommand):
    help = "Write one label for each rated unit, made of the raters' votes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument(
            "--method", choices=[method.value for method in Method], default=Method.MAJORITY.value
        )
        parser.add_argument("--batch", help="the name of a batch: only its ratings")
        offer_slices(parser)
        offer_spreadsheet(parser)
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_to_export(options["study"], "aggregate")
        batch = None
        if options["batch"]:
            batch = study.batches.filter(name=options["batch"]).first()
            if batch is None:
                names = Batch.objects.filter(study=study).values_list("name", flat=True)
                some = ", ".join(f"“{name}”" for name in names[:10]) or "none yet"
                raise CommandError(f"There is no batch “{options['batch']}”. Known: {some}.")
        slices = options["slice"]
        made = labels_csv(study, Method(options["method"]), batch, slices)
        lines = as_wanted(made, "csv", options)
        write_lines(self, lines, options["output"])
        excluded = left_out(study, batch, slices)
        if excluded:
            answers = "answer" if excluded == 1 else "answers"
            self.stderr.write(
                f"Left out, of excluded raters or unfinished tasks: {excluded} {answers}."
            )
