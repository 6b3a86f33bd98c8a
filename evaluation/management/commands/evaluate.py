"""`manage.py evaluate FILE --judge JUDGE --scorer SCORER`: no study, no database."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.formats import FORMATS, Limits, read, recognise, unrecognised
from annotate.management.printing import write_lines
from annotate.segment import DEFAULT_SPLITTER, SPLITTERS, SplitterError
from evaluation.agreement.ratings import Figure
from evaluation.claims.parsing import ParserError, load_parser
from evaluation.entailment import SCORERS, Asker, ScorerError, load_scorer
from evaluation.judges import JUDGES, VARIANTS, Judge, JudgeError, load_judge, takes
from evaluation.metrics import METRICS
from evaluation.scoring import Outputs, Scores, read_outputs, score

MOST_PROBLEMS = 20
NONE = "none"
WITHOUT_PASSAGES = ("correctness", "fluency")
"""Judges that look at no passage."""


def _cap(text: str) -> int | str:
    """A number from 1 on, or “none”."""
    if text == NONE:
        return text
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise ArgumentTypeError(f"expected a number from 1 on, or none, found “{text}”")


def _option(text: str) -> tuple[str, Any]:
    """`name=value`; the value as JSON where it is that, else as the text that it is."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ArgumentTypeError(f"expected name=value, found “{text}”")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value
    raise ArgumentTypeError(f"expected a number from 0 to 1, found “{text}”")


class Command(BaseCommand):
    help = "Score a file of outputs with an automatic judge. Needs no study and no database."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = [key for key, found in FORMATS.items() if found.kind == "outputs"]
        parser.add_argument("file", type=Path)
        parser.add_argument("--judge", choices=list(JUDGES), required=True)
        parser.add_argument("--format", choices=known, default="", help="default: from content")
        parser.add_argument("--scorer", choices=list(SCORERS), default="coverage")
        parser.add_argument("--model", help="the scorer's model: a folder or a hub name")
        parser.add_argument(
            "--option",
            type=_option,
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="any other option of the scorer; again for each",
        )
        parser.add_argument("--threshold", type=_threshold, help="default: the scorer's own")
        parser.add_argument("--variant", choices=VARIANTS, default=VARIANTS[0])
        parser.add_argument("--reading", choices=["repaired", "strict"], default="repaired")
        parser.add_argument("--splitter", choices=list(SPLITTERS), default=DEFAULT_SPLITTER)
        parser.add_argument(
            "--cap", type=_cap, help="how many citations of a statement count, or none for all"
        )
        parser.add_argument("--level", choices=["claims", "sentences"], help="for aliice")
        parser.add_argument("--parser", default="", help="for aliice: a spaCy pipeline or folder")
        parser.add_argument("--mode", choices=["auto", "sentences", "list"], default="auto")
        parser.add_argument("--passages", type=Path, help="passages by id (JSON Lines)")
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
            asker = self._asker(options) if "asker" in takes(name) else None
            judge = _judge(name, asker, options)
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
        for needed in (path, options["passages"]):
            if needed is not None and not needed.is_file():
                raise CommandError(f"There is no file {needed}.")
        format = options["format"] or recognise(path)
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
            passages_path=options["passages"],
            system=options["system"],
            run=options["run"],
            mode=options["mode"],
            repeats=True,
            passages_optional=options["judge"] in WITHOUT_PASSAGES,
            limits=Limits(
                max_bytes=settings.ATTEST_MAX_UPLOAD_BYTES,
                max_records=settings.ATTEST_MAX_RECORDS,
                max_field_chars=settings.ATTEST_MAX_FIELD_CHARS,
                max_passages=settings.ATTEST_MAX_PASSAGES,
            ),
        )
        try:
            outputs = read_outputs(
                reader, reading=options["reading"], splitter=options["splitter"], name=path.stem
            )
        except SplitterError as error:
            raise CommandError(str(error)) from None
        self._complain(path, outputs, keep_good=options["keep_good"])
        return outputs

    def _complain(self, path: Path, outputs: Outputs, *, keep_good: bool) -> None:
        """Say what is wrong with the file; end here, unless the good records are wanted."""
        count = len(outputs.problems)
        for problem in outputs.problems[:MOST_PROBLEMS]:
            self.stderr.write(f"{path.name}: {problem}")
        if count > MOST_PROBLEMS:
            self.stderr.write(f"… and {count - MOST_PROBLEMS:,} more.")
        if count and not (keep_good and outputs.items):
            advice = "Mend the file, or score the good records with --keep-good."
            errors = "1 error" if count == 1 else f"{count:,} errors"
            raise CommandError(f"{errors}; nothing was scored. {advice}")

    def _asker(self, options: dict[str, Any]) -> Asker:
        chosen = dict(options["option"])
        if options["model"] is not None:
            chosen["model"] = options["model"]
        scorer = load_scorer(options["scorer"], **chosen)
        return Asker(scorer, threshold=options["threshold"], progress=_Progress())


class _Progress:
    """A bar for each wave, where somebody watches a terminal."""

    def __init__(self) -> None:
        self.wave = ""
        self.bar: Any = None

    def __call__(self, wave: str, answered: int, total: int) -> None:
        if self.bar is None or self.wave != wave:
            self.wave = wave
            self.bar = tqdm(total=total, desc=wave, unit="pair", leave=False, disable=None)
        self.bar.update(answered - self.bar.n)
        if answered == total:
            self.bar.close()
            self.bar = None


def _judge(name: str, asker: Asker | None, options: dict[str, Any]) -> Judge:
    known = takes(name)
    chosen: dict[str, Any] = {"variant": options["variant"]}
    if options["cap"] is not None:
        chosen["cap"] = None if options["cap"] == NONE else options["cap"]
    if options["level"] is not None:
        chosen["level"] = options["level"]
    if "splitter" in known:
        chosen["splitter"] = options["splitter"]
    if "parser" in known and options["level"] != "sentences":
        chosen["parser"] = load_parser(options["parser"])
    if "model" in known and options["model"]:
        chosen["model"] = options["model"]
    return load_judge(name, asker=asker, **chosen)


def _report(scores: Scores, asker: Asker | None, *, per_item: bool) -> Iterator[str]:
    """The figures as a table: a block for each system, then each response if wanted."""
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
            f"{asked.computed:,} computed\n"
        )


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
    return f"{figure.value:.3f}" if figure.value < 10 else f"{figure.value:.1f}"
