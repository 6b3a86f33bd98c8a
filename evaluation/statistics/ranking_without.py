"""AUC and average precision without each cluster in turn, in time linear in the units.

Units are sorted from the highest score down, in runs r of equal scores. With y_r the number of
“yes” in a run, Y_r and A_r those of “yes” and of all units down to its end, and small letters i_r,
a_r for the same of one cluster:

    AUC without it = (pairs - pairs with its “yes” - pairs with its “no” + pairs within it)
                     / (“yes” × “no” of the others)
    average precision without it
                   = Σ_r (y_r - its “yes” in r) (Y_r - i_r) / (A_r - a_r) / “yes” of the others

where a pair is a “yes” above a “no”, half of one where they tie. i and a stay the same between two
runs that hold units of the cluster, and 1 / (A - a) = Σ_k a^k / A^(k+1): so a stretch between them
is a few differences of running sums that all clusters share. Where A is not far above a, high up,
each run is computed separately.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

FAR = 32
"""A is far above a from this multiple of the units of a cluster on."""

TERMS = 12
"""Terms of the series; the rest is below FAR^-12 of the sum, which is less than its last bit."""

CELLS = 2_000_000
"""Clusters × runs held in memory at a time: 16 MB."""


def rankings_without_each(labels: Flags, scores: Floats, of: Whole, clusters: int) -> Floats:
    """Return AUC and average precision without each cluster; NaN where a label does not occur.

    Units are sorted from the highest score down; `of` has the cluster of each.
    """
    runs = _Runs(labels, scores)
    held = _Held(labels, runs.of_unit, of, clusters)
    yes, no = runs.all_yes - held.yes, (runs.all_units - runs.all_yes) - (held.units - held.yes)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.column_stack(
            [_pairs(runs, held) / (yes * no), np.where(yes, _precisions(runs, held) / yes, np.nan)]
        )


class _Runs:
    """Runs of equal scores: the numbers of “yes” and of units within each, and down to its end."""

    def __init__(self, labels: Flags, scores: Floats) -> None:
        new = np.concatenate([[True], np.diff(scores) != 0])[: len(scores)]
        self.of_unit: Whole = new.cumsum() - 1
        size = int(new.sum())
        self.yes: Whole = np.bincount(self.of_unit[labels], minlength=size)
        self.units: Whole = np.bincount(self.of_unit, minlength=size)
        self.yes_to_end: Whole = self.yes.cumsum()
        self.units_to_end: Whole = self.units.cumsum()
        self.all_yes, self.all_units = int(self.yes.sum()), len(labels)

    def __len__(self) -> int:
        return len(self.units)


class _Held:
    """The numbers of each cluster in each run that has units of it, sorted by cluster."""

    def __init__(self, labels: Flags, run: Whole, of: Whole, clusters: int) -> None:
        width = int(run.max(initial=0)) + 1
        places, within = np.unique(of * width + run, return_inverse=True)
        self.cluster, self.run = places // width, places % width
        self.yes_here: Whole = np.bincount(within[labels], minlength=len(places))
        self.units_here: Whole = np.bincount(within, minlength=len(places))
        self.yes = _summed(self.cluster, self.yes_here, clusters)
        self.units = _summed(self.cluster, self.units_here, clusters)
        self.first: Whole = np.searchsorted(self.cluster, np.arange(clusters + 1))
        self.yes_to_end = self._to_end(self.yes_here)
        self.units_to_end = self._to_end(self.units_here)

    def _to_end(self, here: Whole) -> Whole:
        whole = np.concatenate([[0], here.cumsum()])
        return np.asarray(whole[1:] - whole[self.first[self.cluster]])


def _summed(cluster: Whole, each: NDArray[np.generic], clusters: int) -> Whole:
    return np.bincount(cluster, each, minlength=clusters).astype(np.int64)


def _pairs(runs: _Runs, held: _Held) -> Floats:
    """Return the pairs of “yes” above “no” without each cluster."""
    size = len(held.yes)
    no = runs.units - runs.yes
    below = (runs.all_units - runs.all_yes) - (runs.units_to_end - runs.yes_to_end) + no / 2
    above = runs.yes_to_end - runs.yes / 2
    no_here = held.units_here - held.yes_here
    all_no = (held.units - held.yes)[held.cluster]
    own_below = all_no - (held.units_to_end - held.yes_to_end) + no_here / 2
    with_it = held.yes_here * below[held.run] + no_here * above[held.run]
    lost = np.bincount(held.cluster, with_it - held.yes_here * own_below, minlength=size)
    result: Floats = (runs.yes * below).sum() - lost
    return result


def _precisions(runs: _Runs, held: _Held) -> Floats:
    """Return the sum of precisions at each “yes” without each cluster, by size of clusters."""
    result = np.zeros(len(held.yes))
    # A cluster without units is treated as one of one unit.
    power = np.ceil(np.log2(np.maximum(held.units, 1))).astype(np.int64)
    for each in np.unique(power).tolist():
        chosen = np.flatnonzero(power == each)
        most = 2**each
        high = int(np.searchsorted(runs.units_to_end, FAR * most))
        result[chosen] = _high_up(runs, held, chosen, high)
        if high < len(runs):
            result[chosen] += _further_down(runs, held, chosen, high, most)
    return result


def _high_up(runs: _Runs, held: _Held, chosen: Whole, high: int) -> Floats:
    """Return the sums over the first runs, one by one."""
    result = np.zeros(len(chosen))
    step = max(1, CELLS // max(high, 1))
    for first in range(0, len(chosen), step):
        some = chosen[first : first + step]
        entries, row = _entries(held, some)
        near = held.run[entries] < high
        entries, row = entries[near], row[near]
        yes, units = np.zeros((2, len(some), high))
        yes[row, held.run[entries]] = held.yes_here[entries]
        units[row, held.run[entries]] = held.units_here[entries]
        here = runs.yes[:high] - yes
        above = runs.yes_to_end[:high] - yes.cumsum(axis=1)
        reached = runs.units_to_end[:high] - units.cumsum(axis=1)
        each = np.divide(here * above, reached, out=np.zeros_like(here), where=reached > 0)
        result[first : first + step] = each.sum(axis=1)
    return result


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Runs from `first` to before `end`, with a cluster's numbers above and among them."""

    row: Whole
    first: Whole
    end: Whole
    yes: Whole
    units: Whole


def _further_down(runs: _Runs, held: _Held, chosen: Whole, high: int, most: int) -> Floats:
    """Return the sums over the other runs, by stretches with constant counts of the cluster."""
    result = _stretches(held, chosen, high, len(runs))
    each = np.zeros(len(result.row))
    per_run = runs.yes[high:] / runs.units_to_end[high:]
    share = most / runs.units_to_end[high:]
    for term in range(TERMS):
        weighed = per_run * share**term
        of_all = _running(weighed * runs.yes_to_end[high:])
        of_own = _running(weighed)
        first, end = result.first - high, result.end - high
        stretch = of_all[end] - of_all[first] - result.yes * (of_own[end] - of_own[first])
        each += (result.units / most) ** term * stretch
    entries, row = _entries(held, chosen)
    far = held.run[entries] >= high
    entries, row = entries[far], row[far]
    run = held.run[entries]
    above = runs.yes_to_end[run] - held.yes_to_end[entries]
    reached = runs.units_to_end[run] - held.units_to_end[entries]
    own = held.yes_here[entries] * above / reached
    size = len(chosen)
    total: Floats = np.bincount(result.row, each, minlength=size).astype(np.float64)
    return total - np.bincount(row, own, minlength=size)


def _stretches(held: _Held, chosen: Whole, high: int, end: int) -> _Stretches:
    """Return stretches from `high` on: one from each run with units of the cluster, one before."""
    entries, row = _entries(held, chosen)
    last = np.ones(len(entries), dtype=bool)
    last[:-1] = row[1:] != row[:-1]
    next_run = np.where(last, end, np.append(held.run[entries], end)[1:])
    leading = np.arange(len(chosen))
    has = held.first[chosen + 1] > held.first[chosen]
    first_run = np.full(len(chosen), end)
    first_run[has] = held.run[held.first[chosen[has]]]
    zeros = np.zeros(len(chosen), dtype=np.int64)
    return _Stretches(
        row=np.concatenate([leading, row]),
        first=np.maximum(np.concatenate([zeros, held.run[entries]]), high),
        end=np.maximum(np.concatenate([first_run, next_run]), high),
        yes=np.concatenate([zeros, held.yes_to_end[entries]]),
        units=np.concatenate([zeros, held.units_to_end[entries]]),
    )


def _entries(held: _Held, chosen: Whole) -> tuple[Whole, Whole]:
    """Return the places in `held` of some clusters, and the cluster of each place."""
    count = held.first[chosen + 1] - held.first[chosen]
    row = np.repeat(np.arange(len(chosen)), count)
    before = np.repeat(count.cumsum() - count, count)
    return held.first[chosen][row] + np.arange(len(row)) - before, row


def _running(each: Floats) -> Floats:
    """Return the running sums, with 0 first."""
    return np.concatenate([[0.0], each.cumsum()])
