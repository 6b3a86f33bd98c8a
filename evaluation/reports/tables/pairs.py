"""Pairs of answers: preferences by the model, by counts, and by judges."""

from collections.abc import Iterable
from typing import Any

from evaluation.reports.shape.people import PairsOn
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    JUDGE,
    ONE_SYSTEM,
    OTHER_SYSTEM,
    PEOPLE,
    SHARE,
    SYSTEM,
    counted,
    item_title,
    judge_title,
)
from evaluation.reports.tables.table import Field, Table, tables_of_rows
from evaluation.statistics.bradley_terry import LEAST_RATERS

EACH_PAIR = "Each pair counts once, for any number of raters. Ties count half in the rate."
MEAN_PLACE = "Mean place: from 0 % (the lowest choice, wholly for the others) to 100 %."
RESULTS = (
    Field("pairs", "Pairs", "count"),
    counted("won", "Won", SHARE),
    counted("tied", "Tied", SHARE),
    counted("lost", "Lost", SHARE),
    counted("rate", "Win rate", SHARE, beside="interval"),
)
STRENGTH = Field("strength", "Strength", "number", 2, "interval")
LETTERS = Field("letters", "Letters")
STRENGTHS = (
    SYSTEM,
    LETTERS,
    STRENGTH,
    counted("expected", "Win rate against all others", SHARE, beside="interval"),
)
TESTS = (
    ONE_SYSTEM,
    OTHER_SYSTEM,
    Field("difference", "One − other", "number", 2, "interval"),
    Field("p", "p", "p", 3),
    Field("p_holm", "p, corrected", "p", 3),
)
BY_MODEL = (
    "Strength: log odds in the Bradley-Terry model with ties and order. The win rate against all "
    "others follows from it as if each system had met each other equally often.",
    "No test tells systems apart that share a letter; “a” has the best. p is corrected by Holm's "
    "method for all pairs of systems.",
    "Intervals of the model hold for other questions, and with at least "
    f"{LEAST_RATERS} raters for other raters.",
    "Where a system won or lost everything, each system gets half a win and half a loss against a "
    "system of strength 0.",
)
DEGREE = counted("degree", "Mean place", SHARE, beside="interval")
SEEN_FIRST = (
    Field("question", "Dimension", source="item", named=item_title),
    Field("who", "Who"),
    Field("answers", "Answers", "count", source=lambda row: row["first_seen"]["n"]),
    counted("first_seen", "Answer 1 won", SHARE, beside="interval"),
    Field(
        "first_shown",
        "By the model, against one as strong",
        *SHARE,
        "interval",
        source=lambda row: row["model"]["first_shown"],
    ),
)


def pairs(report: Report) -> list[Table]:
    """Return four tables per question that people answered, one of the automatic judges' answers,
    and one of the effect of the order for all questions."""
    found = report.get("pairs", [])
    against_all, two, of_judges = list[Table](), list[Table](), list[Table]()
    by_model = list[Table]()
    for one in found:
        item, title = one["item"], item_title(report, one["item"])
        if one["answers"]:
            by_model += _by_model(report, one, title)
            has_degrees = any(row["degree"] is not None for row in one["systems"])
            against_all += tables_of_rows(
                report,
                f"preferred-{item}",
                f"{title}: each system against all others",
                f"{title}: how often a system's answer was chosen, with 95 % intervals.",
                (SYSTEM, *RESULTS, *((DEGREE,) if has_degrees else ())),
                sorted(one["systems"], key=_best_first),
                (EACH_PAIR, *((MEAN_PLACE,) if has_degrees else ())),
                of=title,
            )
            two += tables_of_rows(
                report,
                f"head-to-head-{item}",
                f"{title}: system against system",
                "Won, tied and lost refer to the first system.",
                (ONE_SYSTEM, OTHER_SYSTEM, *RESULTS),
                one["two"],
                (EACH_PAIR,),
                of=title,
            )
        of_judges += _of_judges(report, one, title)
    order = tables_of_rows(
        report,
        "seen-first",
        "Whether it helps to stand first",
        "How often the answer that a rater or judge saw as Answer 1 was chosen, ties as half. The "
        "order was drawn, so without such an advantage it is 50 %.",
        SEEN_FIRST,
        (row for one in found for row in _orders(report, one)),
    )
    return [*by_model, *against_all, *two, *of_judges, *order]


def _by_model(report: Report, one: PairsOn, title: str) -> list[Table]:
    strengths = tables_of_rows(
        report,
        f"strengths-{one['item']}",
        f"{title}: strength of each system",
        f"{title}: which systems are preferred, with 95 % intervals.",
        STRENGTHS,
        sorted(one["systems"], key=lambda row: -(row["strength"]["value"] or 0.0)),
        BY_MODEL,
        of=title,
    )
    return strengths + tables_of_rows(
        report,
        f"strength-tests-{one['item']}",
        f"{title}: differences of strength",
        "Every two systems by the model, with 95 % intervals.",
        TESTS,
        one["model"]["tests"],
        BY_MODEL,
        of=title,
    )


def _of_judges(report: Report, one: PairsOn, title: str) -> list[Table]:
    return tables_of_rows(
        report,
        f"judges-prefer-{one['item']}",
        f"{title}: by automatic judges",
        f"{title}: how often each judge chose a system's answer, with 95 % intervals.",
        (JUDGE, SYSTEM, *RESULTS, STRENGTH, LETTERS),
        (
            {**row, "judge": judge["judge"]}
            for judge in one["judges"]
            for row in sorted(judge["systems"], key=_best_first)
        ),
        BY_MODEL,
        of=title,
    )


def _best_first(row: Any) -> float:
    return -(row["rate"]["value"] or 0.0)


def _orders(report: Report, found: PairsOn) -> Iterable[dict[str, Any]]:
    if found["answers"]:
        yield {**found, "who": PEOPLE}
    for one in found["judges"]:
        who = judge_title(report, one["judge"])
        yield {**one, "item": found["item"], "who": who}
