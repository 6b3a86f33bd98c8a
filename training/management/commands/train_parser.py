"""`manage.py train_parser --treebank DIR [--out DIR] [--seed N] [--steps N] [--finish]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from threadpoolctl import threadpool_limits

from evaluation.claims.parsing import ParserError
from training.parser.conllu import TreebankError
from training.parser.finishing import META, finish
from training.parser.fitting import STEPS, FittingProgress
from training.parser.making import make_parser


class Command(BaseCommand):
    help = "Train the built-in parser on a treebank. Uses one core; an hour with the usual steps."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--treebank",
            type=Path,
            required=True,
            metavar="DIR",
            help="folder with files whose names end in train.conllu and dev.conllu (or .gz)",
        )
        parser.add_argument(
            "--out",
            type=Path,
            metavar="DIR",
            help="where the pipeline goes, replacing one that is there; default: parser, in the "
            "data folder",
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--steps", type=int, default=STEPS, help=f"default: {STEPS}")
        parser.add_argument(
            "--sentences", type=int, metavar="N", help="only the first N of each portion"
        )
        parser.add_argument(
            "--finish",
            action="store_true",
            help="do not train: score the pipeline that is there and write its card",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"] or settings.DATA_DIR / "parser"
        self._check(out, options)
        try:
            with threadpool_limits(1):
                if not options["finish"]:
                    make_parser(
                        options["treebank"],
                        out,
                        seed=options["seed"],
                        steps=options["steps"],
                        limit=options["sentences"],
                        say=self._say,
                        report=self._report,
                    )
                scores = finish(out, options["treebank"], limit=options["sentences"])
        except (ParserError, TreebankError) as error:
            raise CommandError(str(error)) from None
        self._say(
            f"UAS {scores.passages.uas:.1%}, LAS {scores.passages.las:.1%}, tags "
            f"{scores.passages.tags:.1%}, sentences {scores.passages.sentences:.1%}; "
            f"{scores.passages.words_per_second:,.0f} words a second"
        )
        self._say(
            f"Claims as from the right trees: {scores.claims.same:.1%} (text since the last mark: "
            f"{scores.without_trees.same:.1%})"
        )
        self._say(f"The pipeline and its card are in {out}")

    def _check(self, out: Path, options: dict[str, Any]) -> None:
        for name in ("steps", "sentences"):
            if options[name] is not None and options[name] < 1:
                raise CommandError(f"--{name}: expected a number from 1 on, found {options[name]}.")
        there = (out / META).is_file()
        if options["finish"] and not there:
            raise CommandError(f"Expected a pipeline in {out}; there is no {META}. Train it first.")
        if not there and out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(
                f"{out} is there already and is no pipeline. Name a new folder with --out."
            )

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _report(self, progress: FittingProgress) -> None:
        best = ", the best so far" if progress.best else ""
        self._say(
            f"Step {progress.step:,} of {progress.steps:,}, {progress.seconds:,} s: UAS "
            f"{progress.uas:.1%}, LAS {progress.las:.1%}, tags {progress.tags:.1%}{best}"
        )
