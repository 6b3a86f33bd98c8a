"""`manage.py restore FILE [--replace] [--check]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backups import BackupError, opened, restore


class Command(BaseCommand):
    help = "Put what `backup` wrote in the place of what is here: all of it, or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--replace", action="store_true", help="although the database here is not empty"
        )
        parser.add_argument(
            "--check", action="store_true", help="only say whether it is whole and fits here"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            backup = opened(path)
            manifest = backup.manifest
            about = (
                f"{path}: {manifest.rows:,} rows of {manifest.made_at} and "
                f"{len(manifest.files):,} uploaded files, by Attest {manifest.version}."
            )
            if options["check"]:
                self.stdout.write(f"{about} It is whole and fits.")
                return
            remarks = restore(backup, replace=options["replace"])
        except BackupError as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"{about} Restored.")
        for remark in remarks:
            self.stderr.write(remark)
