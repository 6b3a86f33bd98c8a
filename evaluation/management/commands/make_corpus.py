"""`manage.py make_corpus STUDY NAME FILE…`."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import CommandError

from annotate.formats.corpora import opened
from annotate.formats.corpora.reading import WORDS
from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from annotate.models import Study
from evaluation.generating import corpora


class Command(RefusingCommand):
    help = "Make a corpus of files, and index it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("name", help="what the corpus is called")
        parser.add_argument("files", nargs="*", type=Path, metavar="file", help="or a folder")
        parser.add_argument(
            "--words", type=int, default=WORDS, help=f"of a document's passage (default {WORDS})"
        )

        parser.add_argument(
            "--method", choices=["words", "dense", "hybrid"], default="words", help="how to search"
        )
        parser.add_argument("--encoder", default="", metavar="FOLDER", help="for dense and hybrid")

        parser.add_argument(
            "--connection",
            default="",
            metavar="NAME",
            help="to an OpenSearch server, without files",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if options["connection"]:
            self._connect(study, options)
            return
        for path in options["files"]:
            if not path.exists():
                raise CommandError(f"There is no file {path}.")
        with ExitStack() as stack:
            files = [
                File(stack.enter_context(opened(path)), name=path.name) for path in options["files"]
            ]
            made = corpora.receive(
                study,
                options["name"],
                files,
                by=None,
                method=options["method"],
                words=options["words"],
                encoder=options["encoder"],
                by_operator=True,
            )
        try:
            corpora.work(made.pk)
        except (KeyboardInterrupt, SystemExit):
            corpora.remove(made)
            raise
        made.refresh_from_db()
        if not made.is_ready:
            error = made.error or made.get_state_display()
            if made.state == made.State.FAILED:
                corpora.remove(made)
            raise CommandError(error)
        self.stdout.write(f"{made.name}: {made.passages:,} passages, {made.kept_bytes:,} bytes")

    def _connect(self, study: Study, options: dict[str, Any]) -> None:
        if options["files"]:
            raise CommandError("What a server has is not made of files: leave them out.")
        made = corpora.connect(
            study, options["name"], options["connection"], by=None, by_operator=True
        )
        self.stdout.write(f"{made.name}: asked of the connection “{options['connection']}”")
