"""Permutation tests: judges that swap answers, signs that change, systems in another order.

**Two judges** that are equally good could each have given the answers of the other. So their
answers are swapped at random, and p is how often the difference of their numbers is then as large
as it was:

    PERM-INPUTS     swaps questions: both judges' answers to a question, for every system
    PERM-SYSTEMS    swaps systems: both judges' answers to a system
    PERM-BOTH       swaps systems and then questions
    p = (1 + permutations with |difference| >= the observed one) / (1 + permutations)

PERM-INPUTS and PERM-BOTH ask about these systems and other questions, PERM-SYSTEMS about other
systems. Values are standardised first, over all answers of a judge, so that a strict one and a mild
one can be swapped; their order and their correlations do not change. Questions beyond `BLOCKS` are
swapped in blocks of neighbours, which is a test of the same level.

**A variation** of the prompt that moves a judge's answers one way. Without an effect, each
question's sum of differences d_q could as well have the other sign. Signs are drawn at random, one
for each question, in blocks as above:

    p = (1 + draws with |Σ_q s_q d_q| >= |Σ_q d_q|) / (1 + draws)

**An order of systems** by chance, with Pearson's correlation:

    p = share of all orders of y whose correlation with x is at least the observed one; where that
        is below 0, at most the observed one

Of few systems all orders are tried, otherwise drawn ones, the observed one among them. A judge
whose numbers have nothing to do with people's reaches p <= a, on either side, in at most a share a
of studies, for any distribution of the numbers and any number of systems.

D. Deutsch, R. Dror and D. Roth (2021), A statistical analysis of summarization evaluation metrics
using resampling methods, Transactions of the ACL 9, 1132-1146; R. A. Fisher (1935), The design of
experiments, section 21; with the sums of clusters, M. D. Ernst (2004), Permutation methods,
Statistical Science 19(4), 676-685; E. J. G. Pitman (1937), Significance tests which may be applied
to samples from any populations II: the correlation coefficient test, Supplement to the Journal of
the Royal Statistical Society 4(2), 225-232; B. Phipson and G. K. Smyth (2010), Permutation p-values
should never be zero, Statistical Applications in Genetics and Molecular Biology 9(1), 39.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import CELLS
from evaluation.statistics.correlation import HARDLY
from evaluation.statistics.pairwise_accuracy import (
    better_by_chance,
    differences,
    sign_sums,
    soft_accuracies,
)
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.integer[Any]]
Swapped = Literal["inputs", "systems", "both"]
WAYS: tuple[Swapped, ...] = ("inputs", "systems", "both")

BLOCKS = 250
SIGN_DRAWS = 10_000
"""Enough that p stays small where it is corrected for a hundred tests."""

MOST_IN_FULL = 8
"""Systems up to which all orders are tried: 40,320."""

ORDERS_DRAWN = 19_999
MOST_SOFT = 40
"""The most systems for a test of the difference of soft accuracies."""

TOO_MANY = f"more than {MOST_SOFT} systems"
ROUNDING = 1e-9
"""The most that sums of the same numbers in another order differ by."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Sums of several judges' and people's values by question and system."""

    judges: Floats
    """Standardised values: judges × questions × systems."""

    people: Floats
    counts: Floats
    """The number of answers."""

    deviations: Floats
    """The standard deviation of each judge's values."""

    def means(self) -> Floats:
        """Return the means: judges × systems."""
        result: Floats = self.judges.sum(axis=1) / self.counts.sum(axis=0)
        return result

    def means_by_people(self) -> Floats:
        result: Floats = self.people.sum(axis=0) / self.counts.sum(axis=0)
        return result


def cells_of(judges: Floats, people: Floats, questions: Places, systems: Places) -> Cells:
    """Return sums from values of judges × answers and people's value of each answer.

    Questions and systems of answers are numbered from 0; each system has an answer.
    """
    deviations = judges.std(axis=1)
    scale = np.where(deviations > HARDLY * np.abs(judges).max(axis=1, initial=0.0), deviations, 1.0)
    standard = (judges - judges.mean(axis=1, keepdims=True)) / scale[:, None]
    shape = int(questions.max(initial=-1)) + 1, int(systems.max(initial=-1)) + 1
    places = np.ravel_multi_index((questions, systems), shape)

    def summed(values: Floats | None) -> Floats:
        result: Floats = np.bincount(places, values, minlength=shape[0] * shape[1]).astype(float)
        return result.reshape(shape)

    counts = summed(None)
    asked = counts.sum(axis=1) > 0
    each = np.stack([summed(values) for values in standard])[:, asked]
    return Cells(each, summed(people)[asked], counts[asked], scale)


class Swaps:
    """Permutations, the same ones for all pairs of judges."""

    def __init__(self, cells: Cells, *, permutations: int, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.cells, self.permutations = cells, permutations
        questions, systems = cells.counts.shape
        self.blocks = min(questions, BLOCKS)
        self._firsts = np.arange(self.blocks) * questions // self.blocks
        self._questions = (generator.random((permutations, self.blocks)) < 0.5).astype(float)
        self._systems: Flags = generator.random((permutations, systems)) < 0.5

    def means(self, one: int, other: int) -> dict[Swapped, tuple[Floats, Floats]]:
        """Return the means of all systems by the two judges, a row for each permutation."""
        moved = self._blocks(self.cells.judges[other] - self.cells.judges[one])
        gained = np.concatenate([masks @ moved for masks in self._masks(self.blocks)])
        gained /= self.cells.counts.sum(axis=0)
        x, y = self.cells.means()[[one, other]]
        inputs = x + gained, y - gained
        swapped = self._systems
        return {
            "inputs": inputs,
            "systems": (np.where(swapped, y, x), np.where(swapped, x, y)),
            "both": (np.where(swapped, *inputs[::-1]), np.where(swapped, *inputs)),
        }

    def p_of_means(
        self,
        one: int,
        other: int,
        drawn: tuple[Floats, Floats],
        statistic: Callable[[Floats], Floats],
    ) -> Figure:
        """Return p of the difference of a statistic of the systems' means, for drawn means."""
        x, y = statistic(self.cells.means()[[one, other]])
        return p_value(float(x - y), statistic(drawn[0]) - statistic(drawn[1]))

    def p_of_soft(self, one: int, other: int) -> Figure:
        """Return p by PERM-INPUTS of the difference of soft pairwise accuracies."""
        if self.cells.counts.shape[1] > MOST_SOFT:
            return undefined(TOO_MANY)
        by_people = better_by_chance(*sign_sums(self._of_questions(self.cells.people)))
        x, y = (self._by_question(self.cells.judges[judge]) for judge in (one, other))
        moved, squares = self._blocks(y - x), self._blocks(y**2 - x**2)
        (x, x2), (y, y2) = signs(x), signs(y)

        def difference(by: Floats, by2: Floats) -> Floats:
            first = better_by_chance(x + by, x2 + by2)
            second = better_by_chance(y - by, y2 - by2)
            return soft_accuracies(first, by_people) - soft_accuracies(second, by_people)

        drawn = [difference(m @ moved, m @ squares) for m in self._masks(moved.shape[1])]
        seen = difference(np.zeros_like(x), np.zeros_like(x))
        return p_value(float(seen), np.concatenate(drawn))

    def soft(self) -> Floats:
        """Return the soft pairwise accuracy of each judge."""
        people, *judges = (
            better_by_chance(*sign_sums(self._of_questions(each)))
            for each in (self.cells.people, *self.cells.judges)
        )
        return soft_accuracies(np.stack(judges), people)

    def _by_question(self, sums: Floats) -> Floats:
        """Return differences, questions × pairs of systems; 0 where one has no answer."""
        return np.nan_to_num(differences(self._of_questions(sums)))

    def _of_questions(self, sums: Floats) -> Floats:
        """Return means, questions × systems; NaN where there is no answer."""
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Floats = sums / self.cells.counts
        return result

    def _masks(self, wide: int) -> Iterator[Floats]:
        """Yield which blocks are swapped, as many permutations at a time as fit in memory."""
        step = max(1, CELLS // max(wide, self.blocks, 1))
        for first in range(0, self.permutations, step):
            yield self._questions[first : first + step]

    def _blocks(self, rows: Floats) -> Floats:
        result: Floats = np.add.reduceat(rows, self._firsts, axis=0)
        return result


def signs(by_question: Floats) -> tuple[Floats, Floats]:
    """Return Σ d_q and Σ d_q² of each pair of systems."""
    return by_question.sum(axis=0), (by_question**2).sum(axis=0)


def p_value(seen: float, drawn: Floats) -> Figure:
    """Return how often permutations reach the difference; undefined ones count as reaching it."""
    if not np.isfinite(seen):
        return undefined("the difference itself is undefined")
    below = np.count_nonzero(np.abs(drawn) < abs(seen) - ROUNDING)
    return Figure((1 + len(drawn) - below) / (1 + len(drawn)))


def p_of_signs(differences: Floats, *, seed: int) -> Figure:
    """Return p of the sum of the questions' differences, with signs drawn at random."""
    some = differences[differences != 0]
    wide = min(len(some), BLOCKS)
    blocks = np.array([part.sum() for part in np.array_split(some, wide)]) if wide else some
    signs = np.random.default_rng(seed).integers(0, 2, size=(SIGN_DRAWS, wide)) * 2.0 - 1
    return p_value(float(some.sum()), signs @ blocks)


def chance_of_order(x: Floats, y: Floats) -> float:
    """Return how often an order by chance fits at least as well, or as badly.

    It is 1 where all values are the same.
    """
    return chance_of_fit(x if ((x - x.mean()) * (y - y.mean())).sum() >= 0 else -x, y)


def chance_of_fit(x: Floats, y: Floats, tier: Flags | None = None) -> float:
    """Return how often an order by chance fits at least as well; 1 where all values are the same.

    With tiers, of which the lower comes first, chance exchanges only systems of the same tier.
    """
    one, other = x - x.mean(), y - y.mean()
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    if not size:
        return 1.0
    orders = _orders((False,) * len(x) if tier is None else tuple(tier.tolist()))
    reached = int(np.count_nonzero(other[orders] @ one >= one @ other - ROUNDING * size))
    if len(one) <= MOST_IN_FULL:
        return reached / len(orders)
    return (1 + reached) / (1 + ORDERS_DRAWN)


@lru_cache(maxsize=4)
def _orders(tier: tuple[bool, ...]) -> NDArray[np.intp]:
    if len(tier) <= MOST_IN_FULL:
        every = np.array(list(permutations(range(len(tier)))), dtype=np.intp)
        stays: Flags = (np.array(tier)[every] == tier).all(axis=1)
        return every[stays]
    draw = np.random.default_rng(0)
    return np.argsort(np.array(tier) + draw.random((ORDERS_DRAWN, len(tier))), axis=1)
