"""What judges add to few ratings."""

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import PoweredEntry, PoweredRow, Systems
from evaluation.reports.tables.names import (
    counted,
    item_title,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Cell, Column, Table, value_of

CORRECTED = "People, with a judge"
"""Over columns of the table of systems."""


def powered(report: Report) -> list[Table]:
    """People's number with the help of a judge that judged everything."""
    return [_powered(report, found) for found in report["powered"] if found["rows"]]


def _beside(report: Report, found: Systems) -> list[PoweredEntry]:
    """Of each item that people rated, by the judge that comes first: choosing the one that helps
    most would make it look better than it is."""
    first: dict[str, PoweredEntry] = {}
    for entry in report["powered"]:
        if entry["rows"] and entry["item"] in found["people"]:
            first.setdefault(entry["item"], entry)
    return list(first.values())


def corrected_columns(report: Report, found: Systems) -> list[Column]:
    """For the table of systems, beside what people said."""
    columns = []
    for entry in _beside(report, found):
        item, kind = item_title(report, entry["item"]), people_kind(report, entry["item"])
        columns += [
            counted(f"powered/{entry['item']}", item, kind, group=CORRECTED, beside="interval"),
            Column(
                f"effective/{entry['item']}",
                f"{item}: worth as many ratings",
                "number",
                0,
                group=CORRECTED,
            ),
        ]
    return columns


def corrected_cells(report: Report, found: Systems, system: str) -> list[Cell]:
    """Of one system."""
    cells: list[Cell] = []
    for entry in _beside(report, found):
        row = next((one for one in entry["rows"] if one["system"] == system), None)
        cells += [
            value_of(None if row is None else row["powered"], reason="not judged"),
            value_of(None if row is None else row["effective"], reason="not judged"),
        ]
    return cells


def corrected_note(report: Report, found: Systems) -> list[str]:
    """What the columns are."""
    judges = dict.fromkeys(judge_title(report, one["judge"]) for one in _beside(report, found))
    if not judges:
        return []
    return [
        f"{CORRECTED}: people's number, helped on what nobody rated by {', '.join(judges)}"
        " (prediction-powered inference), with 95 % intervals; worth as many ratings: how many "
        "rated questions would tell as much without it."
    ]


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
