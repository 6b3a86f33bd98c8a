"""What judges add to few ratings."""

from evaluation.reports.shape.powered import PoweredEntry, PoweredRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    counted,
    item_title,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Cell, Column, Table, value_of


def powered(report: Report) -> list[Table]:
    """People's number with the help of a judge that judged everything."""
    return [_powered(report, found) for found in report["powered"] if found["rows"]]


def _powered(report: Report, found: PoweredEntry) -> Table:
    kind = people_kind(report, found["item"])
    widths = list(
        dict.fromkeys(more["half_width"] for row in found["rows"] for more in row["more"])
    )
    warnings = [
        f"{system_title(report, row['system'])}: {warning}"
        for row in found["rows"]
        for warning in row["warnings"]
    ]
    title = f"{item_title(report, found['item'])}, {judge_title(report, found['judge'])}"
    return Table(
        f"powered-{found['item']}-{found['judge']}",
        f"Few ratings, many judgments: {title}",
        "People's number from the rated responses alone, and helped by the judge on all others "
        "(prediction-powered inference), with 95 % intervals.",
        (
            Column("system", "System"),
            Column("rated", "Rated", "count"),
            Column("others", "Judged only", "count"),
            counted("people", "People alone", kind, beside="interval"),
            counted("powered", "With the judge", kind, beside="interval"),
            Column("weight", "Weight of the judge", "number"),
            Column("effective", "Worth as many ratings", "number", 0),
            *(
                Column(f"{who}-{width:g}", title, "number", 0, group=_for(width, kind[0]))
                for width in widths
                for who, title in (("with", "With the judge"), ("alone", "People alone"))
            ),
        ),
        tuple(
            (
                system_title(report, row["system"]),
                row["rated"],
                row["others"],
                value_of(row["people"]),
                value_of(row["powered"]),
                value_of(row["weight"]),
                value_of(row["effective"]),
                *_more(row, widths),
            )
            for row in found["rows"]
        ),
        (*warnings, *judge_note(report, [found["judge"]])),
        of=title,
    )


def _for(width: float, kind: str) -> str:
    points = f"{width * 100:g} points" if kind == "share" else f"{width:g}"
    return f"More ratings for ± {points}"


def _more(row: PoweredRow, widths: list[float]) -> list[Cell]:
    by_width = {more["half_width"]: more for more in row["more"]}
    cells: list[Cell] = []
    for width in widths:
        more = by_width.get(width)
        cells += (
            [value_of(more["with_judge"]), value_of(more["people_alone"])] if more else [None, None]
        )
    return cells
