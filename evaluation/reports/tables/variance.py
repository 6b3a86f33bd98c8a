"""Tables of variance components and of the reliability of raters."""

from collections.abc import Callable
from typing import Any

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import ITEM, UNITS
from evaluation.reports.tables.table import Field, Table, tables_of_rows
from evaluation.statistics.variance_components import MOST_SHOWN, PARTS, RELIABLE

SHARES = "Share of the variance"
RELIABILITY = "Reliability (1 is best)"


def _part(key: str) -> Callable[[Any], Any]:
    return lambda row: row["parts"][key]


def _of_so_many(place: int) -> Callable[[Any], Any]:
    return lambda row: row["by_raters"][place]


MAIN = (
    ITEM,
    Field("of_noise", "Noise due to raters", "share", 1, "interval"),
    Field("one_rater", "One rater", "number", 2, "interval", RELIABILITY),
    Field("own", "As rated here", "number", 2, "interval", RELIABILITY),
    Field("own_raters", "Ratings per unit", "number", 1),
    Field("needed", f"Raters for {RELIABLE}", "number", 0, "interval"),
)
ALL_PARTS = (
    ITEM,
    UNITS,
    Field("ratings", "Ratings", "count"),
    Field("raters", "Raters", "count"),
    *(
        Field(f"{key}_part", key.capitalize(), "share", 1, "interval", SHARES, _part(key))
        for key in PARTS
    ),
)
NOTES = (
    "Noise is how much ratings of the same unit differ. The part due to raters is that some are "
    "stricter than others; training can lower it. More raters average out the rest.",
    "Reliability: the share of the variance of the raters' mean that is not noise (intraclass "
    "correlation, Spearman-Brown).",
    "Intervals are by the jackknife over questions, about these raters and systems.",
)


def variance(report: Report) -> list[Table]:
    """Return reliability, the parts of the variance, and reliability by number of raters."""
    rows = report["variance"]
    main = tables_of_rows(
        report,
        "reliability",
        "Reliability of ratings",
        "How much of the noise comes from raters, and how many raters are enough. With 95 % "
        "intervals.",
        MAIN,
        rows,
        NOTES,
    )
    parts = tables_of_rows(
        report,
        "variance",
        "Parts of the variance",
        "How much of the differences among ratings comes from what. With 95 % intervals.",
        ALL_PARTS,
        rows,
        NOTES[-1:],
        detail=True,
    )
    columns = (
        Field(f"k{place + 1}", str(place + 1), "number", 2, "", "Raters", _of_so_many(place))
        for place in range(MOST_SHOWN)
    )
    by_raters = tables_of_rows(
        report,
        "by-raters",
        "Reliability by number of raters",
        "Expected reliability of the mean of 1 to 10 raters.",
        (ITEM, *columns),
        [row for row in rows if row["one_rater"]["value"] is not None],
        detail=True,
    )
    return [*main, *parts, *by_raters]
