"""Rounds of practice: correct answers, and the agreement of raters who finished each round."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.utils import timezone

from annotate.models import Batch, Judge, Judgment, PracticeRound
from annotate.protocol.dimensions import Dimension
from evaluation.labels.batch_agreement import NOT_COMPARED
from evaluation.labels.lengths import lengths_of
from evaluation.labels.study_labels import in_batch, read_answers
from evaluation.statistics import fleiss, gwet
from evaluation.statistics.open_coefficients import main, open_coefficients
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.votes import VoteColumns


@dataclass(frozen=True, slots=True)
class Kappa:
    """Fleiss' kappa of a round on one dimension, and its number of units.

    For answers that are not choices it is the coefficient of their scale.
    """

    dimension: Dimension
    value: Figure
    units: int


@dataclass(frozen=True, slots=True)
class Round:
    """The raters who did a practice set for the n-th time."""

    number: int
    begun: int
    finished: int
    passed: int
    right: int
    asked: int
    kappas: tuple[Kappa, ...]

    @property
    def share_right(self) -> float | None:
        return self.right / self.asked if self.asked else None


@dataclass(frozen=True, slots=True)
class Practice:
    """A practice set: its rounds, and how many rounds of excluded raters are left out."""

    at: datetime
    rounds: tuple[Round, ...]
    excluded: int


def practice(batch: Batch) -> Practice:
    """Return the rounds, each with the agreement of those who finished it."""
    rounds = list(PracticeRound.objects.filter(batch=batch).select_related("judge"))
    kept = [one for one in rounds if one.judge.standing != Judge.Standing.EXCLUDED]
    answers = read_answers(
        in_batch(Judgment.objects.current().filter(judge__round__batch=batch), batch),
        batch.study.protocol,
    )
    by_number: dict[int, list[PracticeRound]] = defaultdict(list)
    for one in kept:
        by_number[one.number].append(one)
    found = []
    for number in sorted(by_number):
        some = by_number[number]
        finished = [one.trainee_id for one in some if one.finished_at is not None]
        theirs = answers.where(np.isin(answers.judge, finished))
        kappas = tuple(
            _kappa(batch, d, theirs.votes(d.key, batch.dimensions)) for d in batch.dimension_list
        )
        found.append(_round(number, some, kappas))
    return Practice(at=timezone.now(), rounds=tuple(found), excluded=len(rounds) - len(kept))


def _round(number: int, some: Sequence[PracticeRound], kappas: tuple[Kappa, ...]) -> Round:
    finished = [one for one in some if one.finished_at is not None]
    return Round(
        number=number,
        begun=len(some),
        finished=len(finished),
        passed=sum(one.passed for one in finished),
        right=sum(one.right for one in finished),
        asked=sum(one.asked for one in finished),
        kappas=kappas,
    )


def _kappa(batch: Batch, dimension: Dimension, votes: VoteColumns) -> Kappa:
    """Compute kappa over the units that everybody answered: it needs equally many ratings."""
    ratings = votes.coded()
    shared = ratings.per_unit == len(ratings.judges)
    if ratings.units and not shared.any():
        return Kappa(dimension, undefined("there is nothing that everybody answered"), 0)
    if dimension.is_choice and len(ratings.judges) < 2:
        value = undefined("fewer than two raters" if ratings.units else "nothing was rated")
    elif dimension.is_choice:
        contributions = gwet.contributions(ratings.counts[shared], "nominal")
        value = fleiss.kappa(contributions.sum(axis=0))
    else:
        value = _open(batch, dimension, votes.where(shared[ratings.unit]))
    return Kappa(dimension, value, int(np.count_nonzero(shared)))


def _open(batch: Batch, dimension: Dimension, votes: VoteColumns) -> Figure:
    units = np.unique(votes.unit)
    lengths = lengths_of(batch.study, dimension, units.tolist())
    at_once = np.zeros(len(units), dtype=np.int64)  # no interval is needed
    found = open_coefficients(dimension, votes, at_once, 1, lengths=lengths)
    return found[main(dimension)].figure if found else undefined(NOT_COMPARED)
