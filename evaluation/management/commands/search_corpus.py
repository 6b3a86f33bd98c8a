"""`manage.py search_corpus STUDY NAME QUERY`."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from evaluation.generating.searching import retriever_of
from evaluation.management.corpora import find_corpus


class Command(RefusingCommand):
    help = "Print the passages of a corpus that fit a text best, one JSON object a line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("name", help="what the corpus is called")
        parser.add_argument("query")
        parser.add_argument("-k", type=int, default=5, help="maximum number (default 5)")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = find_corpus(find_study(options["study"]), options["name"])
        (found,) = retriever_of(corpus).search([options["query"]], options["k"])
        for one in found:
            self.stdout.write(json.dumps(asdict(one), ensure_ascii=False))
