"""Where people and judges differ: how often, and where most."""

from evaluation.reports.shape.people import DisagreementRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, judge_title, system_title, value_label
from evaluation.reports.tables.table import Column, Table, value_of


def counts(report: Report) -> list[Table]:
    found = report["disagreement_counts"]
    if not found:
        return []
    return [
        Table(
            "disagreement-counts",
            "Disagreements by judge, direction and system",
            "On how many units people and a judge both answered, and on how many they differ.",
            (
                Column("judge", "Judge"),
                Column("item", "Dimension"),
                Column("system", "System"),
                Column("compared", "Compared", "count"),
                Column("people_yes", "People yes, judge no", "count"),
                Column("people_no", "People no, judge yes", "count"),
            ),
            tuple(
                (
                    judge_title(report, row["judge"]),
                    item_title(report, row["item"]),
                    system_title(report, row["system"]),
                    row["compared"],
                    row["people_yes"],
                    row["people_no"],
                )
                for row in found
            ),
        )
    ]


def disagreements(report: Report) -> list[Table]:
    found = report["disagreements"]
    if not found:
        return []
    return [
        Table(
            "disagreements",
            "Disagreements to read",
            "Units on which people and a judge differ most, the furthest apart first.",
            (
                Column("system", "System"),
                Column("question", "Question"),
                Column("run", "Run"),
                Column("unit", "Unit"),
                Column("item", "Dimension"),
                Column("judge", "Judge"),
                Column("people", "People say"),
                Column("votes", "Votes"),
                Column("judge_value", "Judge says"),
                Column("score", "Score", "number"),
            ),
            tuple(
                (
                    system_title(report, row["system"]),
                    row["question"],
                    row["run"],
                    row["unit"],
                    item_title(report, row["item"]),
                    judge_title(report, row["judge"]),
                    value_label(report, row["item"], row["people"]),
                    _votes(report, row),
                    value_label(report, row["item"], row["judge_value"]),
                    None if row["score"] is None else value_of(row["score"]),
                )
                for row in found
            ),
        )
    ]


def _votes(report: Report, row: DisagreementRow) -> str:
    return ", ".join(
        f"{count} {value_label(report, row['item'], value).lower()}"
        for value, count in row["votes"].items()
    )
