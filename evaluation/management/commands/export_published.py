"""`manage.py export_published STUDY --format FORMAT [--judge NAME] [--output FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotate.management.lookup import study_to_export
from annotate.management.printing import as_wanted, offer_slices, offer_spreadsheet, write_lines
from annotate.management.refusing import RefusingCommand
from evaluation.labels.export.published import FORMS, METHODS, published
from evaluation.labels.study_labels import Method, left_out


class Command(RefusingCommand):
    help = "Write a study in a format of published analyses, with people and one automatic judge."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=list(FORMS), required=True)
        parser.add_argument(
            "--judge", default="", help="the automatic judge; default: the first that has answered"
        )
        parser.add_argument(
            "--labels",
            choices=[method.value for method in METHODS],
            default=Method.MAJORITY.value,
            help="how one label is made of people's answers",
        )
        offer_slices(parser)
        offer_spreadsheet(parser)
        parser.add_argument("--output", type=Path, help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_to_export(options["study"], "export_published")
        lines = published(
            study,
            options["format"],
            judge=options["judge"],
            method=Method(options["labels"]),
            slices=options["slice"],
        )
        wanted = as_wanted(lines, FORMS[options["format"]].ending, options)
        write_lines(self, wanted, options["output"])
        if excluded := left_out(study, slices=options["slice"]):
            answers = "answer" if excluded == 1 else "answers"
            self.stderr.write(
                f"Left out, of excluded raters or unfinished tasks: {excluded} {answers}."
            )
