"""The interval of a sum of numbers, made of the intervals that each of them has.

With θ = Σ c θᵢ, cᵢ the factors, lᵢ and uᵢ the ends of θᵢ's interval (swapped where cᵢ < 0), and r
the correlation of two of them (method of variance estimates recovery, Zou and Donner 2008):

    low  = θ - sqrt(Σ cᵢ² (θᵢ - lᵢ)² + 2 Σ r cᵢ cⱼ |θᵢ - lᵢ| |θⱼ - lⱼ|)
    high = θ + sqrt(Σ cᵢ² (uᵢ - θᵢ)² + 2 Σ r cᵢ cⱼ |uᵢ - θᵢ| |uⱼ - θⱼ|)

Numbers near an end of their scale are off to one side more than to the other, and each interval
knows that; ± t times the standard error of the difference does not. How often the truth is held
stands in `bench/coverage_means.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from evaluation.statistics.bootstrap import Interval

NO_INTERVAL = "one of the numbers has no interval"


@dataclass(frozen=True, slots=True)
class Summand:
    """A number, its interval, and what it is multiplied with."""

    value: float
    interval: Interval
    factor: float = 1.0


def combined(parts: Sequence[Summand], together: float = 0.0) -> Interval:
    """The interval of the sum; `together` is the correlation of every two parts."""
    total, below, above = 0.0, [], []
    for part in parts:
        low, high = part.interval.low, part.interval.high
        if low is None or high is None:
            return Interval(None, None, NO_INTERVAL)
        ends = (part.value - low, high - part.value)
        down, up = ends if part.factor > 0 else ends[::-1]
        total += part.factor * part.value
        below.append(part.factor * down)
        above.append(part.factor * up)
    return Interval(total - _length(below, together), total + _length(above, together))


def difference(
    one: Summand, other: Summand, errors: tuple[float, float, float] | None = None
) -> Interval:
    """Of one number less another; `errors` are the standard errors of both and of the difference
    where they rest on the same draws."""
    first, second, both = errors or (0.0, 0.0, 0.0)
    together = (first**2 + second**2 - both**2) / (2 * first * second) if first * second else 0.0
    less = Summand(other.value, other.interval, -other.factor)
    return combined([one, less], max(-1.0, min(1.0, together)))


def _length(sides: Sequence[float], together: float) -> float:
    own = sum(side**2 for side in sides)
    return sqrt(max(0.0, own + together * (sum(sides) ** 2 - own)))
