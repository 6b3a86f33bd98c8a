"""`manage.py prompt STUDY [NAME] [--output FILE | --keep FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import find_study
from annotate.management.printing import write_lines
from annotate.web.errors import Refused
from evaluation.language_models.asking.prompts import StyleError, written_style
from evaluation.language_models.study_prompts import known_styles, save_prompt, style_named


class Command(BaseCommand):
    help = "The prompts by which a study asks language models: list them, write one, keep one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("name", nargs="?", help="of one, perhaps with its version: own:2")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--output", type=Path, help="where it is written; default: the terminal")
        what.add_argument("--keep", type=Path, help="a file, which becomes its next version")

    def handle(self, *args: Any, **options: Any) -> None:
        study, name = find_study(options["study"]), options["name"]
        if name is None:
            for one in known_styles(study).values():
                from_where = "this study" if one.is_own else "Attest"
                self.stdout.write(f"{one.style.signature}  {from_where}  {one.style.title}")
            return
        try:
            if options["keep"] is None:
                text = written_style(style_named(study, name))
                write_lines(self, text.splitlines(keepends=True), options["output"])
                return
            kept = save_prompt(study, name, options["keep"].read_text("utf-8-sig"))
        except (Refused, StyleError) as error:
            raise CommandError(str(error)) from None
        except (OSError, UnicodeDecodeError):
            raise CommandError(f"{options['keep']} cannot be read as text in UTF-8.") from None
        self.stdout.write(
            f"{kept} is kept. Ask by it with run_judge {study.slug} model --style {name}."
        )
