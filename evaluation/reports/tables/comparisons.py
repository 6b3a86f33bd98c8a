"""Whether one system is better than another."""

from evaluation.reports.shape.comparisons import ColumnComparisons, ComparedColumn
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    automatic_kind,
    counted,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Column, Table, value_of


def comparisons(report: Report) -> list[Table]:
    """Each two systems, on the questions that both answered; a table for each number of theirs."""
    return [_pairs(report, found) for found in report["comparisons"] if found["pairs"]]


def comparison_key(column: ComparedColumn) -> str:
    who = "people" if column["kind"] == "people" else column["judge"]
    return f"comparisons-{who}-{column['key']}"


def _pairs(report: Report, found: ColumnComparisons) -> Table:
    column = found["column"]
    if column["judge"] is None:
        who, kind = "People", people_kind(report, column["key"])
    else:
        who, kind = judge_title(report, column["judge"]), automatic_kind(column["key"])
    return Table(
        comparison_key(column),
        f"Between systems: {who}, {column['title']}",
        "The mean difference on the questions that both answered, with its 95 % interval.",
        (
            Column("one", "One"),
            Column("other", "Other"),
            Column("questions", "Questions", "count"),
            counted("difference", "One − other", kind, beside="interval"),
            Column("t", "t", "number", 2, group="Paired t-test"),
            Column("t_p", "p", "p", 3, group="Paired t-test"),
            Column("t_p_holm", "p, corrected", "p", 3, group="Paired t-test"),
            Column("bootstrap_p", "p", "p", 3, group="Paired bootstrap"),
            Column("bootstrap_p_holm", "p, corrected", "p", 3, group="Paired bootstrap"),
        ),
        tuple(
            (
                system_title(report, pair["one"]),
                system_title(report, pair["other"]),
                pair["questions"],
                value_of(pair["difference"]),
                *(
                    value_of(pair[key], reason=pair["reason"] or "undefined")
                    for key in ("t", "t_p", "t_p_holm", "bootstrap_p", "bootstrap_p_holm")
                ),
            )
            for pair in found["pairs"]
        ),
        ("Corrected for the number of pairs by Holm's method.",),
    )
