"""`manage.py divide FILE`: divide answers into statements, without study and database."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.formats.fields import Fields
from annotate.formats.json_records import json_lines
from annotate.formats.limits import Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable, shown
from annotate.formats.records import Problem
from annotate.formats.spans import take_number, take_spans
from annotate.management.printing import write_lines
from annotate.text import is_language
from annotate.text.worked import as_worked, divide_worked


class Command(BaseCommand):
    help = "Divide answers into statements and print them, one JSON object per line."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON Lines: id, output, passages, citations")
        parser.add_argument(
            "--reading",
            choices=["all", "first", "flat"],
            default="all",
            help="all lines (default), the first line alone, or all lines as one text",
        )
        parser.add_argument(
            "--language", default="", help="of records that name none; default: by their script"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        if options["language"] and not is_language(options["language"]):
            raise CommandError(
                f"--language: expected a code such as zh, not {options['language']}."
            )
        self.failed = 0
        write_lines(self, self._divided(path, options), None)
        if self.failed:
            lines = "1 line was" if self.failed == 1 else f"{self.failed:,} lines were"
            raise CommandError(f"{lines} not divided.")

    def _divided(self, path: Path, options: Mapping[str, Any]) -> Iterator[str]:
        limits = Limits()
        try:
            for line in json_lines(OpenFile(path, limits)):
                problems: list[Problem] = list(line.problems(limits))
                record = None
                if not problems:
                    fields = Fields.of(line.value, line.where, problems)
                    record = _checked(fields, limits) if fields else None
                if problems or record is None:
                    self.failed += 1
                    for problem in problems:
                        self.stderr.write(f"{path.name}: {problem}")
                    continue
                found = divide_worked(
                    record, lines=options["reading"], language=options["language"]
                )
                entry = {"id": record["id"], **as_worked(record, found)}
                yield json.dumps(entry, ensure_ascii=False) + "\n"
        except Unreadable as error:
            raise CommandError(f"{path.name}: {error.problem}") from None


def _checked(fields: Fields, limits: Limits) -> dict[str, Any]:
    """Return the fields that dividing needs. Faults are added to the fields' problems."""
    passages: list[dict[str, Any]] = []
    for each in fields.passages("passages", limits) if fields.has("passages") else ():
        number = take_number(each, "n", each.take("n"))
        title, url = each.optional_text("title"), each.optional_text("url")
        passages.append({"n": number, "title": title, "url": url})
    output = fields.text("output")
    language = fields.optional_text("language")
    if language and not is_language(language):
        fields.complain("language", "the code of a language, such as zh or pt-BR", shown(language))
    record: dict[str, Any] = {
        "id": fields.take("id"),
        "output": output,
        "language": language,
        "passages": passages,
    }
    if fields.has("citations"):
        spans = take_spans(fields, output, [each["n"] for each in passages])
        record["citations"] = [
            {"start": s.start, "end": s.end, "passages": s.passages, "quote": s.quote}
            for s in spans
        ]
    return record
