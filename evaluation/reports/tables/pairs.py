"""Two answers side by side: each system against all others, two by two, and what the order does."""

from evaluation.reports.shape.people import PairsOn, SystemInPairs, TwoSystems
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.names import (
    PEOPLE,
    SHARE,
    counted,
    item_title,
    judge_title,
    system_title,
)
from evaluation.reports.tables.table import Cell, Column, Table, value_of

EACH = (
    "Each pair counts once, whatever the number of its raters, who each choose for themselves. "
    "Ties count half in the rate."
)


RESULTS = (
    Column("pairs", "Pairs", "count"),
    counted("won", "Won", SHARE),
    counted("tied", "Tied", SHARE),
    counted("lost", "Lost", SHARE),
    counted("rate", "Win rate", SHARE, beside="interval"),
)


def _results(row: SystemInPairs | TwoSystems) -> tuple[Cell, ...]:
    numbers = (row["won"], row["tied"], row["lost"], row["rate"])
    return (row["pairs"], *map(value_of, numbers))


def pairs(report: Report) -> list[Table]:
    """Two tables for each question that people answered, one of what automatic judges say of it,
    and one of the order for all of them."""
    found = report.get("pairs", [])
    rated = [one for one in found if one["answers"]]
    tables = [_systems(report, one) for one in rated] + [_two(report, one) for one in rated]
    tables += [_of_judges(report, one) for one in found if one["judges"]]
    return [*tables, _order(report, found)] if found else []


def _systems(report: Report, found: PairsOn) -> Table:
    title = item_title(report, found["item"])
    has_degrees = any(row["degree"] is not None for row in found["systems"])
    degree = (counted("degree", "Mean place", SHARE, beside="interval"),) if has_degrees else ()
    rows = sorted(found["systems"], key=lambda row: -(row["rate"]["value"] or 0.0))
    return Table(
        f"preferred-{found['item']}",
        f"{title}: each system against all others",
        f"{title}: how often a system's answer was chosen, with 95 % intervals.",
        (
            Column("system", "System"),
            *RESULTS,
            *degree,
        ),
        tuple(
            (
                system_title(report, row["system"]),
                *_results(row),
                *((value_of(row["degree"]),) if has_degrees else ()),
            )
            for row in rows
        ),
        (
            EACH,
            *(
                ("Mean place: from 0 % (the lowest choice, wholly for the others) to 100 %.",)
                if has_degrees
                else ()
            ),
        ),
        of=title,
    )


def _two(report: Report, found: PairsOn) -> Table:
    title = item_title(report, found["item"])
    return Table(
        f"head-to-head-{found['item']}",
        f"{title}: system against system",
        "What was won, tied and lost is the first system's.",
        (
            Column("one", "One"),
            Column("other", "Other"),
            *RESULTS,
        ),
        tuple(
            (
                system_title(report, row["one"]),
                system_title(report, row["other"]),
                *_results(row),
            )
            for row in found["two"]
        ),
        (EACH,),
        of=title,
    )


def _of_judges(report: Report, found: PairsOn) -> Table:
    title = item_title(report, found["item"])
    return Table(
        f"judges-prefer-{found['item']}",
        f"{title}: by automatic judges",
        f"{title}: how often each judge chose a system's answer, with 95 % intervals.",
        (Column("judge", "Judge"), Column("system", "System"), *RESULTS),
        tuple(
            (
                judge_title(report, one["judge"]),
                system_title(report, row["system"]),
                *_results(row),
            )
            for one in found["judges"]
            for row in sorted(one["systems"], key=lambda row: -(row["rate"]["value"] or 0.0))
        ),
        of=title,
    )


def _order(report: Report, found: list[PairsOn]) -> Table:
    return Table(
        "seen-first",
        "Whether it helps to stand first",
        "How often the answer that a rater or judge saw as Answer 1 was chosen, ties as half. The "
        "order was drawn, so without such an advantage it is 50 %.",
        (
            Column("question", "Dimension"),
            Column("who", "Who"),
            Column("answers", "Answers", "count"),
            counted("first_seen", "Answer 1 won", SHARE, beside="interval"),
        ),
        tuple(
            (
                item_title(report, one["item"]),
                who,
                first_seen["n"],
                value_of(first_seen),
            )
            for one in found
            for who, first_seen in _orders(report, one)
        ),
    )


def _orders(report: Report, found: PairsOn) -> list[tuple[str, Number]]:
    people = [(PEOPLE, found["first_seen"])] if found["answers"] else []
    return people + [
        (judge_title(report, one["judge"]), one["first_seen"]) for one in found["judges"]
    ]
