"""From a trained network to a folder that is ready for use: calibrated, compared, described."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evaluation.entailment.coverage import Coverage
from evaluation.entailment.trained import FEATURES, Trained, features
from evaluation.entailment.weights import Details, Folder, base_digest, rewrite_folder, write_folder
from training.scorer.calibration import (
    Combination,
    Numbers,
    combination,
    combined_elsewhere,
    temperature,
    threshold,
)
from training.scorer.card import card
from training.scorer.gate import Finding, GateRow, Rival, findings, mean_auc, table
from training.scorer.network import DType
from training.scorer.pairs import LabelledPair, matches
from training.scorer.recipe import CALIBRATED
from training.scorer.windows import MOST

COVERAGE, NETWORK, COMBINATION = "coverage", "network", "combination"


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A way to score, and how well it does on dev."""

    name: str
    threshold: float
    rows: list[GateRow]
    mean: float
    """The mean AUC of the parts that it was calibrated on."""
    findings: list[Finding]

    @property
    def passes(self) -> bool:
        """Whether it may be built in as the default."""
        return bool(self.findings) and all(one.met for one in self.findings)


@dataclass(frozen=True, kw_only=True)
class NewScorer:
    """What came out."""

    folder: Folder
    ways: list[Contender]
    chosen: Contender

    @property
    def default(self) -> str:
        """Which scorer is to be built in as the default."""
        return "trained" if self.chosen.passes else COVERAGE


def make(
    weights: Mapping[str, torch.Tensor],
    *,
    base: Path,
    dev: Sequence[LabelledPair],
    folder: Path,
    window: int,
    training: Mapping[str, Any],
    seed: int,
    device: str = "auto",
    dtype: DType = "auto",
    threads: int = 0,
) -> NewScorer:
    """Write weights into a folder, fit on dev what is made of their logits, and describe both."""
    details = Details(base=base_digest(base), window=window, most=MOST)
    write_folder(folder, details, dict(weights))
    # Figures on a card are those of exact numbers, whatever is faster here.
    exact: DType = "float32" if dtype == "auto" else dtype
    scorer = Trained(str(folder), base=str(base), device=device, dtype=exact, threads=threads)
    logits = scorer.logits([(pair.premise, pair.hypothesis) for pair in dev])
    return calibrate(folder, details, dev=dev, logits=logits, training=training, seed=seed)


def calibrate(
    folder: Path,
    details: Details,
    *,
    dev: Sequence[LabelledPair],
    logits: Sequence[float],
    training: Mapping[str, Any],
    seed: int,
) -> NewScorer:
    """Fit temperature, threshold and combination, choose between the network alone and the
    combination, and write details and card."""
    fitted = [number for number, pair in enumerate(dev) if matches(pair.source, CALIBRATED)]
    known = [dev[number] for number in fitted]
    warmth = temperature(known, [logits[number] for number in fitted])
    alone = [float(one) for one in 1 / (1 + np.exp(-np.array(logits) / warmth))]
    seen = _features(dev, logits)
    mixture = combination(FEATURES, seen[fitted], known)
    together = mixture.probabilities(seen)
    # What it was fitted on is scored by combinations that were fitted on other texts.
    together[fitted] = combined_elsewhere(FEATURES, seen[fitted], known, seed=seed)
    coverage = Coverage()
    words = coverage.probabilities([(pair.premise, pair.hypothesis) for pair in dev])
    rival = Rival(words, coverage.threshold)
    ways = [
        _way(COVERAGE, dev, words, coverage.threshold, fitted, against=None),
        _way(NETWORK, dev, alone, _threshold(known, alone, fitted), fitted, against=rival),
        _way(
            COMBINATION,
            dev,
            together.tolist(),
            _threshold(known, together.tolist(), fitted),
            fitted,
            against=rival,
        ),
    ]
    chosen = _chosen(ways)
    details = replace(
        details,
        temperature=warmth,
        threshold=chosen.threshold,
        combination=_written(mixture) if chosen.name == COMBINATION else None,
        training={**training, "dev": [asdict(way) for way in ways], "chosen": chosen.name},
    )
    made = rewrite_folder(folder, details, card=card(details, ways, chosen))
    return NewScorer(folder=made, ways=ways, chosen=chosen)


def _features(pairs: Sequence[LabelledPair], logits: Sequence[float]) -> Numbers:
    rows = [
        features((pair.premise, pair.hypothesis), logit)
        for pair, logit in zip(pairs, logits, strict=True)
    ]
    return np.array([[row[name] for name in FEATURES] for row in rows], dtype=np.float64)


def _threshold(
    known: Sequence[LabelledPair], scores: Sequence[float], fitted: Sequence[int]
) -> float:
    return threshold(known, [scores[number] for number in fitted])


def _way(
    name: str,
    dev: Sequence[LabelledPair],
    scores: Sequence[float],
    cut: float,
    fitted: Sequence[int],
    *,
    against: Rival | None,
) -> Contender:
    rows = table(dev, scores, cut, against=against)
    mean = mean_auc([dev[n] for n in fitted], [scores[n] for n in fitted])
    found = [] if against is None else findings(rows)
    return Contender(name=name, threshold=cut, rows=rows, mean=mean, findings=found)


def _chosen(ways: Sequence[Contender]) -> Contender:
    """The network alone unless the combination is better; both are better than nothing."""
    trained = [way for way in ways if way.name != COVERAGE]
    return max(trained, key=lambda way: (way.passes, way.mean))


def _written(mixture: Combination) -> dict[str, float]:
    return {**mixture.weights, "bias": mixture.bias}
