"""Juries: one verdict of several judges' answers, as people's votes become a label.

By majority and by Dawid and Skene's model it is the label that people's votes would have
(`labels.py`, `statistics/dawid_skene.py`). A weighted jury weighs each answer by its judge's
agreement with people's labels. With c_jl how often a judge said l where people say j,
n_j = Σ_l c_jl, and K values:

    p = mean over the j that people said of (c_jj + 1) / (n_j + K)
    w = log(p (K - 1) / (1 - p)), and 0 for judges no better than chance (p <= 1/K)

The verdict is the value with the largest sum of weights. Of two values w are the log-odds of being
right, which is the best rule where judges err independently of each other.

S. Nitzan and J. Paroush (1982), Optimal decision rules in uncertain dichotomous choice situations,
International Economic Review 23(2), 289-297.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import Dimension
from evaluation.statistics.bootstrap import numbered
from evaluation.statistics.chosen_threshold import NothingToLearnError, Part, to_learn_from
from evaluation.statistics.cohen import kappas
from evaluation.statistics.dawid_skene import likeliest, posteriors
from evaluation.statistics.improving import SaidOfUnits, TriedWay, compare, refuse_few_questions
from evaluation.statistics.labels import label_places
from evaluation.statistics.pairwise import pairs_of_counts, share
from evaluation.statistics.ranking import ONLY_NO, ONLY_YES
from evaluation.statistics.ratings import Figure
from evaluation.statistics.threshold import folds_of
from evaluation.statistics.votes import Keys, VoteColumns

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

Method = Literal["majority", "weighted", "dawid-skene"]
METHODS: tuple[Method, ...] = get_args(Method)

FEWEST = 2
"""The least number of judges that must have answered."""

DECIMALS = 4
"""Decimals of weights, so that equal ones tie."""

FEW = "fewer than two judges of the jury answered"
TIE = "the answers of the jury's judges tie"
WORTHLESS = "no judge of the jury that answered is better than chance"

WHO = "all of these judges"


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """Judges' answers on one dimension: units × judges.

    A cell is the place of the judge's value from low to high, -1 where it has none.
    """

    dimension: Dimension
    values: tuple[str, ...]
    """People's values from low to high, or those of automatic judges where these differ."""

    units: Keys
    said: Places

    def where(self, kept: NDArray[np.bool_]) -> "Ballots":
        return Ballots(self.dimension, self.values, self.units[kept], self.said[kept])

    def at(self, places: Mapping[int, int]) -> "Ballots":
        """Return ballots in which answers about the parser's claims also count for people's.

        They fill cells of people's claims about which the judge has no answer.
        """
        if not places:
            return self
        units = np.union1d(self.units, np.array([*places], dtype=np.int64))
        said = np.full((len(units), self.said.shape[1]), -1, dtype=np.int64)
        said[np.searchsorted(units, self.units)] = self.said
        for place, unit in places.items():
            own, led = np.searchsorted(units, [place, unit])
            said[own] = np.where(said[own] >= 0, said[own], said[led])
        return Ballots(self.dimension, self.values, units, said)

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each value speaks for the response."""
        return np.array([one in self.dimension.positive for one in self.values])

    def counts(self) -> Places:
        """Return how often each value was given to each unit."""
        size = len(self.values)
        return np.stack([(self.said == value).sum(axis=1) for value in range(size)], axis=1)

    def votes(self) -> VoteColumns:
        row, judge = np.nonzero(self.said >= 0)
        return VoteColumns(self.units[row], judge, self.said[row, judge], self.values)


@dataclass(frozen=True, slots=True, eq=False)
class JuryVerdicts:
    """The verdict of each unit, as the place of its value, or -1.

    `score` is the share, or the probability, of the values that speak for the response.
    """

    value: Places
    score: Floats
    counts: Places
    """How many judges gave each value."""

    def reason(self, row: int) -> str:
        """Return why a unit has no verdict."""
        if self.counts[row].sum() < FEWEST:
            return FEW
        return TIE if np.isfinite(self.score[row]) else WORTHLESS


def verdicts(ballots: Ballots, method: Method, weights: Sequence[float] = ()) -> JuryVerdicts:
    """Return the verdicts of a jury; `weights` are the judges' in a weighted one."""
    dimension, counts = ballots.dimension, ballots.counts()
    weighed = weigh(ballots, weights) if method == "weighted" else counts
    value = np.full(len(counts), -1, dtype=np.int64)
    counting = weighed.sum(axis=1) > 0
    if method == "dawid-skene":
        _, table = posteriors(ballots.votes().by_unit(), ballots.values)
        weighed = weighed.astype(float)
        weighed[counting] = table
        value[counting] = likeliest(table)
    else:
        value[counting] = label_places(dimension, weighed[counting])
    value[counts.sum(axis=1) < FEWEST] = -1
    with np.errstate(invalid="ignore"):
        score = weighed[:, ballots.is_positive].sum(axis=1) / weighed.sum(axis=1)
    return JuryVerdicts(value, score, counts)


def weigh(ballots: Ballots, weights: Sequence[float]) -> Places:
    """Return the weight behind each value, units × values, in units of the last decimal."""
    whole = np.rint(np.array(weights) * 10**DECIMALS).astype(np.int64)
    size = len(ballots.values)
    return np.stack([(ballots.said == value) @ whole for value in range(size)], axis=1)


# Learning from labels ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Learned:
    """The weight of each judge, and the units with the labels that were used."""

    weights: tuple[float, ...]
    units: tuple[int, ...]
    questions: int


@dataclass(frozen=True, slots=True)
class PeopleLabels:
    """The place of people's label, and the question, by unit."""

    labels: Mapping[int, int]
    questions: Mapping[int, str]
    places: Mapping[int, int] = field(default_factory=dict)
    """The judged unit of the parser, by the unit of people's claim."""

    def of(self, units: Keys) -> tuple[Places, list[str]]:
        known = units.tolist()
        places = np.array([self.labels[unit] for unit in known], dtype=np.int64)
        return places, [self.questions[unit] for unit in known]


def weights_of(ballots: Ballots, labels: Places) -> Floats:
    """Return the weight of each judge by these labels."""
    size = len(ballots.values)
    found = []
    for said in ballots.said.T:
        answered = said >= 0
        cells = labels[answered] * size + said[answered]
        table = np.bincount(cells, minlength=size * size).reshape(size, size)
        each = table.sum(axis=1)
        recalls = ((table.diagonal() + 1) / (each + size))[each > 0]
        p = recalls.mean() if len(recalls) else 1 / size
        found.append(max(0.0, float(np.log(p * (size - 1) / (1 - p)))))
    return np.array(found).round(DECIMALS)


def learn(ballots: Ballots, known: PeopleLabels, *, part: Part, seed: int) -> Learned:
    """Learn weights from the labels of half of the questions, or of all."""
    ballots = ballots.where(_labelled(ballots, known) & (ballots.said >= 0).any(axis=1))
    labels, questions = known.of(ballots.units)
    place, learns = to_learn_from(questions, part=part, seed=seed, who="these judges")
    here, of = ballots.where(learns), labels[learns]
    if len(np.unique(of)) < 2:
        raise NothingToLearnError(
            "In the questions to learn from people gave the same answer everywhere: nothing can "
            "be learned by that. Have more of them rated."
        )
    weights = weights_of(here, of)
    if not weights.any():
        raise NothingToLearnError(
            "None of these judges is better than chance by your labels, so none has a weight. "
            "Choose other judges, or have more rated."
        )
    questions_here = len(np.unique(place[learns]))
    return Learned(tuple(weights.tolist()), tuple(here.units.tolist()), questions_here)


def _labelled(ballots: Ballots, known: PeopleLabels) -> NDArray[np.bool_]:
    return np.isin(ballots.units, np.fromiter(known.labels, dtype=np.int64))


def agreement(ballots: Ballots) -> Figure:
    """Return the share of equal answers among pairs of judges on the same unit."""
    return share(pairs_of_counts(ballots.counts().astype(float)).sum(axis=0))


@dataclass(frozen=True, slots=True)
class JuryTrial:
    """A jury compared with the best of its judges, on labelled units that all of them answered.

    “Yes” is a value that speaks for the response.
    """

    best: int
    """The place of the judge with the highest kappa."""

    kappas: tuple[float | None, ...]
    ways: tuple[TriedWay, ...]


def tried(ballots: Ballots, known: PeopleLabels, scores: Floats, *, seed: int) -> JuryTrial:
    """Try every method; `scores` has the judges' own scores (units × judges), NaN for none.

    Weights are learned on nine tenths of the questions and tried on the rest, ten times.
    """
    shared = _labelled(ballots, known) & (ballots.said >= 0).all(axis=1)
    here, own = ballots.where(shared), scores[shared]
    labels, questions = known.of(here.units)
    places = numbered(questions)
    refuse_few_questions(places, WHO)
    marks = here.is_positive[labels].astype(float)
    if len(np.unique(marks)) < 2:
        reason = ONLY_YES if marks.all() else ONLY_NO
        raise NothingToLearnError(f"No result: {reason}. Have more rated.")
    yes = here.is_positive[here.said]
    each = [_kappa(marks, one) for one in yes.T]
    best = int(np.argmax([-np.inf if one is None else one for one in each]))
    before = own[:, best] if np.isfinite(own[:, best]).all() else None
    ways = []
    for method in METHODS:
        if method == "weighted":
            made = _weighted_elsewhere(here, labels, places, seed)
        else:
            made = _rows(verdicts(ballots, method), shared)
        kept = made.value >= 0
        if not kept.any():
            continue
        after = SaidOfUnits(here.is_positive[made.value[kept]], made.score[kept])
        alone = SaidOfUnits(yes[kept, best], None if before is None else before[kept])
        ways.append(compare(method, marks[kept], alone, after, numbered(places[kept].tolist())))
    return JuryTrial(best, tuple(each), tuple(ways))


def _kappa(marks: Floats, yes: NDArray[np.bool_]) -> float | None:
    table = np.bincount(2 * marks.astype(int) + yes, minlength=4).reshape(1, 2, 2).astype(float)
    [found] = kappas(table, "nominal")
    return float(found) if np.isfinite(found) else None


def _weighted_elsewhere(here: Ballots, labels: Places, places: Places, seed: int) -> JuryVerdicts:
    """Return verdicts by weights that were learned without the unit's question."""
    fold = folds_of(places, seed=seed)
    value = np.full(len(labels), -1, dtype=np.int64)
    score = np.full(len(labels), np.nan)
    for part in np.unique(fold):
        own = fold == part
        weights = weights_of(here.where(~own), labels[~own])
        made = verdicts(here.where(own), "weighted", weights.tolist())
        value[own], score[own] = made.value, made.score
    return JuryVerdicts(value, score, here.counts())


def _rows(made: JuryVerdicts, kept: NDArray[np.bool_]) -> JuryVerdicts:
    return JuryVerdicts(made.value[kept], made.score[kept], made.counts[kept])
