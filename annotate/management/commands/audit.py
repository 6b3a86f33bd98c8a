"""`manage.py audit [--csv FILE [--study STUDY]] [--forget-addresses-before DAY]`."""

from argparse import ArgumentParser
from datetime import datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date

from annotate.management.lookup import find_study
from annotate.management.printing import write_lines
from annotate.studies import audit_log
from annotate.web import audit


class Command(BaseCommand):
    help = "Checks that the record of what was done is whole; writes it as CSV; forgets addresses."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--csv", type=Path, help="write the entries to this file")
        parser.add_argument("--study", help="with --csv: only those of the study with this address")
        parser.add_argument(
            "--forget-addresses-before",
            metavar="DAY",
            help="blank from where things were done before this day (2026-01-31); the chain holds",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["forget_addresses_before"]:
            self.forget(options["forget_addresses_before"])
        if options["csv"]:
            study = find_study(options["study"]) if options["study"] else None
            write_lines(self, audit_log.csv_lines(audit_log.entries_of(study)), options["csv"])
        verdict = audit.verify()
        if verdict.fault:
            raise CommandError(f"The chain is broken. {verdict.fault}")
        self.stdout.write(f"The chain holds: {verdict.length} entries, last hash {verdict.last}.")
        if verdict.waiting:
            self.stdout.write(f"{verdict.waiting} more will be put into it in a moment.")

    def forget(self, text: str) -> None:
        try:
            day = parse_date(text)
        except ValueError:
            day = None
        if day is None:
            raise CommandError(f"--forget-addresses-before: expected a day, found {text!r}.")
        count = audit.blank_addresses(timezone.make_aware(datetime.combine(day, time.min)))
        self.stdout.write(f"{count} addresses were forgotten.")
