"""Every rater against the majority of the others.

For judge w on unit u: does y_uw equal the majority (see `majority`) of { y_uv : v ≠ w }? Only
those who have a vote make up the others; who has none is compared all the same. Units that nobody
else rated say nothing.

The rater's own vote must not be among the others: with five raters it would carry a fifth of what
it is measured against.
"""

from collections.abc import Container

from evaluation.agreement.majority import majority
from evaluation.agreement.ratings import Key, Votes


class Others:
    """Compares votes with those of others, remembering the majorities it has worked out."""

    def __init__(self, dimension: str, voters: Container[Key]) -> None:
        self.dimension = dimension
        self.voters = voters
        self._known: dict[tuple[str, ...], str] = {}

    def agree(self, votes: Votes) -> dict[Key, bool]:
        """Of the judges of one unit: who agrees with the majority of the others."""
        counting = sorted(value for judge, value in votes.items() if judge in self.voters)
        found: dict[Key, bool] = {}
        for judge, value in votes.items():
            others = list(counting)
            if judge in self.voters:
                others.remove(value)
            if others:
                found[judge] = self._majority(tuple(others)) == value
        return found

    def _majority(self, values: tuple[str, ...]) -> str:
        if values not in self._known:
            self._known[values] = majority(values, self.dimension)
        return self._known[values]
