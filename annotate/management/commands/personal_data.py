"""`manage.py personal_data STUDY`: show or erase a study's personal data."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotate.exchange.personal import personal_data
from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from annotate.models import Judge, Study
from annotate.people import leaving


class Command(RefusingCommand):
    help = "Write what a study knows of its people as JSON, or erase who its raters were."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="its address")
        parser.add_argument("--rater", default="", help="of this rater alone, such as rater-3")
        parser.add_argument("--erase", action="store_true", help="erase it instead; for good")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        judge = _rater(study, options["rater"]) if options["rater"] else None
        if not options["erase"]:
            found = personal_data(study, judge)
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        if judge is None:
            count = leaving.erase_people(study)
        else:
            leaving.erase_rater(judge)
            count = 1
        self.stdout.write(f"Erased: who {count:,} {'rater was' if count == 1 else 'raters were'}.")


def _rater(study: Study, name: str) -> Judge:
    found = study.judges.filter(name=name, kind=Judge.Kind.HUMAN).first()
    if found is None:
        raise CommandError(f"There is no rater “{name}” in this study.")
    return found
