"""`manage.py create_study SLUG --preset alce [--owner EMAIL]`, `--protocol FILE.yaml` or
`--copy-of STUDY`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.exchange.copying import copy_study
from annotate.management.lookup import find_account, find_study
from annotate.management.refusing import RefusingCommand
from annotate.models import Study
from annotate.protocol.presets import PRESETS
from annotate.protocol.protocol import ProtocolFile
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.written import NotAProtocol, read
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import create_study_from
from annotate.web.audit import file_taken

_FILE_HELP = "a protocol file: what it asks, and its guidelines, raters, citations and reading"


class Command(RefusingCommand):
    help = "Create an empty study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="its address: letters, digits and hyphens")
        form = parser.add_mutually_exclusive_group(required=True)
        form.add_argument("--preset", choices=list(PRESETS))
        form.add_argument("--protocol", type=Path, metavar="FILE", help=_FILE_HELP)
        form.add_argument("--copy-of", metavar="STUDY", help="a study to copy, without its data")
        parser.add_argument(
            "--with-batches",
            action="store_true",
            help="with --copy-of: also copy batches, as drafts",
        )
        parser.add_argument(
            "--dimensions",
            nargs="+",
            choices=list(SHIPPED.asked),
            metavar="KEY",
            help=f"what raters are asked, instead of the preset's: of {', '.join(SHIPPED.asked)}",
        )
        parser.add_argument(
            "--lines", choices=Study.Lines.values, help="how much of an answer is read"
        )
        parser.add_argument("--name", default="", help="shown on pages; default: the slug")
        parser.add_argument("--owner", default="", help="e-mail address or user name of an account")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = find_account(options["owner"]) if options["owner"] else None
        chosen, path = options["dimensions"], options["protocol"]
        if (path or options["copy_of"]) and (chosen or options["lines"]):
            what = "file" if path else "study"
            raise CommandError(
                f"The {what} says what is asked and read: leave out the other options."
            )
        if options["with_batches"] and not options["copy_of"]:
            raise CommandError("Batches come with --copy-of: name the study that has them.")
        words = {"slug": options["slug"], "name": options["name"] or options["slug"]}
        if path:
            study = create_study_from(_read(path), **words, owner=owner)
        elif options["copy_of"]:
            study, _ = copy_study(
                find_study(options["copy_of"]),
                **words,
                owner=owner,
                with_batches=options["with_batches"],
            )
        else:
            study = create_study(
                **words,
                preset=options["preset"],
                lines=options["lines"],
                dimensions=chosen and SHIPPED.with_conditions(chosen),
                owner=owner,
            )
        self.stdout.write(f"Created the study {study.slug} ({study.preset_title}).")
        if path and (taken := file_taken(study)):
            self.stdout.write(
                f"It asks what “{taken.name}” asks, with the file's guidelines, raters, citations "
                "and reading."
            )
        if owner is None:
            self.stdout.write("It has no owner yet: give --owner, or nobody can open it.")


def _read(path: Path) -> ProtocolFile:
    try:
        return read(path.read_text(encoding="utf-8-sig"))
    except NotAProtocol as error:
        raise CommandError(f"{path} is no protocol file:\n{error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}.") from None
