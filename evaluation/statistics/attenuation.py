"""Pearson over systems, when each system's two numbers are means over questions.

With x̄_s and ȳ_s the means of system s, S of them, and a dot for what is left when the mean over
systems is taken off:

    r     = Σ ẋ_s ẏ_s / sqrt(Σ ẋ_s² Σ ẏ_s²)            of the means as they are

The means differ from those over endless questions: each is off by chance, which spreads the
systems and draws r to 0 (C. Spearman, 1904, The proof and measurement of association between two
things, American Journal of Psychology 15(1), 72-101). Draws of questions, x̄*_s and ȳ*_s, estimate
what the chance of the questions adds to the three sums, with Q questions and E the mean over draws:

    t_xx  = Q / (Q - 1) · E Σ (ẋ*_s - ẋ_s)²,   t_yy alike
    rel_x = 1 - t_xx / Σ ẋ_s²                          reliability of the systems' differences

(W. A. Fuller, 1987, Measurement error models, section 1.2.)

Value and interval come from the inversion of one test (E. L. Lehmann and J. P. Romano, 2005,
Testing statistical hypotheses, section 3.5, of bounds and median-unbiased estimates). For each true
correlation ρ there is a world: x as the means are, narrowed to the spread Σ ẋ² - t_xx; y of the
spread Σ ẏ² - t_yy, turned towards x or away from it, in the plane of both, until their Pearson is
ρ. To both the chance of each draw is added, (x̄*_s - x̄_s) sqrt(Q / (Q - 1)), and r is taken. The
value is the ρ in whose world the observed r is the median of the draws, or the end of the scale
where r is beyond that. The interval has each ρ in whose world r is neither among the highest 2.5 %
of the draws nor among the lowest. So the value is always inside its interval. Where no ρ is left,
both are undefined. They hold for these systems.

For **other systems of the kind** each draw also draws the systems: S pairs of normal numbers whose
correlation is ρ, narrowed to the same two spreads (R. A. Fisher, 1915, Biometrika 10(4), 507-521,
is the case without chance of questions). So only their positions to each other are drawn: how far
these systems are apart was observed, and r is judged by it. Where the spreads were also drawn, the
interval held the truth in up to 99 % of studies. Drawing the systems themselves again, as questions
are drawn, holds it too often with 8 of them, and far too seldom where chance is large
(`bench/coverage.py`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import LEAST_DEFINED, Interval
from evaluation.statistics.correlation import LEAST
from evaluation.statistics.error_bars import TOO_FEW, TOO_OFTEN_UNDEFINED
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]

LEAST_RELIABLE = 0.5
"""Below it the systems differ less than the chance of the questions makes them."""

NO_WORLD = "no true correlation explains these numbers; rate more questions"
WARNING = "with these questions, the systems hardly differ more than by chance; rate more questions"
GRID = np.concatenate([[-1.0], np.tanh(np.linspace(-3.2, 3.2, 51)), [1.0]])
"""The values of ρ that are tried; between two of them the share of draws is interpolated."""


@dataclass(frozen=True, slots=True)
class InvertedTest:
    """A true correlation and its interval: both are defined, or neither is."""

    figure: Figure
    interval: Interval


@dataclass(frozen=True, slots=True)
class Attenuated:
    """A correlation of systems' means, without the chance of questions."""

    these: InvertedTest
    """The correlation of these systems over endless questions."""

    others: InvertedTest
    """The correlation of all systems from which these might have been drawn."""

    reliability: tuple[Figure, Figure]
    """Of x and of y."""

    @property
    def warning(self) -> str:
        """Why neither the number nor its interval says much; empty where they do."""
        low = [one for one in self.reliability if (one.value or 0.0) < LEAST_RELIABLE]
        return WARNING if low and self.these.figure.value is not None else ""


def unknown(reason: str) -> Attenuated:
    """Return the result where nothing can be estimated."""
    test, none = _undefined_test(reason), undefined(reason)
    return Attenuated(test, test, (none, none))


def attenuated(
    x: Floats, y: Floats, drawn_x: Floats, drawn_y: Floats, questions: int, *, seed: int = 0
) -> Attenuated:
    """Return the correlation of the systems' means without the chance of questions.

    `drawn_x` and `drawn_y` are the means of each draw of the questions (draws × systems). `x` and
    `y` must differ between systems, otherwise Pearson is undefined.
    """
    kept = np.flatnonzero(np.isfinite(drawn_x + drawn_y).all(axis=1))
    reason = f"fewer than {LEAST} systems" if len(x) < LEAST else ""
    if not reason and questions < 2:
        reason = TOO_FEW
    if not reason and len(kept) < max(2, LEAST_DEFINED * len(drawn_x)):
        reason = TOO_OFTEN_UNDEFINED
    if reason:
        return unknown(reason)
    larger = np.sqrt(questions / (questions - 1))
    worlds = _Worlds(
        _centred(x),
        _centred(y),
        _centred((drawn_x[kept] - x) * larger),
        _centred((drawn_y[kept] - y) * larger),
    )
    systems = np.random.default_rng([seed, len(x)]).standard_normal((2, len(kept), len(x)))
    return Attenuated(
        worlds.estimate(worlds.as_they_are()),
        worlds.estimate(_centred(systems)),
        worlds.reliability(),
    )


class _Worlds:
    """Worlds of each ρ, from two numbers of each system and the chance added in each draw."""

    def __init__(self, x: Floats, y: Floats, chance_x: Floats, chance_y: Floats) -> None:
        self.x, self.y, self.chance_x, self.chance_y = x, y, chance_x, chance_y
        self.seen = np.array([x @ x, y @ y, x @ y])
        self.of_chance = np.array([_dot(chance_x, chance_x), _dot(chance_y, chance_y),
                                   _dot(chance_x, chance_y)])  # fmt: skip
        self.left = (self.seen - self.of_chance.mean(axis=1))[:2]

    def reliability(self) -> tuple[Figure, Figure]:
        one, other = (Figure(max(0.0, float(self.left[n] / self.seen[n]))) for n in (0, 1))
        return one, other

    def as_they_are(self) -> Floats:
        """Return the direction of x, and the one across it towards y, the same in each draw."""
        along = self.x / np.sqrt(self.seen[0])
        across = self.y - along * (along @ self.y)
        size = np.sqrt(across @ across)
        # All systems are on one line: any direction across it will do.
        if size <= 1e-9 * np.sqrt(self.seen[1]):
            one, two = np.argsort(-np.abs(along), kind="stable")[:2]
            across = np.zeros(len(along))
            across[[one, two]] = along[two], -along[one]
            across = _centred(across)
            size = np.sqrt(across @ across)
        return np.stack([along, across / size])[:, None, :]

    def estimate(self, directions: Floats) -> InvertedTest:
        """Return the values of ρ that r does not contradict, and the one whose median r is.

        `directions` has two for each draw: x is along the first one, and y at an angle to it.
        """
        drawn = self._drawn(directions)
        seen = self.seen[2] / np.sqrt(self.seen[0] * self.seen[1])
        lower = ((drawn < seen - 1e-12).mean(axis=1) + (drawn <= seen + 1e-12).mean(axis=1)) / 2
        if lower.min() > 0.975 or lower.max() < 0.025:
            return _undefined_test(NO_WORLD)
        # Each falls below 0 towards the plausible values: from below, and from above.
        low, high = _first(GRID, lower - 0.975), _first(GRID[::-1], (0.025 - lower)[::-1])
        return InvertedTest(Figure(_first(GRID, lower - 0.5)), Interval(low, high))

    def _drawn(self, directions: Floats) -> Floats:
        """Return r in the world of each ρ, for each draw."""
        along, across = directions
        wide, high = np.sqrt(np.maximum(self.left, 0.05 * self.of_chance[:2].mean(axis=1)))
        to_x, to_x_across = _dot(along, self.chance_x), _dot(across, self.chance_x)
        to_y, to_y_across = _dot(along, self.chance_y), _dot(across, self.chance_y)
        one, two, both = _dot(along, along), _dot(across, across), _dot(along, across)
        rho = GRID[:, None]
        rest = np.sqrt(1 - rho * rho)
        x = wide / np.sqrt(one)
        y = high / np.sqrt(rho**2 * one + 2 * rho * rest * both + rest**2 * two)
        xx = wide**2 + 2 * x * to_x + self.of_chance[0]
        yy = high**2 + 2 * y * (rho * to_y + rest * to_y_across) + self.of_chance[1]
        xy = (
            x * y * (rho * one + rest * both)
            + x * to_y
            + y * (rho * to_x + rest * to_x_across)
            + self.of_chance[2]
        )
        result: Floats = xy / np.sqrt(np.maximum(xx * yy, 1e-300))
        return result


def _undefined_test(reason: str) -> InvertedTest:
    return InvertedTest(undefined(reason), Interval(None, None, reason))


def _first(grid: Floats, against: Floats) -> float:
    """Return the first ρ that nothing contradicts, interpolated; else the end of the grid."""
    plausible = np.flatnonzero(against <= 0)
    place = int(plausible[0]) if len(plausible) else len(grid) - 1
    if place == 0 or not len(plausible):
        return float(grid[place])
    before, after = against[place - 1], against[place]
    return float(grid[place - 1] + (grid[place] - grid[place - 1]) * before / (before - after))


def _centred(rows: Floats) -> Floats:
    result: Floats = rows - rows.mean(axis=-1, keepdims=True)
    return result


def _dot(one: Floats, other: Floats) -> Floats:
    result: Floats = np.einsum("...s,...s->...", one, other)
    return result
