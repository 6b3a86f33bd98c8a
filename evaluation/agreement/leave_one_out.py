"""Every rater against each of the others.

For judge w on unit u, with the others O = { v ≠ w : v has a vote and answered u }:

    share(w, u) = | { v in O : y_uv = y_uw } | / | O |        where O is not empty
    agreement(w) = mean of share(w, u) over the units u that w and somebody else answered

An answer is the same or it is not, on ordinal scales too. Who has no vote is compared all the
same, and nobody is compared with them. Units that nobody else rated say nothing.

Each of the others is asked by itself, not their majority: with three raters the two others often
tie, and a rule for ties would then decide who agrees.
"""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

from evaluation.agreement.ratings import Key, Votes


@dataclass(slots=True)
class Alike:
    """How far a rater's answers are those of the others."""

    units: int = 0
    comparisons: int = 0
    """With each of the others on each unit."""

    shares: float = 0.0
    """The units' shares, added up."""

    def add(self, same: int, others: int) -> None:
        """One unit, on which so many of so many others gave the same answer."""
        if others:
            self.units += 1
            self.comparisons += others
            self.shares += same / others

    @property
    def value(self) -> float | None:
        return self.shares / self.units if self.units else None

    @property
    def percent(self) -> float:
        return 100 * self.shares / self.units if self.units else 0.0


def same_as_others(votes: Votes, voters: Container[Key]) -> dict[Key, tuple[int, int]]:
    """Of the judges of one unit: how many others said the same, and of how many others."""
    said = Counter(value for judge, value in votes.items() if judge in voters)
    total = said.total()
    found: dict[Key, tuple[int, int]] = {}
    for judge, value in votes.items():
        own = judge in voters
        if total - own:
            found[judge] = (said[value] - own, total - own)
    return found
