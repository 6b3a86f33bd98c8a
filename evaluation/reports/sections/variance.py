"""Variance components of ratings, and the reliability of one or more raters."""

from collections.abc import Callable

import numpy as np

from annotate.protocol.dimensions import UnitKind
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.people import coded_of
from evaluation.reports.sections.section import Panel, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import VarianceRow
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import people as tables
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.variance_components import (
    MOST_SHOWN,
    PARTS,
    VariancePart,
    raters_needed,
    spearman_brown,
    variances,
)

NO_NUMBER = "raters do not agree more than chance"
NO_END = "perhaps no number of raters is enough"


def variance(selected: Selected) -> list[VarianceRow]:
    """Return an entry for each item that people answered, without items about pairs."""
    return [
        row
        for item in selected.choice_items()
        if item.unit_kind is not UnitKind.PAIR and (row := _row(selected, item))
    ]


def _row(selected: Selected, item: ReportItem) -> VarianceRow | None:
    ratings = coded_of(selected, item)
    if not ratings.units:
        return None
    units = np.array(ratings.units, dtype=np.int64)
    worth = np.array([item.worth(value) for value in item.values])
    found = variances(
        worth[ratings.code],
        ratings.unit,
        ratings.judge,
        selected.unit_question[units].astype(np.int64),
        selected.unit_system[units].astype(np.int64),
    )
    n, own = len(ratings.unit), len(ratings.unit) / len(units)
    signature = selected.signed(item.key, "variance-components|henderson|jackknife|level:0.95|v:1")

    def printed(part: VariancePart) -> Number:
        return number(
            part.figure, n=n, of="ratings", error=part.error, interval=part.interval,
            signature=signature,
        )  # fmt: skip

    one, rho = found.one_rater, found.one_rater.figure.value
    return {
        "item": item.key,
        "units": len(units),
        "ratings": n,
        "raters": len(ratings.judges),
        "parts": {name: printed(found.shares[name]) for name in PARTS},
        "of_noise": printed(found.of_noise),
        "one_rater": printed(one),
        "own_raters": rounded(own),
        "own": printed(_through(one, lambda rho: spearman_brown(rho, own))),
        "by_raters": [
            None if rho is None else rounded(spearman_brown(rho, k))
            for k in range(1, MOST_SHOWN + 1)
        ],
        "needed": printed(_through(one, raters_needed)),
    }


def _through(one: VariancePart, of: Callable[[float], float | None]) -> VariancePart:
    """Transform one rater's reliability and the ends of its interval."""
    value, low, high = one.figure.value, one.interval.low, one.interval.high
    if value is None:
        return one
    made, ends = of(value), one.interval
    if low is not None and high is not None:
        two = [end for end in (of(low), of(high)) if end is not None]
        ends = Interval(min(two), max(two)) if len(two) == 2 else Interval(None, None, NO_END)
    return VariancePart(undefined(NO_NUMBER) if made is None else Figure(made), ends)


SECTION = Section(
    key="variance",
    shape=list[VarianceRow],
    build=variance,
    words="reliability of ratings",
    panel=Panel(
        "variance",
        "Reliability of ratings",
        22,
        "People rated nothing under these filters.",
        ("reliability",),
    ),
    tables=tables.variance,
    kinds=(
        Tables("reliability"),
        Tables("variance", folded="Parts of the variance"),
        Tables("by-raters", folded="Reliability by number of raters"),
    ),
)
