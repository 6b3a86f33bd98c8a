"""From logits to probabilities that mean something, and the best place to say “entailed”.

Temperature: C. Guo et al. (2017), On Calibration of Modern Neural Networks,
https://arxiv.org/abs/1706.04599, section 4.2. The combination is a logistic regression on the
network's logit and what `coverage` looks at.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from training.scorer.gate import arrays, balanced, cases
from training.scorer.pairs import LabelledPair

Numbers = NDArray[np.float64]

FOLDS = 10
STRENGTH = 1.0
"""Of the regression's penalty, as its inverse."""
TEMPERATURES = np.exp(np.linspace(np.log(0.25), np.log(8.0), 201))


def evenly(pairs: Sequence[LabelledPair]) -> Numbers:
    """Weights, 1 in the mean, with which both labels of every source count about the same, a large
    source more than a small one, as its square root."""
    keys = [(pair.source, pair.label) for pair in pairs]
    counts = Counter(keys)
    found: Numbers = np.array([counts[key] ** -0.5 for key in keys])
    found /= found.mean()
    return found


def temperature(pairs: Sequence[LabelledPair], logits: Sequence[float]) -> float:
    """What logits are divided by, so that their probabilities fit the labels best."""
    labels = np.array([pair.label for pair in pairs], dtype=np.float64)
    found, even = np.asarray(logits, dtype=np.float64), evenly(pairs)
    losses = [_loss(labels, found / one, even) for one in TEMPERATURES]
    return float(round(TEMPERATURES[int(np.argmin(losses))], 3))


def _loss(labels: Numbers, logits: Numbers, even: Numbers) -> float:
    return float((even * (np.logaddexp(0, logits) - labels * logits)).sum() / even.sum())


def threshold(pairs: Sequence[LabelledPair], probabilities: Sequence[float]) -> float:
    """From where on “entailed” is right most often, both labels counting the same."""
    labels, scores = arrays(cases(pairs, probabilities))
    cuts = np.unique(scores)
    right = [balanced(labels, (scores >= cut).astype(np.float64)) for cut in cuts]
    best = int(np.argmax(right))
    # Halfway to the next lower score: a threshold exactly on one would be a matter of rounding.
    below = cuts[best - 1] if best else cuts[best]
    return float(round((cuts[best] + below) / 2, 4))


@dataclass(frozen=True, slots=True)
class Combination:
    """Weights of a logistic regression, by what they weigh, and its bias."""

    weights: dict[str, float]
    bias: float

    def probabilities(self, features: Numbers) -> Numbers:
        """Of rows with a value for each weight, in their order."""
        totals = features @ np.array(list(self.weights.values())) + self.bias
        found: Numbers = 1 / (1 + np.exp(-totals))
        return found


def combination(
    names: Sequence[str], features: Numbers, pairs: Sequence[LabelledPair]
) -> Combination:
    """Fitted to labelled pairs."""
    spread = features.std(axis=0)
    spread[spread == 0] = 1.0  # what never differs gets no weight
    model = LogisticRegression(C=STRENGTH, max_iter=1_000)
    model.fit(features / spread, [pair.label for pair in pairs], sample_weight=evenly(pairs))
    found = model.coef_[0] / spread
    return Combination(
        {name: float(round(one, 4)) for name, one in zip(names, found, strict=True)},
        float(round(model.intercept_[0], 4)),
    )


def folds(pairs: Sequence[LabelledPair], seed: int, number: int = FOLDS) -> NDArray[np.int64]:
    """A fold for each pair; those about the same text are in the same."""
    names = [pair.group or pair.premise for pair in pairs]
    order = sorted(set(names))
    random.Random(seed).shuffle(order)  # noqa: S311 nothing secret
    fold = {name: place % number for place, name in enumerate(order)}
    return np.array([fold[name] for name in names])


def combined_elsewhere(
    names: Sequence[str], features: Numbers, pairs: Sequence[LabelledPair], *, seed: int
) -> Numbers:
    """The probability of each pair, by a combination fitted without its fold."""
    found = np.zeros(len(pairs))
    of = folds(pairs, seed)
    for fold in sorted(set(of.tolist())):
        others = [n for n in range(len(pairs)) if of[n] != fold]
        these = of == fold
        made = combination(names, features[others], [pairs[n] for n in others])
        found[these] = made.probabilities(features[these])
    return found
