"""Do two numbers correlate with a third equally well? Williams' test, where all three are known of
the same things.

With r the correlation of one with people, s that of the other, q that of the two with each other,
n things, K = 1 - r² - s² - q² + 2 r s q:

    t = (r - s) sqrt((n - 1) (1 + q) / (2 K (n - 1) / (n - 3) + (r + s)² (1 - q)³ / 4))

two-sided p from Student's t with n - 3 degrees. The things count as drawn by chance, and the three
as normal.

E. J. Williams (1959), Regression analysis, Wiley; J. H. Steiger (1980), Tests for comparing
elements of a correlation matrix, Psychological Bulletin 87(2), 245-251; Y. Graham and T. Baldwin
(2014), Testing for significance of increased correlation with human judgment, EMNLP.
"""

import math
from dataclasses import dataclass

from evaluation.statistics.comparison import two_sided
from evaluation.statistics.ratings import Figure, undefined

LEAST = 4
SAME = "the two judges order everything alike"


@dataclass(frozen=True, slots=True)
class Williams:
    t: Figure
    p: Figure
    """Two-sided."""


def williams(one: float, other: float, between: float, n: int) -> Williams:
    """Of the correlation of `one` and of `other` with people, and of the two `between` them."""
    if n < LEAST:
        nothing = undefined(f"fewer than {LEAST} systems")
        return Williams(nothing, nothing)
    unexplained = 1 - one**2 - other**2 - between**2 + 2 * one * other * between
    spread = 2 * unexplained * (n - 1) / (n - 3) + (one + other) ** 2 * (1 - between) ** 3 / 4
    if spread <= 1e-12:
        return Williams(undefined(SAME), undefined(SAME))
    t = (one - other) * math.sqrt((n - 1) * (1 + between) / spread)
    return Williams(Figure(t), two_sided(t, n - 3))
