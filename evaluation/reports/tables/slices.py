"""Systems by slices, and two slices compared."""

from collections.abc import Iterator
from typing import Literal

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import SlicedColumn, SlicedRow, Slices
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.few_questions import (
    FEW_IN_SLICE,
    SLICES,
    few_for_differences,
    few_without_end,
)
from evaluation.reports.tables.names import (
    automatic_kind,
    counted,
    judge_note,
    judge_title,
    of_systems,
    people_kind,
    system_title,
)
from evaluation.reports.tables.systems import NOT_TOGETHER
from evaluation.reports.tables.table import Column, Kind, Table, value_of

MEANS = (("Macro mean", None), ("Micro mean", None))
"""In the place of a slice and of how many questions it has."""

TWO: tuple[Literal["one", "other"], ...] = ("one", "other")


def slices(report: Report) -> list[Table]:
    """All numbers of systems in each slice; and for two slices compared, a table of each number."""
    found = report["slices"]
    split = [column for column in found["columns"] if column["rows"]]
    return [
        *([_split(report, found, split)] if split else []),
        *(_compared(report, found, column) for column in found["columns"] if column["compared"]),
    ]


def _split(report: Report, found: Slices, split: list[SlicedColumn]) -> Table:
    known = [{row["system"]: _every(row) for row in column["rows"]} for column in split]
    everybody = [row["system"] for row in report["systems"]["rows"]]
    heads = [*((one["value"], one["questions"]) for one in found["values"]), *MEANS]
    return Table(
        "slices",
        f"Systems by {found['split']}",
        "Each system's numbers in each slice, ± the standard error. The macro mean is that of the "
        "slices, the micro mean that of the responses of all slices.",
        (
            Column("system", "System"),
            Column("slice", found["split"]),
            Column("questions", "Questions", "count"),
            *(of_systems(report, column["judge"], column["key"]) for column in split),
        ),
        tuple(
            (
                system_title(report, system),
                *head,
                *(value_of(rows[system][place]) if system in rows else None for rows in known),
            )
            for place, head in enumerate(heads)
            for system in everybody
            if any(system in rows for rows in known)
        ),
        (
            *_left_out(found),
            *_few(found, split),
            *_notes(report, [column["judge"] for column in split if column["judge"]]),
        ),
    )


def _every(row: SlicedRow) -> list[Number]:
    """In each slice, and the two means."""
    return [*row["cells"], row["macro"], row["micro"]]


def _few(found: Slices, split: list[SlicedColumn]) -> Iterator[str]:
    """Of how few questions some slices are."""
    fewest = min(one["questions"] for one in found["values"])
    numbers = [one for column in split for row in column["rows"] for one in row["cells"]]
    yield from few_without_end(numbers, fewest)
    if fewest < FEW_IN_SLICE:
        yield (
            f"Slices of fewer than {FEW_IN_SLICE} questions: their intervals are rough, and where "
            "answers are alike there are none, nor one of the macro mean."
        )


def _left_out(found: Slices) -> Iterator[str]:
    if found["without"]:
        yield f"Questions without “{found['split']}”, left out: {found['without']:,}."
    if found["more"]:
        yield (
            f"Of “{found['split']}”, {found['more']:,} more values with fewer questions are left "
            "out, here and in both means."
        )


def _notes(report: Report, judges: list[str]) -> tuple[str, ...]:
    apart = (NOT_TOGETHER,) if len(report["systems"]["groups"]) > 1 else ()
    return (*apart, *judge_note(report, judges))


def _said(report: Report, column: SlicedColumn) -> tuple[str, tuple[Kind, int]]:
    """What the number is called, and how it reads."""
    if column["judge"] is None:
        return f"People, {column['title']}", people_kind(report, column["key"])
    title = f"{judge_title(report, column['judge'])}, {column['title']}"
    return title, automatic_kind(report, column["key"])


def _compared(report: Report, found: Slices, column: SlicedColumn) -> Table:
    title, kind = _said(report, column)
    two = found["compared"]
    one, other, shared = (two["one"], two["other"], two["shared"]) if two else ("", "", 0)
    return Table(
        f"compared-{column['judge'] or 'people'}-{column['key']}",
        f"{one} against {other}: {title}",
        "Each system's number in both slices, and the difference with its 95 % interval.",
        (
            Column("system", "System"),
            counted("one", one, kind),
            counted("other", other, kind),
            counted("difference", f"{one} − {other}", kind, beside="interval"),
        ),
        tuple(
            (
                system_title(report, row["system"]),
                *(value_of(row[key]) for key in ("one", "other", "difference")),
            )
            for row in column["compared"]
        ),
        (
            f"Questions in both slices: {shared:,}. They are drawn together, so that the slices "
            "are compared in pairs there.",
            *few_for_differences(
                (row[key]["n"] for row in column["compared"] for key in TWO), SLICES
            ),
            *_notes(report, [column["judge"]] if column["judge"] else []),
        ),
        of=title,
    )
