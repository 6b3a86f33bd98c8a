"""A judge's rate corrected for its sensitivity and specificity.

With q the judge's mean on all responses, a the mean of its answer where people say no and a + b
where they say yes, both from the rated responses by the line of least squares F = a + b Y:

    sensitivity = a + b        specificity = 1 - a
    θ = (q - a) / b = (q + specificity - 1) / (sensitivity + specificity - 1)

Of shares of several statements the line gives the same, as the judge's mean is a + b Y there.

The interval has all θ for which q - a - b θ is not too far from 0 (Fieller 1954), with T = n + N:

    |q - a - b θ| <= t sqrt(V(θ)),    V(θ) = N var_N(F) / T² + Σ_i d_i(θ)²
    d_i(θ) = (F_i - F̄) / T - (1 / n + (θ - Ȳ) (Y_i - Ȳ) / S_YY) e_i,    e_i = F_i - a - b Y_i

It counts half a right and half a wrong answer more of each kind (one in Lang and Reiczigel): who
missed none of three did not show to miss none. Undefined where the interval has no end.

The rated responses must be like the rest. If they are not, the number is right only for people who
never err: the judge seems to miss what in truth the rater got wrong.

By hand: scipy and statsmodels have no rate with this correction.

W. J. Rogan and B. Gladen (1978), Estimating prevalence from the results of a screening test,
American Journal of Epidemiology 107(1), 71-76; E. C. Fieller (1954), Some problems in interval
estimation, Journal of the Royal Statistical Society B 16(2), 175-185; Z. Lang and J. Reiczigel
(2014), Confidence limits for prevalence of disease adjusted for estimated sensitivity and
specificity, Preventive Veterinary Medicine 113(1), 13-22.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import t_times
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]

ONE_ANSWER = "people gave one answer to everything they rated"
HALF = 0.5
FEW = "nothing was rated, or fewer than two responses were judged only by the judge"
BY_CHANCE = "the rated responses do not show that the judge is better than chance"


@dataclass(frozen=True, slots=True)
class Corrected:
    """What people would say of everything, by a judge whose errors are known."""

    mean: Figure
    interval: Interval
    sensitivity: Figure
    specificity: Figure


def corrected_rate(y: Floats, f: Floats, g: Floats, reason: str = "") -> Corrected:
    """`y` and `f` are of the rated responses, `g` of the others; a `reason` makes it undefined."""
    if len(g) < 2 or len(np.unique(y)) < 2:
        reason = reason or (ONE_ANSWER if len(g) > 1 and len(y) else FEW)
    if reason:
        return _nothing(reason, undefined(reason), undefined(reason))
    a, b = _line(y, f, np.ones(len(y)))
    sensitivity, specificity = (Figure(min(1.0, max(0.0, share))) for share in (a + b, 1 - a))
    ends = _ends(y, f, g)
    if ends is None or b <= 0:
        return _nothing(BY_CHANCE, sensitivity, specificity)
    mean = min(1.0, max(0.0, (float(np.append(f, g).mean()) - a) / b))
    interval = Interval(min(mean, ends[0]), max(mean, ends[1]))
    return Corrected(Figure(mean), interval, sensitivity, specificity)


def _line(y: Floats, f: Floats, many: Floats) -> tuple[float, float]:
    """Return a and b, with a number of times that each row counts."""
    mean, middle = np.average(np.stack([y, f]), axis=1, weights=many).tolist()
    b = float(((y - mean) * many) @ f / (many @ (y - mean) ** 2))
    return middle - b * mean, b


def _statements(y: Floats, f: Floats) -> float:
    """How many statements a response has, by how far their shares lie from the line."""
    a, b = _line(y, f, np.ones(len(y)))
    mean = np.clip(a + b * np.array([0.0, 1.0]), 0.0, 1.0)
    of_one = float((mean * (1 - mean)) @ [1 - y.mean(), y.mean()])
    spread = float(((f - a - b * y) ** 2).mean())
    return max(1.0, of_one / spread) if spread > 0 else 1.0


def _ends(y: Floats, f: Floats, g: Floats) -> tuple[float, float] | None:
    """None where the interval has no end: it solves a quadratic inequality."""
    n, others = len(y), len(g)
    many = np.append(np.ones(n), np.full(4, HALF / _statements(y, f)))
    y, f = np.append(y, [1.0, 1.0, 0.0, 0.0]), np.append(f, [1.0, 0.0, 1.0, 0.0])
    a, b = _line(y, f, many)
    counted, everything = float(many.sum()), float(many.sum()) + others
    mean, middle = np.average(np.stack([y, f]), axis=1, weights=many)
    error = f - a - b * y
    by_theta = -(y - mean) * error / (many @ (y - mean) ** 2)
    fixed = (f - middle) / everything - error / counted - mean * by_theta
    t, away = t_times(1.0, n), float(many @ f + g.sum()) / everything - a
    variance = float(many @ fixed**2) + others * float(g.var(ddof=1)) / everything**2
    square = b**2 - t**2 * float(many @ by_theta**2)
    if square <= 0:
        return None
    half = away * b + t**2 * float(many @ (fixed * by_theta))
    root = math.sqrt(max(0.0, half**2 - square * (away**2 - t**2 * variance)))
    low, high = (min(1.0, max(0.0, (half + side * root) / square)) for side in (-1, 1))
    return low, high


def _nothing(reason: str, sensitivity: Figure, specificity: Figure) -> Corrected:
    return Corrected(undefined(reason), Interval(None, None, reason), sensitivity, specificity)
