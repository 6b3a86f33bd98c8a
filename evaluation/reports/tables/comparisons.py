"""Whether one system is better than another."""

from collections import defaultdict

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import ColumnComparisons, ComparedColumn, ComparedPair
from evaluation.reports.tables.few_questions import few_for_differences
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
        who, kind = judge_title(report, column["judge"]), automatic_kind(report, column["key"])
    return Table(
        comparison_key(column),
        f"Between systems: {who}, {column['title']}",
        "The mean difference on the questions that both answered, with its 95 % interval. First "
        "come systems that follow each other from best to worst.",
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
            for pair in _next_to_each_other_first(found["pairs"])
        ),
        (
            "Corrected for the number of pairs by Holm's method.",
            *few_for_differences(pair["questions"] for pair in found["pairs"]),
        ),
        of=f"{who}, {column['title']}",
    )


def _next_to_each_other_first(pairs: list[ComparedPair]) -> list[ComparedPair]:
    """By how far apart two systems are in the order of their differences from all others; those
    that share no question last."""
    better: dict[str, float] = defaultdict(float)
    for pair in pairs:
        if (difference := pair["difference"]["value"]) is not None:
            better[pair["one"]] += difference
            better[pair["other"]] -= difference
    places = {name: n for n, name in enumerate(sorted(better, key=lambda name: -better[name]))}

    def apart(pair: ComparedPair) -> tuple[bool, int, int]:
        if pair["difference"]["value"] is None:
            return True, 0, 0
        one, other = sorted((places[pair["one"]], places[pair["other"]]))
        return False, other - one, one

    return sorted(pairs, key=apart)
