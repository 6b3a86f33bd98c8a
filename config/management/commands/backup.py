"""`manage.py backup FILE [--with-secrets]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.printing import cannot_write
from config.backups import BackupError, back_up


class Command(BaseCommand):
    help = "Write the database and all uploaded files into one file, while Attest is used."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--with-secrets",
            action="store_true",
            help="also SECRET_KEY and ATTEST_SEALING_SECRETS; keep the file as safe as these",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            made = back_up(path, with_secrets=options["with_secrets"])
        except BackupError as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise cannot_write(path, problem) from None
        manifest = made.manifest
        self.stdout.write(
            f"{path}: {made.bytes:,} bytes. {manifest.rows:,} rows of {manifest.made_at} and "
            f"{len(manifest.files):,} uploaded files."
        )
        for name in manifest.missing:
            self.stderr.write(f"Not in it, since it is not in the storage: {name}")
        if not options["with_secrets"]:
            self.stdout.write(
                "SECRET_KEY and ATTEST_SEALING_SECRETS are not in it: keep them elsewhere."
            )
