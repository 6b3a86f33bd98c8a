"""`manage.py retrieval STUDY [--corpus NAME] [--qrels FILE] [--k 1 5 20] [--json]`."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.formats.limits import Limits
from annotate.formats.problems import Unreadable
from annotate.formats.qrels import read_qrels
from annotate.management.lookup import find_study
from annotate.services.errors import Refused
from evaluation.agreement.ratings import Figure
from evaluation.management.corpora import find_corpus
from evaluation.running.retrieval_numbers import KS, as_json, of_corpus, of_systems


class Command(BaseCommand):
    help = "Say how good retrieval is: of a corpus, and of what a study's systems were given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--corpus", metavar="NAME", help="search it for the study's questions")
        parser.add_argument(
            "--qrels", type=Path, help="relevant passages, as TREC or BEIR has them"
        )
        parser.add_argument("--k", type=int, nargs="+", default=list(KS))
        parser.add_argument("--json", action="store_true", help="all of it as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if min(options["k"]) < 1:
            raise CommandError("Expected numbers from 1 on as --k.")
        told: dict[str, Any] = {"systems": of_systems(study)}
        try:
            qrels = read_qrels(options["qrels"], Limits()) if options["qrels"] else None
            if options["corpus"]:
                corpus = find_corpus(study, options["corpus"])
                told["corpus"] = of_corpus(corpus, ks=sorted({*options["k"]}), qrels=qrels)
            elif qrels is not None:
                raise CommandError("Relevant passages are those of a corpus: give --corpus.")
        except (Refused, Unreadable, FileNotFoundError) as refusal:
            problem = getattr(refusal, "problem", refusal)
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(as_json(told), ensure_ascii=False, indent=2))
        else:
            self._write(told)

    def _write(self, told: Mapping[str, Any]) -> None:
        if found := told.get("corpus"):
            self.stdout.write(
                f"{found['corpus']}: {found['questions']:,} questions, {found['with_answers']:,} "
                f"with answers, {found['with_relevant']:,} with relevant passages"
            )
            self._table(found["rows"])
            self.stdout.write(f"oracle's passages: answer recall {_said(found['oracle'])}")
        systems = told["systems"]
        self.stdout.write("Systems, by how many passages they were given")
        self._table(systems["by_passages"])
        self.stdout.write("All of them, by how many of the answers their passages hold")
        self._table([*systems["by_quality"], systems["all"]])

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if not rows:
            return
        cells = [list(rows[0]), *([_said(value) for value in row.values()] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.stdout.write(f"  {line.rstrip()}")


def _said(value: Any) -> str:
    if isinstance(value, Figure):
        return f"undefined ({value.reason})" if value.value is None else f"{value.value:.3f}"
    return str(value)
