"""`manage.py backup FILE [--with-secrets] [--with-corpora]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
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

        parser.add_argument(
            "--with-corpora",
            action="store_true",
            help="also the indexes of corpora, which are large",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            made = back_up(
                path, with_secrets=options["with_secrets"], with_corpora=options["with_corpora"]
            )
        except BackupError as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise cannot_write(path, problem) from None
        manifest = made.manifest
        self.stdout.write(
            f"{path}: {made.bytes:,} bytes. {manifest.rows:,} rows of {manifest.made_at} and "
            f"{len(manifest.files):,} uploaded files."
        )
        if not options["with_corpora"] and manifest.counts.get("evaluation_corpus"):
            self.stdout.write(
                "The indexes of corpora are not in it (--with-corpora): copy the folder "
                f"{settings.ATTEST_CORPORA_DIR}, or make the corpora again after a restore."
            )
        for name in manifest.missing:
            self.stderr.write(f"Not in it, since it is not in the storage: {name}")
        if not options["with_secrets"]:
            self.stdout.write(
                "SECRET_KEY and ATTEST_SEALING_SECRETS are not in it: keep them elsewhere."
            )
