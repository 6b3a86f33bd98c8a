"""Whether judges rank systems, and answers, as people do."""

from typing import Literal

from evaluation.reports.shape.judges import InstanceCorrelation, SystemCorrelation
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    automatic_kind,
    counted,
    item_title,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Cell, Column, Table, said_of, value_of

COEFFICIENTS: tuple[tuple[Literal["pearson", "spearman", "kendall"], str], ...] = (
    ("pearson", "Pearson"),
    ("spearman", "Spearman"),
    ("kendall", "Kendall"),
)

IN_ORDER: tuple[Literal["pearson", "corrected", "other_systems", "spearman", "kendall"], ...] = (
    "pearson",
    "corrected",
    "other_systems",
    "spearman",
    "kendall",
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
    named = ", ".join(system_title(report, name) for name in left_out)
    notes = (f"Left out, because they use the metric: {named}.",) if left_out else ()
    pearson, *ranks = _coefficients()
    return Table(
        "correlations",
        "Correlation of systems",
        "Each system is one point: people's number against the judge's, with 95 % intervals.",
        (
            Column("pair", "People and judge"),
            Column("systems", "Systems", "count"),
            pearson,
            Column("corrected", "Pearson, without chance of the questions", "number", 2),
            Column("other_systems", "The same, of other systems, too", "number", 2, "interval"),
            *ranks,
        ),
        tuple(
            (
                row["title"],
                row["pearson"]["n"],
                *(value_of(row[key]) for key in IN_ORDER),
            )
            for row in found
        ),
        (
            "Pearson's interval says where it would lie over endlessly many questions of the kind "
            "for these systems; the number itself is drawn to 0 by the chance of the questions, "
            "and the next column takes that away. Of other systems: how far a judge may be "
            "trusted to rank systems that these might have been drawn from; taken as normal.",
            "The intervals of Spearman and Kendall come from resampling questions alone, lie too "
            "near 0, and hold the truth less often than they say.",
            *said_of((row["title"], f"{row['warning']}.") for row in found if row["warning"]),
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
            counted("automatic", "Judge", automatic_kind(report, row["key"])),
            counted("people", "People", people_kind(report, row["people"])),
            Column("standing", "Standing"),
        ),
        tuple(
            (
                system_title(report, point["system"]),
                value_of(point["x"]),
                value_of(point["y"]),
                "outlier, left out" if point["outlier"] else "counted",
            )
            for point in row["points"]
        ),
        detail=True,
        of=row["title"],
    )


def _instances(report: Report, found: list[InstanceCorrelation]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            item_title(report, pair["people"]),
            judge_title(report, pair["judge"]),
            "all systems" if row["system"] == "all" else system_title(report, row["system"]),
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
