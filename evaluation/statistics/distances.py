"""Krippendorff's alpha of answers with a distance: numbers, and sets of choices.

With δ the distance of two answers to one unit, m_u >= 2 the answers to unit u, n the sum of them:

    seen_u = Σ_{i ≠ j} δ(i, j) / (m_u - 1)                    over ordered pairs of answers to u
    chance = Σ_{c, k} n_c n_k δ(c, k)                         over all values given
    α      = 1 - (n - 1) Σ_u seen_u / chance

    numbers   δ = (c - k)²
    Jaccard   δ = 1 - J,     J = |A ∩ B| / |A ∪ B|, and 1 of two empty sets
    MASI      δ = 1 - J M,   M = 1 where A = B; 2/3 where one is a part of the other; 1/3 where they
                             share something and each has more; 0 where they share nothing

R. Passonneau (2006), Measuring agreement on set-valued items (MASI) for semantic and pragmatic
annotation, LREC, 831-836, whose distance is used in alpha as it is; K. Krippendorff (2011),
Computing Krippendorff's alpha-reliability. An empty set and another one share nothing.

The chance is a quadratic form in sums over units, so that a bootstrap only adds and multiplies: for
sets in how often each was given, for numbers in n, Σ x and Σ x², as

    chance = 2 (n Σ x² - (Σ x)²)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.answers import NOTHING

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.signedinteger[Any]]

SetMetric = Literal["masi", "jaccard"]

NOTHING_TWICE = "nothing has two ratings yet"
ALL_THE_SAME = "all answers are the same"

_ROUNDING = 1e-12
"""A chance that is smaller than this, relative to its terms, is zero."""


def set_distances(values: Sequence[str], metric: SetMetric) -> Floats:
    """Return the distance of every two sets of choices."""
    parts = [frozenset() if value == NOTHING else frozenset(value.split("|")) for value in values]
    place = {name: column for column, name in enumerate(sorted(frozenset[str]().union(*parts)))}
    has = np.zeros((len(values), len(place)))
    for row, names in enumerate(parts):
        has[row, [place[name] for name in names]] = 1
    size = has.sum(axis=1)
    shared = has @ has.T
    either = size[:, None] + size[None, :] - shared
    alike = np.divide(shared, either, out=np.ones_like(shared), where=either > 0)
    if metric == "masi":
        within = (shared == size[:, None]) | (shared == size[None, :])
        part = np.where(within, 2 / 3, 1 / 3)
        alike = alike * np.where(shared == either, 1.0, part)
    result: Floats = 1 - alike
    return result


def pairs(unit: Places) -> Iterator[tuple[Places, Places]]:
    """Yield the rows of every two answers to the same unit, some at a time; `unit` is sorted."""
    apart = 1
    while len(first := np.flatnonzero(unit[:-apart] == unit[apart:])):
        yield first, first + apart
        apart += 1


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The components of alpha.

    `sums` has for each cluster the observed disagreement, the answers to units with at least two,
    and the sums whose quadratic form `form` is the chance.
    """

    sums: Floats
    form: Floats


def of_sets(unit: Places, value: Places, apart: Floats, clusters: Places, number: int) -> Spread:
    """Return the components for sets: `value` is the place of each answer, `apart` the distances.

    `clusters` has the cluster of each answer, by its place among `number` of them.
    """
    seen, several = _seen(unit, lambda one, other: apart[value[one], value[other]])
    size = len(apart)
    cells = (clusters * size + value)[several]
    given = np.bincount(cells, minlength=number * size).reshape(number, size).astype(float)
    base = _by_cluster([seen, np.ones(len(seen))], several, clusters, number)
    if size <= number:
        return Spread(np.hstack([base, given]), apart)
    # Fewer clusters than values: the form of every two clusters.
    return Spread(np.hstack([base, np.eye(number)]), given @ apart @ given.T)


def of_numbers(unit: Places, answer: Floats, clusters: Places, number: int) -> Spread:
    """Return the components for numbers; whole numbers are summed without rounding."""
    seen, several = _seen(unit, lambda one, other: (answer[one] - answer[other]) ** 2)
    away = answer - (float(np.median(answer).round()) if len(answer) else 0.0)
    ones = np.ones(len(answer))
    sums = _by_cluster([seen, ones, ones, away, away**2], several, clusters, number)
    return Spread(sums, np.array([[0.0, 0.0, 1.0], [0.0, -2.0, 0.0], [1.0, 0.0, 0.0]]))


def _seen(unit: Places, apart: Callable[[Places, Places], Floats]) -> tuple[Floats, Flags]:
    """Return each answer's distance to others about its unit, and whether there are any."""
    _, row, times = np.unique(unit, return_inverse=True, return_counts=True)
    others = (times - 1)[row]
    result = np.zeros(len(unit))
    for one, other in pairs(unit):
        result[one] += 2 * apart(one, other) / others[one]
    return result, others > 0


def _by_cluster(columns: Sequence[Floats], kept: Flags, clusters: Places, number: int) -> Floats:
    return np.column_stack(
        [np.bincount(clusters[kept], one[kept], minlength=number) for one in columns]
    )


def alphas(drawn: Floats, form: Floats) -> Floats:
    """Return alpha of each of several rows of `Spread.sums`; NaN where undefined."""
    seen, n, sums = drawn[:, 0], drawn[:, 1], drawn[:, 2:]
    chance = ((sums @ form) * sums).sum(axis=1)
    most = ((np.abs(sums) @ np.abs(form)) * np.abs(sums)).sum(axis=1)
    known = chance > _ROUNDING * most
    result: Floats = 1 - np.divide((n - 1) * seen, chance, out=np.full(len(n), np.nan), where=known)
    return result
