"""Whether judges rank systems, and answers, as people do."""

from typing import Literal

from evaluation.reports.shape.correlations import InstanceCorrelation, SystemCorrelation
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    automatic_kind,
    counted,
    item_title,
    judge_note,
    judge_title,
    people_kind,
)
from evaluation.reports.tables.table import Cell, Column, Table, value_of

COEFFICIENTS: tuple[tuple[Literal["pearson", "spearman", "kendall"], str], ...] = (
    ("pearson", "Pearson"),
    ("spearman", "Spearman"),
    ("kendall", "Kendall"),
)


def correlations(report: Report) -> list[Table]:
    """Of systems, with the points behind each; and of answers, for each system."""
    found = report["correlations"]
    tables = [_systems(report, found["systems"])] if found["systems"] else []
    tables += [_points(report, row) for row in found["systems"]]
    if any(row["rows"] for row in found["instances"]):
        tables.append(_instances(report, found["instances"]))
    return tables


def _coefficients() -> list[Column]:
    return [Column(key, title, "number", 2, "interval") for key, title in COEFFICIENTS]


def _systems(report: Report, found: list[SystemCorrelation]) -> Table:
    left_out = dict.fromkeys(name for row in found for name in row["left_out"])
    notes = (f"Left out, because they use the metric: {', '.join(left_out)}.",) if left_out else ()
    return Table(
        "correlations",
        "Correlation of systems",
        "Each system is one point: people's number against the judge's, with 95 % intervals.",
        (
            Column("pair", "People and judge"),
            Column("systems", "Systems", "count"),
            *_coefficients(),
        ),
        tuple(
            (
                row["title"],
                row["pearson"]["n"],
                *(value_of(row[key]) for key, _ in COEFFICIENTS),
            )
            for row in found
        ),
        (
            "Intervals come from resampling questions; the systems stay the same.",
            *notes,
            *judge_note(report, [row["judge"] for row in found]),
        ),
    )


def points_key(row: SystemCorrelation) -> str:
    """The key of the table of a correlation's points."""
    return f"points-{row['people']}-{row['judge']}-{row['key']}{group_suffix(row)}"


def group_suffix(row: SystemCorrelation) -> str:
    """What a key ends with that is not of the first group of systems."""
    return f"-group-{row['group']}" if row["group"] > 1 else ""


def _points(report: Report, row: SystemCorrelation) -> Table:
    return Table(
        points_key(row),
        f"Systems: {row['title']}",
        "The points of the scatter, ± the standard error.",
        (
            Column("system", "System"),
            counted("automatic", judge_title(report, row["judge"]), automatic_kind(row["key"])),
            counted("people", "People", people_kind(report, row["people"])),
            Column("standing", "Standing"),
        ),
        tuple(
            (
                point["system"],
                value_of(point["x"]),
                value_of(point["y"]),
                "outlier, left out" if point["outlier"] else "counted",
            )
            for point in row["points"]
        ),
        detail=True,
    )


def _instances(report: Report, found: list[InstanceCorrelation]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            item_title(report, pair["people"]),
            judge_title(report, pair["judge"]),
            "all systems" if row["system"] == "all" else row["system"],
            row["pearson"]["n"],
            *(value_of(row[key]) for key, _ in COEFFICIENTS),
        )
        for pair in found
        for row in pair["rows"]
    ]
    return Table(
        "instances",
        "Correlation of answers",
        "Each answer is one point: people against the judge within a system, and over all of them.",
        (
            Column("people", "People"),
            Column("judge", "Judge"),
            Column("system", "System"),
            Column("n", "Answers", "count"),
            *_coefficients(),
        ),
        tuple(rows),
        detail=True,
    )
