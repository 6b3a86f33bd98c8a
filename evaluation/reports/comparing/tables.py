"""Two reports side by side as tables: one for each number, with the rows of both reports."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from types import MappingProxyType
from typing import Any

from evaluation.reports.comparing.comparison import Comparison, Difference, Side
from evaluation.reports.comparing.numbers import PEOPLE, NumberPlace, signatures
from evaluation.reports.shape.report import VERSION, Report
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.names import (
    SLICES,
    automatic_kind,
    automatic_title,
    cautioned,
    counted,
    few_for_differences,
    item_title,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Cell, Column, Kind, Table, Value, value_of
from evaluation.statistics.open_coefficients import TITLES as OPEN

TITLES: Mapping[tuple[str, str], tuple[str, Kind, int]] = MappingProxyType(
    {
        ("people", "percent"): ("Percent agreement", "share", 1),
        ("people", "alpha"): ("Krippendorff's alpha", "number", 2),
        ("people", "alpha_interval"): ("Krippendorff's alpha, interval scale", "number", 2),
        ("people", "fleiss"): ("Fleiss' kappa", "number", 2),
        ("people", "fleiss_all"): ("Fleiss' kappa, all units", "number", 2),
        ("people", "ac1"): ("Gwet's AC", "number", 2),
        **{
            ("people", name): (title, "number", 2)
            for name, title in OPEN.items()
            if name not in {"percent", "alpha"}
        },
        ("judges", "accuracy"): ("Accuracy", "share", 1),
        ("judges", "kappa"): ("Cohen's kappa", "number", 2),
        ("judges", "precision"): ("Precision of the negative answer", "share", 1),
        ("judges", "recall"): ("Recall of the negative answer", "share", 1),
        ("judges", "f1"): ("F1 of the negative answer", "share", 1),
        ("correlations", "pearson"): ("Pearson", "number", 2),
        ("correlations", "spearman"): ("Spearman", "number", 2),
        ("correlations", "kendall"): ("Kendall", "number", 2),
    }
)
OF = MappingProxyType(
    {
        "people": ("Agreement of people", "Dimension"),
        "judges": ("Judges and people", "Dimension and judge"),
        "correlations": ("Correlation of systems", "People and judge"),
    }
)

OF_SYSTEMS = (
    "Pearson is what it would be with an unlimited number of questions. The interval of its "
    "difference takes the reports as independent: with shared questions it is usually too wide. "
    "Spearman and Kendall are those of the means, and their differences have no interval."
)


def tables_of(found: Comparison) -> list[Table]:
    """Return the tables in the order of the first report."""
    return [_table(found, rows) for rows in found.tables.values()]


def _table(found: Comparison, rows: list[Difference]) -> Table:
    report, place = found.one.report, rows[0].place
    key, title, row_title, how = _said(report, place)
    named = [_judge(row.place) for row in rows]
    ids = {name: each for each, name in signatures(report).items()}
    table = Table(
        f"against-{key}",
        f"{title}: two reports",
        "Each number in both reports with its 95 % interval, and the difference with its own.",
        (
            Column("row", row_title),
            counted("one", "A", how, beside="interval").column,
            counted("other", "B", how, beside="interval").column,
            counted("difference", "A − B", how, beside="interval").column,
            Column("p", "p", "p"),
            Column("p_holm", "Corrected p", "p"),
        ),
        tuple(_row(found, row) for row in rows),
        (
            f"A: {found.one.title}. B: {found.other.title}.",
            _how(found, len([row for row in rows if row.p.value is not None])),
            *few_for_differences(
                (side.report["counts"]["questions"] for side in (found.one, found.other)), SLICES
            ),
            *((OF_SYSTEMS,) if place.table[0] == "correlations" else ()),
            *judge_note(report, [ids[name] for name in dict.fromkeys(named) if name in ids]),
        ),
    )
    return cautioned(found.other.report, cautioned(report, table))


def _said(report: Report, place: NumberPlace) -> tuple[str, str, str, tuple[Kind, int]]:
    """Return the table's key and title, the heading of its rows, and the format of its numbers."""
    kind, *rest = place.table
    if kind != "systems":
        title, how, digits = TITLES[kind, rest[0]]
        of, rows = OF[kind]
        return f"{kind}-{rest[0]}", f"{of}, {title}", rows, (how, digits)
    judge, key = rest
    if judge == PEOPLE:
        title = f"People, {item_title(report, key)}"
        return f"systems-people-{key}", title, "System", people_kind(report, key)
    number = next(each for each, name in signatures(report).items() if name == judge)
    title = f"{judge_title(report, number)}, {automatic_title(report, number, key)}"
    return f"systems-{number}-{key}", title, "System", automatic_kind(report, key)


def _judge(place: NumberPlace) -> str:
    """Return the signature of a row's judge; empty for rows of people."""
    if place.table[0] == "systems":
        return place.table[1]
    return place.row[1] if len(place.row) > 1 else ""


def _row(found: Comparison, row: Difference) -> tuple[Cell, ...]:
    interval, error = row.interval, row.standard_error
    difference = Value(
        row.difference.value,
        row.difference.reason,
        se=error.value,
        low=interval.low,
        high=interval.high,
        interval_reason=interval.reason,
        signature=row.signature,
    )
    return (
        _name(found, row.place),
        _cell(row.one),
        _cell(row.other),
        difference,
        Value(row.p.value, row.p.reason),
        Value(row.p_holm.value, row.p_holm.reason),
    )


def _cell(number: Number | None) -> Cell:
    return value_of(number, reason="this report has none")


def _name(found: Comparison, place: NumberPlace) -> str:
    """Return the row's title in the first of the reports that has it."""
    side = found.one if _has(found.one, place) else found.other
    report, row = side.report, place.row
    if place.table[0] == "systems":
        return system_title(report, row[0])
    if len(row) == 1:
        return item_title(report, row[0])
    number = next(each for each, name in signatures(report).items() if name == row[1])
    said = judge_title(report, number)
    if len(row) == 3 and row[2] != row[0]:
        said = f"{automatic_title(report, number, row[2])} ({said})"
    return f"{item_title(report, row[0])}, {said}"


def _has(side: Side, place: NumberPlace) -> bool:
    """Whether a report knows the system, dimension or judge of a row."""
    if place.table[0] == "systems":
        return any(row["system"] == place.row[0] for row in side.report["systems"]["rows"])
    known = {item["key"] for item in side.report["items"]}
    return place.row[0] in known and (
        len(place.row) == 1 or place.row[1] in signatures(side.report).values()
    )


def _how(found: Comparison, tests: int) -> str:
    """Return a note on how the differences were tested."""
    if found.paired:
        tested = (
            "p by Student's t with the standard error of the draws, corrected for the "
            f"{tests} test{'' if tests == 1 else 's'} of this table by Holm's method."
        )
        return (
            f"Questions in both reports: {found.shared:,}. They are drawn together, so that the "
            "reports are compared in pairs there. "
            + (tested if tests else "None of these differences can be tested.")
        )
    if found.shared is None:
        why = "The data of both are not available"
    else:
        why = f"Questions in both reports: {found.shared:,}, and they were not paired"
    return (
        f"{why}: nothing is tested. Intervals of differences are made of those of both, as if "
        "nothing were in both; where the same questions are, they are as a rule too wide."
    )


# As JSON ------------------------------------------------------------------------------------------

FORMAT = "attest-comparison"
NOTHING_SHARED = "The two reports have no number of the same thing."


def comparison_json(found: Comparison) -> dict[str, Any]:
    """Return the titles of both reports, whether they were paired, and all tables, as JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "one": found.one.title,
        "other": found.other.title,
        "shared_questions": found.shared,
        "paired": found.paired,
        "tables": [_written(table) for table in tables_of(found)],
    }


def tables_in(found: Mapping[str, Any]) -> list[Table]:
    """Read the tables of such a comparison."""
    return [_read(table) for table in found["tables"]]


def _written(table: Table) -> dict[str, Any]:
    rows = [[_plain(cell) for cell in row] for row in table.rows]
    return asdict(table) | {"rows": rows}


def _plain(cell: Cell) -> Any:
    """Return a cell as JSON, without unknown fields."""
    if not isinstance(cell, Value):
        return cell
    return {"value": cell.value} | {
        field.name: known
        for field in fields(cell)
        if (known := getattr(cell, field.name)) not in (None, "")
    }


def _read(table: Mapping[str, Any]) -> Table:
    return Table(
        **{
            **table,
            "columns": tuple(Column(**column) for column in table["columns"]),
            "rows": tuple(tuple(_cells(row)) for row in table["rows"]),
            "notes": tuple(table["notes"]),
            "cautions": tuple(table["cautions"]),
        }
    )


def _cells(row: list[Any]) -> Iterator[Cell]:
    for cell in row:
        yield Value(**cell) if isinstance(cell, dict) else cell
