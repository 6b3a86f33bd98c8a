"""`manage.py evaluate FILE --judge JUDGE --scorer SCORER`: no study, no database."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotate.formats import FORMATS, Limits, formats_listed, read, recognise, unrecognised
from annotate.formats.tables.mapping import ColumnMapping, MappingError, mapping_in
from annotate.management.printing import write_lines
from annotate.text import DEFAULT_SPLITTER, SPLITTERS, Division, Lines, SplitterError, is_language
from evaluation.claims.parsing import ParserError
from evaluation.judges import JUDGES, METRICS, JudgeError, file_judges
from evaluation.judges.entailment import Asker, ScorerError
from evaluation.judges.scoring import Outputs, Scores, read_outputs, score, unread_notes
from evaluation.management.judge_options import add_judge_options, judge_of, lengths_said
from evaluation.reports.numbers import in_words
from evaluation.statistics.ratings import Figure

MOST_PROBLEMS = 20


class Command(BaseCommand):
    help = "Score a file of outputs with an automatic judge. Needs no study and no database."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = [each.key for each in formats_listed("outputs")]
        parser.add_argument("file", type=Path)
        parser.add_argument("--judge", choices=file_judges(), required=True)
        parser.add_argument("--format", choices=known, default="", help="default: from content")
        add_judge_options(parser)
        parser.add_argument(
            "--lines",
            choices=["all", "first", "flat"],
            help="how much of an output is read; default: as the judge's variant does",
        )
        parser.add_argument("--language", default="", help="default: by the script")
        parser.add_argument("--reading", choices=["repaired", "strict"], default="repaired")
        parser.add_argument("--splitter", choices=list(SPLITTERS), default=DEFAULT_SPLITTER)
        parser.add_argument("--mode", choices=["auto", "sentences", "list"], default="auto")
        parser.add_argument("--mapping", type=Path, help="what the columns of a table are (JSON)")
        parser.add_argument("--passages", type=Path, help="passages by id or address")
        parser.add_argument("--system", default="", help="its name, where the file has none")
        parser.add_argument("--run", default="", help="its run (seed), where the file has none")
        parser.add_argument(
            "--keep-good", action="store_true", help="score the good records, list the bad ones"
        )
        parser.add_argument("--json", action="store_true", help="everything, as one JSON object")
        parser.add_argument("--per-item", action="store_true", help="each response as well")

    def handle(self, *args: Any, **options: Any) -> None:
        outputs = self._outputs(options)
        name: str = options["judge"]
        try:
            judge, asker = judge_of(name, options, splitter=options["splitter"])
            scores = score(outputs, name, judge, options["variant"])
        except ParserError as error:
            raise CommandError(f"{error} Or score whole sentences: --level sentences.") from None
        except (ScorerError, JudgeError, SplitterError) as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            text = json.dumps(scores.as_json(asker), ensure_ascii=False, indent=2)
            write_lines(self, [text, "\n"], None)
        else:
            write_lines(self, _report(scores, asker, per_item=options["per_item"]), None)

    def _outputs(self, options: dict[str, Any]) -> Outputs:
        path: Path = options["file"]
        for needed in (path, options["passages"], options["mapping"]):
            if needed is not None and not needed.is_file():
                raise CommandError(f"There is no file {needed}.")
        mapping = self._mapping(options["mapping"])
        format = mapping.format if mapping else options["format"] or recognise(path)
        if format is None:
            raise CommandError(f"{path.name}: {unrecognised(path, path.name)}")
        if FORMATS[format].kind != "outputs":
            raise CommandError(
                f"{path.name}: expected outputs, found {FORMATS[format].kind} "
                f"({FORMATS[format].title}). Give the file with the systems' outputs."
            )
        reader = read(
            path,
            format,
            mapping=mapping,
            passages_path=options["passages"],
            system=options["system"],
            run=options["run"],
            mode=options["mode"],
            repeats=True,
            passages_optional=not JUDGES[options["judge"]].reads_passages,
            limits=Limits(
                max_bytes=settings.ATTEST_MAX_UPLOAD_BYTES,
                max_records=settings.ATTEST_MAX_RECORDS,
                max_field_chars=settings.ATTEST_MAX_FIELD_CHARS,
                max_passages=settings.ATTEST_MAX_PASSAGES,
            ),
        )
        try:
            outputs = read_outputs(reader, self._division(options), name=path.stem)
        except SplitterError as error:
            raise CommandError(str(error)) from None
        self._complain(path, outputs, keep_good=options["keep_good"])
        for lost in unread_notes(outputs.tally):
            self.stderr.write(f"{path.name}: {lost}")
        return outputs

    def _mapping(self, path: Path | None) -> ColumnMapping | None:
        try:
            return mapping_in(path.read_bytes()) if path else None
        except MappingError as error:
            raise CommandError(str(error)) from None

    def _division(self, options: dict[str, Any]) -> Division:
        lines: Lines = options["lines"] or JUDGES[options["judge"]].lines(options["variant"])
        if options["level"] == "spans" and not options["lines"]:
            lines = "all"  # no other reading takes spans
        language = options["language"]
        if language and not is_language(language):
            raise CommandError(f"--language: expected a code such as zh, found {language}.")
        return Division(lines, options["reading"], options["splitter"], language)

    def _complain(self, path: Path, outputs: Outputs, *, keep_good: bool) -> None:
        """Print the problems of the file, and stop unless valid records are to be scored."""
        count = len(outputs.problems)
        for problem in outputs.problems[:MOST_PROBLEMS]:
            self.stderr.write(f"{path.name}: {problem}")
        if count > MOST_PROBLEMS:
            self.stderr.write(f"… and {count - MOST_PROBLEMS:,} more.")
        if count and not (keep_good and outputs.items):
            advice = "Mend the file, or score the good records with --keep-good."
            errors = "1 error" if count == 1 else f"{count:,} errors"
            raise CommandError(f"{errors}; nothing was scored. {advice}")


def _report(scores: Scores, asker: Asker | None, *, per_item: bool) -> Iterator[str]:
    """Return the figures as a table: a block for each system, then each response if requested."""
    keys = [metric.key for metric in scores.shown()]
    width = max(len(METRICS[key].title) for key in keys)
    for system, own in scores.systems.items():
        total = len(own.per_item)
        yield f"{system}: {total:,} response{'' if total == 1 else 's'}\n"
        for key in (key for key in keys if key in own.aggregate):
            judged = own.judged(key)
            rest = f"  ({judged:,} of {total:,} responses)" if 0 < judged < total else ""
            yield f"  {METRICS[key].title:<{width}}  {_shown(key, own.aggregate[key])}{rest}\n"
    if per_item:
        yield from _each(scores, keys)
    yield f"Signature: {scores.signature}\n"
    for wave, asked in asker.counts.items() if asker is not None else ():
        yield (
            f"Pairs, {wave}: {asked.asked:,} asked, {asked.unique:,} different, "
            f"{asked.computed:,} computed{f', {asked.failed:,} failed' if asked.failed else ''}\n"
        )
    for line in lengths_said(asker.lengths if asker else None):
        yield f"{line}\n"


def _each(scores: Scores, keys: list[str]) -> Iterator[str]:
    rows = zip(scores.outputs.items, scores.outputs.places, scores.summary.per_item, strict=True)
    for item, where, figures in rows:
        yield f"{where}, {item.system}: {item.question}\n"
        for key in (key for key in keys if key in figures):
            yield f"  {METRICS[key].title}: {_shown(key, figures[key])}\n"


def _shown(key: str, figure: Figure) -> str:
    if figure.value is None:
        return f"undefined ({figure.reason})"
    if METRICS[key].kind == "share":
        return f"{100 * figure.value:.1f} %"
    return in_words(figure.value, 3 if figure.value < 10 else 1)
