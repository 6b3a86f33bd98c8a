"""Training an entailment scorer further, with pairs that a study's own raters judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.entailment.trained import Trained
from evaluation.entailment.weights import Details, Folder, rewrite_folder, write_folder
from training.scorer.calibration import threshold
from training.scorer.card import own_card
from training.scorer.fitting import Fitting, StepReport, described
from training.scorer.held_out import HeldOutAgreement, Part, agreement, divided
from training.scorer.network import DType, Network
from training.scorer.pairs import LabelledPair
from training.scorer.recipe import Recipe

FEWEST = 20
"""Pairs for training; with fewer in the part for the threshold, it stays where it was."""


class TooFewError(ValueError):
    """There is too little to train with."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair that people judged: about which unit, and of which question."""

    pair: LabelledPair
    unit: int
    question: str


@dataclass(frozen=True, kw_only=True)
class TrainingTrial:
    """What came out: the folder, agreement on what was held out, and what was used."""

    folder: Folder
    before: HeldOutAgreement
    after: HeldOutAgreement
    used: list[Judged]
    held_out: list[Judged]


def parts_of(judged: Sequence[Judged], seed: int) -> dict[Part, list[Judged]]:
    """Pairs by the part of their question; a TooFewError says what is missing."""
    of = divided([one.question for one in judged], seed)
    parts: dict[Part, list[Judged]] = {"train": [], "dev": [], "held out": []}
    for one in judged:
        parts[of[one.question]].append(one)
    for name, some in parts.items():
        labels = {one.pair.label for one in some}
        if len(labels) < 2:
            raise TooFewError(
                "Expected judgments of both kinds in every part; found "
                f"{len(some)} in the part “{name}”, "
                f"{sum(one.pair.label for one in some)} of them “yes”. Judge more questions, or "
                "try another --seed."
            )
    if len(parts["train"]) < FEWEST:
        raise TooFewError(
            f"Expected at least {FEWEST} judged pairs to train with; found {len(parts['train'])}. "
            "Judge more questions."
        )
    return parts


def train_further(
    start: Trained,
    judged: Sequence[Judged],
    *,
    base: Path,
    others: Sequence[LabelledPair],
    recipe: Recipe,
    folder: Path,
    about: dict[str, Any],
    tell: Callable[[StepReport], None],
    device: str = "auto",
    dtype: DType = "auto",
    threads: int = 0,
) -> TrainingTrial:
    """Go on from a scorer's weights, and compare both scorers on what was held out."""
    parts = parts_of(judged, recipe.seed)
    used = [*parts["train"], *parts["dev"]]
    questions = {name: sorted({one.question for one in some}) for name, some in parts.items()}
    scorer, details = fitted(
        start,
        parts["train"],
        parts["dev"],
        base=base,
        others=others,
        recipe=recipe,
        folder=folder,
        about={
            **about,
            "from": start.folder.digest,
            "seed": recipe.seed,
            "recipe": recipe.described(),
            "units": sorted(one.unit for one in used),
            "questions": questions,
        },
        tell=tell,
        device=device,
        dtype=dtype,
        threads=threads,
    )
    held_out = parts["held out"]
    before = _agreement(held_out, start.probabilities(texts(held_out)), start.threshold)
    after = _agreement(held_out, scorer.probabilities(texts(held_out)), details.threshold)
    details = _with_agreement(details, before, after)
    made = rewrite_folder(folder, details, card=own_card(details))
    return TrainingTrial(
        folder=made,
        before=before,
        after=after,
        used=used,
        held_out=held_out,
    )


def fitted(
    start: Trained,
    train: Sequence[Judged],
    dev: Sequence[Judged],
    *,
    base: Path,
    others: Sequence[LabelledPair],
    recipe: Recipe,
    folder: Path,
    about: dict[str, Any],
    tell: Callable[[StepReport], None],
    device: str = "auto",
    dtype: DType = "auto",
    threads: int = 0,
) -> tuple[Trained, Details]:
    """A scorer that went on from another's weights, in a folder, and how it is used: with the
    threshold that fits what said when to stop, where that is enough."""
    network = Network(base, seed=recipe.seed, device=device, dtype=dtype)
    network.begin_with(start.folder.weights)
    fitting = Fitting(
        network,
        recipe,
        train=[*(one.pair for one in train), *others],
        dev=[one.pair for one in dev],
        folder=folder / "training",
        tell=tell,
    )
    progress = fitting.run()
    details = replace(start.details, training={**about, "fit": described(progress)})
    write_folder(folder, details, network.copied())
    scorer = Trained(str(folder), base=str(base), device=device, dtype=dtype, threads=threads)
    if len(dev) >= FEWEST:
        cut = threshold([one.pair for one in dev], scorer.probabilities(texts(dev)))
        details = replace(details, threshold=cut)
    return scorer, details


def _with_agreement(details: Details, before: HeldOutAgreement, after: HeldOutAgreement) -> Details:
    found = {"before": before.described(), "after": after.described()}
    return replace(details, training={**details.training, "agreement": found})


def texts(some: Sequence[Judged]) -> list[tuple[str, str]]:
    return [(one.pair.premise, one.pair.hypothesis) for one in some]


def _agreement(some: Sequence[Judged], scores: Sequence[float], cut: float) -> HeldOutAgreement:
    return agreement(
        [bool(one.pair.label) for one in some],
        [score >= cut for score in scores],
        [one.question for one in some],
    )
