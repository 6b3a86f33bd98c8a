"""Systems by slices, and two slices compared."""

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.slices import SlicedColumn, Slices
from evaluation.reports.tables.names import (
    automatic_kind,
    counted,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.systems import NOT_TOGETHER
from evaluation.reports.tables.table import Column, Kind, Table, value_of


def slices(report: Report) -> list[Table]:
    """A table of each number of systems, and one of each for two slices that are compared."""
    found = report["slices"]
    return [
        *(_split(report, found, column) for column in found["columns"] if column["rows"]),
        *(_compared(report, found, column) for column in found["columns"] if column["compared"]),
    ]


def _said(report: Report, column: SlicedColumn) -> tuple[str, tuple[Kind, int]]:
    """What the number is called, and how it reads."""
    if column["judge"] is None:
        return f"People, {column['title']}", people_kind(report, column["key"])
    title = f"{judge_title(report, column['judge'])}, {column['title']}"
    return title, automatic_kind(column["key"])


def _key(begin: str, column: SlicedColumn) -> str:
    return f"{begin}-{column['judge'] or 'people'}-{column['key']}"


def _notes(report: Report, column: SlicedColumn) -> tuple[str, ...]:
    apart = (NOT_TOGETHER,) if len(report["systems"]["groups"]) > 1 else ()
    return (*apart, *judge_note(report, [column["judge"]] if column["judge"] else []))


def _split(report: Report, found: Slices, column: SlicedColumn) -> Table:
    title, kind = _said(report, column)
    left_out = []
    if found["without"]:
        left_out.append(f"Questions without “{found['split']}”, left out: {found['without']:,}.")
    if found["more"]:
        left_out.append(
            f"Of “{found['split']}”, {found['more']:,} more values with fewer questions are left "
            "out, here and in both means."
        )
    return Table(
        _key("slices", column),
        f"By {found['split']}: {title}",
        "Each system's number in each slice, ± the standard error. Macro is the mean of the "
        "slices, micro the mean over all of their responses.",
        (
            Column("system", "System"),
            *(
                counted(
                    f"slice-{place}", f"{one['value']} ({one['questions']:,})", kind,
                    group="Slice (questions)",
                )
                for place, one in enumerate(found["values"])
            ),
            counted("macro", "Macro", kind, group="Mean"),
            counted("micro", "Micro", kind, group="Mean"),
        ),
        tuple(
            (system_title(report, row["system"]), *map(value_of, row["cells"]),
             value_of(row["macro"]), value_of(row["micro"]))
            for row in column["rows"]
        ),
        (*left_out, *_notes(report, column)),
    )  # fmt: skip


def _compared(report: Report, found: Slices, column: SlicedColumn) -> Table:
    title, kind = _said(report, column)
    two = found["compared"]
    one, other, shared = (two["one"], two["other"], two["shared"]) if two else ("", "", 0)
    return Table(
        _key("compared", column),
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
            *_notes(report, column),
        ),
    )
