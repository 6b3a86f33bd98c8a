"""`manage.py retrieval STUDY [--corpus NAME | --ranked] [--qrels FILE] [--scorer NAME] …`."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.formats.limits import Limits
from annotate.formats.problems import Unreadable
from annotate.formats.qrels import read_qrels
from annotate.management.lookup import find_study
from annotate.web.errors import Refused
from evaluation.generating.retrieval_numbers import (
    KS,
    lines_of,
    measure_retrieval,
    measure_systems,
    tables_of,
)
from evaluation.judges.entailment import SCORERS, ScorerError
from evaluation.management.corpora import find_corpus
from evaluation.runs.judge_making import entailing
from evaluation.runs.tables import printed, with_reasons


class Command(BaseCommand):
    help = "Say how good retrieval is: of a corpus, and of what a study's systems were given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        where = parser.add_mutually_exclusive_group()
        where.add_argument("--corpus", metavar="NAME", help="search it for the study's questions")
        where.add_argument(
            "--ranked", action="store_true", help="look at the passages that questions brought"
        )
        parser.add_argument(
            "--qrels", type=Path, help="relevant passages, as TREC or BEIR has them"
        )
        parser.add_argument(
            "--scorer", choices=[name for name, spec in SCORERS.items() if not spec.connects],
            help="says which passages entail claims",
        )  # fmt: skip
        parser.add_argument("--scorer-model", help="the scorer's model")
        parser.add_argument("--k", type=int, nargs="+", default=list(KS))
        parser.add_argument("--json", action="store_true", help="all of it as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if min(options["k"]) < 1:
            raise CommandError("Expected numbers from 1 on as --k.")
        told: dict[str, Any] = {"systems": measure_systems(study)}
        try:
            qrels = read_qrels(options["qrels"], Limits()) if options["qrels"] else None
            ks = sorted({*options["k"]})
            entail = None
            if options["scorer"]:
                entail = entailing(options["scorer"], options["scorer_model"])
            if options["corpus"] or options["ranked"]:
                corpus = find_corpus(study, options["corpus"]) if options["corpus"] else None
                told["corpus"] = measure_retrieval(study, corpus, ks=ks, qrels=qrels, entail=entail)
            elif qrels is not None:
                raise CommandError("Relevant passages are those of a corpus: give --corpus.")
        except (Refused, ScorerError, Unreadable, FileNotFoundError) as refusal:
            problem = getattr(refusal, "problem", refusal)
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(with_reasons(told), ensure_ascii=False, indent=2))
            return
        for line in lines_of(**told):
            self.stdout.write(line)
        for found in tables_of(**told):
            for line in printed(found):
                self.stdout.write(line)
