"""`manage.py claims SENTENCE [--json] [--parser NAME] [--drawing FILE]`."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.claims import Claim, ParsedSentence, divide
from evaluation.claims.drawing import draw
from evaluation.claims.parsing import ParserError
from evaluation.claims.quality import Quality, claim_qualities
from evaluation.management.judge_options import add_parser_option, chosen_parser

WHY = {
    "long": "not divided: the sentence is too long",
    "root": "not divided: a mark stands after the root of the tree",
    "roots": "not divided: the tree has several roots",
}


class Command(BaseCommand):
    help = "Print the atomic claims of a sentence with citation marks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "sentence", help='for example "Cups can be made of glass[1] or clay[2]."'
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        add_parser_option(parser)
        parser.add_argument(
            "--drawing", type=Path, metavar="FILE", help="write the tree and the claims as SVG"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            (division,) = divide([options["sentence"]], chosen_parser(options))
        except ParserError as error:
            raise CommandError(str(error)) from error
        if options["drawing"]:
            try:
                options["drawing"].write_text(draw(division) + "\n", encoding="utf-8")
            except OSError as error:
                raise CommandError(
                    f"The drawing could not be written to {options['drawing']}: {error.strerror}."
                ) from error
        self.stdout.write(_as_json(division) if options["json"] else _as_text(division))


def _as_json(division: ParsedSentence) -> str:
    claims = [{"text": claim.text, "citations": list(claim.citations)} for claim in division.claims]
    return json.dumps(claims, ensure_ascii=False)


def _as_text(division: ParsedSentence) -> str:
    if not division.claims:
        return "No claim: there is no word."
    pairs = zip(division.claims, claim_qualities(division), strict=True)
    return "\n".join(_line(claim, quality) for claim, quality in pairs)


def _line(claim: Claim, quality: Quality) -> str:
    marks = "".join(f"[{number}]" for number in claim.citations) or "[]"
    notes = [WHY[claim.fallback]] if claim.fallback else []
    notes += ["lost its verb"] if quality.lost_verb else []
    notes += ["lost its subject"] if quality.lost_subject else []
    return f"{marks} {claim.text}" + (f" ({'; '.join(notes)})" if notes else "")
