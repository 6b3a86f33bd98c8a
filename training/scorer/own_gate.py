"""Whether training further with a study's own judgments is worth it, before anybody uses it.

The questions are divided into parts. For each part a scorer is trained with the others, and scores
it; so every judged pair is scored once by a scorer that knows nothing of its question. It passes
where its kappa with people is higher than that of the scorer it began with, by more than the chance
of the sample: the 95 % interval of the difference, from drawing questions anew, lies above 0.
"""

import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.numbers.chosen_threshold import FEWEST_TRIED
from evaluation.numbers.improving import SaidOfUnits, TriedWay, compare
from evaluation.stats.bootstrap import numbered
from training.scorer.own import Judged, TooFewError

FOLDS = 5
EVERY = 7
"""Of the questions to learn from, every so many-th says when to stop."""

Trainer = Callable[[list[Judged], list[Judged], list[Judged], Path], tuple[list[float], float]]
"""From pairs to train with, pairs that say when to stop, others and a folder to work in: the scores
of the others, and from which on they are a yes."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What came out: `after` is the scorers that were trained, `before` the one they began with."""

    comparison: TriedWay
    folds: int

    @property
    def passed(self) -> bool:
        low = self.comparison.more["kappa"].low
        return low is not None and low > 0

    def described(self) -> dict[str, Any]:
        """As JSON."""
        return self.comparison.described() | {"folds": self.folds, "passed": self.passed}

    def said(self) -> str:
        """In a sentence or two."""
        one = self.comparison
        before, after, more = (side["kappa"] for side in (one.before, one.after, one.more))
        if before.value is None or after.value is None or more.value is None:
            return "Kappa on held-out questions is undefined: all are said alike."
        span = "" if more.low is None else f" [{more.low:+.3f}, {more.high:+.3f}]"
        return (
            f"On held-out questions ({one.questions:,}, {one.units:,} pairs, {self.folds} parts) "
            f"kappa with people went from {before.value:.3f} to {after.value:.3f}, by "
            f"{more.value:+.3f}{span}."
        )


def cross_validated(
    judged: Sequence[Judged],
    scores: Sequence[float],
    cut: float,
    train: Trainer,
    *,
    folds: int,
    seed: int,
    folder: Path,
    key: str,
) -> Gate:
    """`scores` and `cut` are those of the scorer that training begins with. What each part gave is
    kept in `folder` under `key`, so that what broke off goes on where it was."""
    part = parts_of_questions([one.question for one in judged], folds, seed)
    found = np.zeros(len(judged))
    yes = np.zeros(len(judged), dtype=bool)
    for fold in range(folds):
        own = [place for place, one in enumerate(judged) if part[one.question] == fold]
        rest = [one for one in judged if part[one.question] != fold]
        stop = set(sorted({one.question for one in rest})[::EVERY])
        learn = [one for one in rest if one.question not in stop]
        if len({one.pair.label for one in learn}) < 2:
            raise TooFewError(
                "Expected judgments of both kinds to train with in every part; found one kind. "
                "Judge more questions."
            )
        kept = folder / f"{fold}.json"
        given = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
        if given.get("key") != key:
            work = folder / str(fold)
            watch = [one for one in rest if one.question in stop]
            some, at = train(learn, watch, [judged[place] for place in own], work)
            given = {"key": key, "scores": some, "cut": at}
            kept.write_text(json.dumps(given), encoding="utf-8")
            shutil.rmtree(work, ignore_errors=True)
        found[own] = given["scores"]
        yes[own] = found[own] >= given["cut"]
    before = np.array(scores)
    labels = np.array([float(one.pair.label) for one in judged])
    places = numbered(one.question for one in judged)
    sides = SaidOfUnits(before >= cut, before), SaidOfUnits(yes, found)
    return Gate(compare("trained", labels, *sides, places), folds)


def parts_of_questions(questions: Sequence[str], folds: int, seed: int) -> dict[str, int]:
    """The part of each question; a TooFewError says where there are too few."""
    names = sorted(set(questions))
    if len(names) < FEWEST_TRIED:
        raise TooFewError(
            f"Expected judgments about at least {FEWEST_TRIED} questions; found {len(names)}. "
            "Judge more questions."
        )
    random.Random(seed).shuffle(names)  # noqa: S311 nothing secret
    return {name: number % folds for number, name in enumerate(names)}
