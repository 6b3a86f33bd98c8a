"""Options of commands for the judge and its scorer."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from annotate.models import Study
from evaluation.claims.parsing import SpacyParser
from evaluation.judges import JUDGES, VARIANTS, AutomaticJudge
from evaluation.judges.entailment import DEFAULT_SCORER, SCORERS, Asker, Cache
from evaluation.judges.entailment.rows import PremiseLengths
from evaluation.judges.settings import NO_CAP, JudgeSettings, ScorerSettings
from evaluation.runs.judge_making import parser_for


def add_scorer_options(parser: ArgumentParser) -> None:
    """Add the options for a scorer, its model and options, and the threshold."""
    parser.add_argument("--scorer", choices=list(SCORERS), default=DEFAULT_SCORER)
    parser.add_argument("--model", help="the scorer's model: a folder or a hub name")
    parser.add_argument(
        "--option",
        type=option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other option of the scorer; again for each",
    )
    parser.add_argument("--threshold", type=_threshold, help="default: the scorer's own")


def add_judge_options(parser: ArgumentParser) -> None:
    """Add the options of a scorer, and variant, cap, level and parser."""
    add_scorer_options(parser)
    parser.add_argument("--variant", choices=VARIANTS, default=VARIANTS[0])
    parser.add_argument(
        "--cap", type=_cap, help="how many citations of a statement count, or none for all"
    )
    leveled = ", ".join(name for name, spec in JUDGES.items() if "level" in spec.takes)
    parser.add_argument("--level", choices=["claims", "sentences", "spans"], help=f"for {leveled}")
    add_parser_option(parser)


def add_parser_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--parser",
        default="",
        metavar="NAME",
        help="for claims: a spaCy pipeline that is installed, or the folder of one",
    )


def _cap(text: str) -> int | str:
    """Return a number from 1 on, or “none”."""
    if text == NO_CAP:
        return text
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise ArgumentTypeError(f"expected a number from 1 on, or none, found “{text}”")


def option(text: str) -> tuple[str, str]:
    """Return name and value of an option `name=value`; the scorer parses the value."""
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


def dollars(said: str | None) -> Decimal | None:
    """Return a budget, if there is one."""
    try:
        return None if said is None else round(Decimal(said), 2)
    except InvalidOperation:
        raise CommandError(f"Expected a budget in dollars, found “{said}”.") from None


def judge_settings(name: str, options: dict[str, Any]) -> JudgeSettings:
    """Return the settings of the judge that the options describe."""
    return JudgeSettings(
        judge=name,
        scorer=options["scorer"],
        model=options["model"],
        options=dict(options["option"]),
        threshold=options["threshold"],
        variant=options.get("variant") or VARIANTS[0],
        cap=options.get("cap"),
        level=options.get("level") or "",
        parser=options.get("parser") or "",
        connection=options.get("connection") or "",
        style=options.get("style") or "",
        dimensions=options.get("dimensions") or (),
        examples=options.get("examples"),
        guideline_examples=options.get("guideline_examples") or None,
    )


def judge_of(
    name: str,
    options: dict[str, Any],
    *,
    splitter: str,
    cache: Cache | None = None,
    study: Study | None = None,
) -> tuple[AutomaticJudge, Asker | None]:
    """Return the judge that the options describe, and its asker; claims use the study's parser."""
    settings = judge_settings(name, options)
    asker = settings.asked.asker(cache, progress=_WaveBars()) if settings.asks else None

    def parser(asked_for: str) -> SpacyParser:
        return parser_for(study, asked_for)

    return settings.make(asker, splitter=splitter, parser=parser), asker


def scorer_asker(options: dict[str, Any], cache: Cache | None = None) -> Asker:
    """Return the asker that the options describe, for use without a judge."""
    settings = ScorerSettings(
        options["scorer"], options["model"], dict(options["option"]), options["threshold"]
    )
    return settings.asker(cache, progress=_WaveBars())


def chosen_parser(options: dict[str, Any], study: Study | None = None) -> SpacyParser:
    """Return the parser of the options, or of the study."""
    return parser_for(study, options["parser"])


def lengths_said(lengths: PremiseLengths | None) -> Iterator[str]:
    """Yield how often a text was longer than the scorer's model takes, if that has a limit."""
    if lengths is not None:
        yield (
            f"Longer than the model takes: {lengths.windowed:,} of {lengths.pairs:,} computed "
            f"pairs were read in windows ({lengths.windows:,} of them), {lengths.truncated:,} were "
            "cut. Pairs that were known already are not counted."
        )


class _WaveBars:
    """A progress bar for each wave, on a terminal."""

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
