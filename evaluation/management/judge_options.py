"""The options that say which judge is to judge, and with which scorer: one set for all commands."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from tqdm import tqdm

from annotate.models import Study
from evaluation.claims.parsing import ParserError, SpacyParser, load_parser
from evaluation.entailment import SCORERS, Asker, Cache, load_scorer, option_from_text
from evaluation.entailment.loading import DEFAULT_SCORER
from evaluation.judges import VARIANTS, Judge, load_judge, takes
from evaluation.services.claims import remembered_parser

NONE = "none"


def add_scorer_options(parser: ArgumentParser) -> None:
    """Scorer, its model and options, threshold."""
    parser.add_argument("--scorer", choices=list(SCORERS), default=DEFAULT_SCORER)
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


def add_judge_options(parser: ArgumentParser) -> None:
    """Scorer and threshold; variant, cap, level, parser."""
    add_scorer_options(parser)
    parser.add_argument("--variant", choices=VARIANTS, default=VARIANTS[0])
    parser.add_argument(
        "--cap", type=_cap, help="how many citations of a statement count, or none for all"
    )
    parser.add_argument("--level", choices=["claims", "sentences"], help="for aliice")
    add_parser_option(parser)


def add_parser_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--parser",
        default="",
        metavar="NAME",
        help="for claims: built-in, a spaCy pipeline that is installed, or the folder of one",
    )


def _cap(text: str) -> int | str:
    """A number from 1 on, or “none”."""
    if text == NONE:
        return text
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise ArgumentTypeError(f"expected a number from 1 on, or none, found “{text}”")


def _option(text: str) -> tuple[str, str]:
    """`name=value`. What the value is meant to be depends on the scorer."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ArgumentTypeError(f"expected name=value, found “{text}”")
    return name, value


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value
    raise ArgumentTypeError(f"expected a number from 0 to 1, found “{text}”")


def asker_of(name: str, options: dict[str, Any], cache: Cache | None = None) -> Asker | None:
    """The asker that the options describe; none where the judge called `name` asks nothing."""
    return scorer_asker(options, cache) if "asker" in takes(name) else None


def scorer_asker(options: dict[str, Any], cache: Cache | None = None) -> Asker:
    """The asker that the options describe."""
    name: str = options["scorer"]
    chosen = {key: option_from_text(name, key, value) for key, value in options["option"]}
    if options["model"] is not None:
        chosen["model"] = options["model"]
    scorer = load_scorer(name, **chosen)
    return Asker(scorer, cache, threshold=options["threshold"], progress=_Progress())


def chosen_parser(options: dict[str, Any], study: Study | None = None) -> SpacyParser:
    """The parser that was asked for; else the one of the study's claims; else that of the setting.

    With none of these it is the first of the preferred ones that is installed.
    """
    remembered = "" if study is None or options["parser"] else remembered_parser(study)
    try:
        return load_parser(options["parser"] or remembered or settings.ATTEST_PARSER)
    except ParserError as error:
        if not remembered:
            raise
        raise ParserError(
            f"This study's claims were made by the parser “{remembered}”. {error} Where it lies in "
            "a folder, name that with --parser."
        ) from error


def judge_of(
    name: str,
    asker: Asker | None,
    options: dict[str, Any],
    *,
    splitter: str,
    study: Study | None = None,
) -> Judge:
    """The judge called `name` as the options describe it; claims by the study's own parser."""
    known = takes(name)
    chosen: dict[str, Any] = {"variant": options["variant"]}
    if options["cap"] is not None:
        chosen["cap"] = None if options["cap"] == NONE else options["cap"]
    if options["level"] is not None:
        chosen["level"] = options["level"]
    if "splitter" in known:
        chosen["splitter"] = splitter
    if "parser" in known and options["level"] != "sentences":
        chosen["parser"] = chosen_parser(options, study)
    if "model" in known and options["model"]:
        chosen["model"] = options["model"]
    return load_judge(name, asker=asker, **chosen)


def lengths_said(asker: Asker | None) -> Iterator[str]:
    """How often a text was longer than the scorer's model takes; nothing, where it takes any."""
    lengths = asker.lengths if asker is not None else None
    if lengths is not None:
        yield (
            f"Longer than the model takes: {lengths.windowed:,} of {lengths.pairs:,} computed "
            f"pairs were read in windows ({lengths.windows:,} of them), {lengths.truncated:,} were "
            "cut. Pairs that were known already are not counted."
        )


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
