"""`manage.py train_scorer --data DIR --out DIR` or `manage.py train_scorer --from-study STUDY`."""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.management.lookup import find_study
from annotate.services.errors import Refused
from evaluation.claims.parsing import ParserError, load_parser
from evaluation.entailment import ScorerError
from evaluation.entailment.base import PACKAGE, base_folder
from evaluation.entailment.weights import open_folder
from evaluation.running.claims import remembered_parser
from training.scorer.hard_negatives import hard_negatives
from training.scorer.pairs import (
    LabelledPair,
    PairsError,
    data_digest,
    read,
    read_judged,
    targets,
)
from training.scorer.recipe import FROM_STUDY, FURTHER, MADE_OF, RECIPE, TARGETS, Recipe

NOT_BETTER = "That is not better than chance of the sample: do not use it."

SECONDS = 60
"""Between two lines where nobody watches a bar."""


class Command(BaseCommand):
    help = (
        "Train the entailment scorer, as the one was that comes with Attest; or train it further "
        "with a study's own judgments. What broke off goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--data", type=Path, metavar="DIR", help="with train.jsonl(.gz) and dev.jsonl(.gz)"
        )
        parser.add_argument(
            "--attribution",
            type=Path,
            metavar="FILE",
            help="beside --data: claims with evidence that people judged",
        )
        parser.add_argument("--from-study", metavar="STUDY", help="train with its judgments")
        parser.add_argument("--out", type=Path, metavar="DIR", help="where the weights are written")
        parser.add_argument(
            "--base", default="", metavar="DIR", help=f"default: that of the package {PACKAGE}"
        )
        parser.add_argument(
            "--weights",
            default="",
            metavar="DIR",
            help="where --from-study begins; with --data alone: weights to go on from, "
            "through the last stage alone",
        )
        parser.add_argument("--seed", type=int, default=RECIPE.seed)
        parser.add_argument(
            "--passes",
            type=float,
            nargs="+",
            metavar="N",
            help="over the pairs, by stage",
        )
        parser.add_argument(
            "--folds", type=int, choices=range(2, 11), default=5, metavar="2 to 10",
            help="parts of a study's questions, each held out once to see whether it is worth it",
        )  # fmt: skip
        parser.add_argument(
            "--anyway",
            action="store_true",
            help="make a study's scorer even where it is no better than what it begins with",
        )
        parser.add_argument("--device", default="auto")
        parser.add_argument("--dtype", default="auto", choices=["auto", "float32", "bfloat16"])
        parser.add_argument("--threads", type=int, default=0)
        parser.add_argument("--parser", default="", help="for the claims of a study: a pipeline")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["data"] is None and options["from_study"] is None:
            raise CommandError("Expected --data DIR, --from-study STUDY or both; found neither.")
        if options["threads"]:
            import torch

            torch.set_num_threads(options["threads"])
        from training.scorer.checkpoint import CheckpointError

        try:
            if options["from_study"] is None:
                self._train(options)
            else:
                self._train_further(options)
        except (PairsError, CheckpointError, ScorerError, ParserError, Refused) as problem:
            raise CommandError(str(problem)) from None

    def _train(self, options: dict[str, Any]) -> None:
        from training.scorer.fitting import Fitting, described
        from training.scorer.making import make
        from training.scorer.network import Network

        folder: Path | None = options["out"]
        if folder is None:
            raise CommandError("Expected --out DIR, a folder for the weights.")
        train, dev = _pairs(options["data"], "train"), _pairs(options["data"], "dev")
        if options["attribution"]:
            train += read_judged(options["attribution"])
        start = open_folder(Path(options["weights"])) if options["weights"] else None
        recipe = _recipe(FURTHER if start else RECIPE, options, data_digest([*train, *dev]))
        recipe = replace(recipe, start=start.digest if start else "")
        train += hard_negatives(train, MADE_OF, recipe.seed)
        base = base_folder(options["base"])
        machine = {"device": options["device"], "dtype": options["dtype"]}
        network = Network(base, seed=recipe.seed, **machine)
        if start is not None:
            network.begin_with(start.weights)
        bar = _Bar()
        progress = Fitting(
            network,
            recipe,
            train=train,
            dev=targets(dev, TARGETS),
            folder=folder / "training",
            tell=bar,
        ).run()
        bar.close()
        self.stderr.write("Now dev is scored.")
        made = make(
            network.copied(),
            base=base,
            dev=dev,
            folder=folder,
            window=recipe.stages[-1].tokens,
            training={
                "title": "The built-in entailment network",
                "what": "Trained by `manage.py train_scorer` on public entailment data; "
                "docs/scorer.md lists it.",
                "base": options["base"] or f"{PACKAGE} {_version()}",
                "from": recipe.start,
                "data": recipe.data,
                "seed": recipe.seed,
                "device": str(network.device),
                "parameters": sum(one.numel() for one in network.learned().values()),
                "recipe": recipe.described(),
                "fit": described(progress),
            },
            seed=recipe.seed,
            **machine,
            threads=options["threads"],
        )
        self.stdout.write((folder / "card.md").read_text(encoding="utf-8"))
        self.stdout.write(f"Weights: {folder}\nBy the gate, the default scorer is: {made.default}")

    def _train_further(self, options: dict[str, Any]) -> None:
        from evaluation.entailment.trained import Trained
        from training.from_study import study_pairs, train_on_study

        study = find_study(options["from_study"])
        seed = options["seed"]
        folder: Path = options["out"] or (
            settings.DATA_DIR / "scorers" / f"{study.slug}-seed-{seed}"
        )
        if (folder / "scorer.json").exists():
            raise CommandError(
                f"There is a trained scorer in “{folder}” already. Choose another --seed, or an "
                "empty folder with --out."
            )
        machine = {"device": options["device"], "dtype": options["dtype"]}
        start = Trained(
            options["weights"],
            base=options["base"],
            **machine,
            threads=options["threads"],
        )
        parser = None
        if name := options["parser"] or remembered_parser(study):
            parser = load_parser(name)
        judged = study_pairs(study, parser=parser)
        others = _pairs(options["data"], "train") if options["data"] else []
        recipe = _recipe(FROM_STUDY, options, data_digest([*(one.pair for one in judged), *others]))
        bar = _Bar()
        kept, _ = train_on_study(
            study,
            judged,
            start,
            base=base_folder(options["base"]),
            others=others,
            recipe=recipe,
            folder=folder,
            tell=bar,
            folds=options["folds"],
            anyway=options["anyway"],
            **machine,
            threads=options["threads"],
        )
        bar.close()
        self.stdout.write((folder / "card.md").read_text(encoding="utf-8"))
        gate = kept.agreement["gate"]
        worth = "It is better." if gate["passed"] else NOT_BETTER
        self.stdout.write(f"{gate['said']} {worth}")
        self.stdout.write(
            f"Weights: {folder}\nTo judge with it: --scorer trained --option weights={folder}\n"
            f"{kept.units.count():,} units may not be used to evaluate it; they are left out where "
            "it is compared with people."
        )


def _pairs(folder: Path, name: str) -> list[LabelledPair]:
    for ending in (".jsonl.gz", ".jsonl"):
        if (path := folder / f"{name}{ending}").is_file():
            return list(read(path))
    raise PairsError(f"Expected {name}.jsonl.gz or {name}.jsonl in “{folder}”; found neither.")


def _recipe(recipe: Recipe, options: dict[str, Any], data: str) -> Recipe:
    passes: Sequence[float] | None = options["passes"]
    if passes:
        try:
            recipe = recipe.lasting(*passes)
        except ValueError as problem:
            raise CommandError(f"--passes: {problem}") from None
    return replace(recipe, seed=options["seed"], data=data)


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"


class _Bar:
    """A bar for each stage where somebody watches a terminal, else a line a minute; every
    evaluation is said."""

    def __init__(self) -> None:
        self.stage = ""
        self.bar: Any = None
        self.said = 0.0

    def __call__(self, report: Any) -> None:
        if self.stage != report.stage:
            self.close()
            self.stage = report.stage
            self.bar = tqdm(total=report.steps, desc=report.stage, unit="step", disable=None)
        self.bar.update(report.step - self.bar.n)
        self.bar.set_postfix_str(f"loss {report.loss:.3f}", refresh=False)
        quiet = not sys.stderr.isatty() and time.monotonic() - self.said > SECONDS
        if report.evaluation is not None or quiet:
            self.said = time.monotonic()
            found = (
                "" if report.evaluation is None else f", mean AUC on dev {report.evaluation:.3f}"
            )
            tqdm.write(
                f"{report.stage}, step {report.step:,} of {report.steps:,}: "
                f"loss {report.loss:.3f}, {report.tokens_a_second:,.0f} tokens/s{found}",
                file=sys.stderr,
            )

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
