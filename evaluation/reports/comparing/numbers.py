"""The numbers of a report under names that are the same in another report.

Judges are named by signature, since j1 of one report may be j2 of the other.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from evaluation.reports.shape.judges import AgreementRow
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import Number
from evaluation.statistics.open_coefficients import is_of_all

PEOPLE = "people"

Coefficient = Literal["percent", "alpha", "alpha_interval", "fleiss", "fleiss_all", "ac1"]
OfJudge = Literal["accuracy", "kappa", "precision", "recall", "f1"]
Correlation = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


class NumberPlace(NamedTuple):
    """The table and row of a number."""

    table: tuple[str, ...]
    """`systems`, who answered, and the item or measure; or `people`, `judges` or `correlations`,
    and the coefficient."""

    row: tuple[str, ...]
    """A system; or a dimension, its judge, and the judge's number."""


def numbers_of(report: Report) -> dict[NumberPlace, Number]:
    """Return all comparable numbers, in the report's order."""
    return dict([*_systems(report), *_people(report), *_judges(report), *_correlations(report)])


def signatures(report: Report) -> dict[str, str]:
    """Return the signature of each judge of the report, by its id there."""
    return {judge["id"]: judge["name"] for judge in report["judges"]}


def _systems(report: Report) -> Iterator[tuple[NumberPlace, Number]]:
    names, found = signatures(report), report["systems"]
    for key in found["people"]:
        for row in found["rows"]:
            if key in row["people"]:
                yield NumberPlace(("systems", PEOPLE, key), (row["system"],)), row["people"][key]
    for column in found["automatic"]:
        judge, key = column["judge"], column["key"]
        for row in found["rows"]:
            if (number := row["automatic"].get(f"{judge}/{key}")) is not None:
                yield NumberPlace(("systems", names[judge], key), (row["system"],)), number


def _people(report: Report) -> Iterator[tuple[NumberPlace, Number]]:
    for name in COEFFICIENTS:
        for row in report["people"]:
            if name in row:
                yield NumberPlace(("people", name), (row["item"],)), row[name]
    for asked in report.get("open_answers", []):
        for one in asked["agreement"]:
            if is_of_all(one["name"]):
                yield NumberPlace(("people", one["name"]), (asked["item"],)), one["number"]


def _judges(report: Report) -> Iterator[tuple[NumberPlace, Number]]:
    names = signatures(report)
    for name in get_args(OfJudge):
        for row in report["agreement"]:
            if (number := _of_judge(row, name)) is not None:
                yield NumberPlace(("judges", name), (row["item"], names[row["judge"]])), number


def _of_judge(row: AgreementRow, name: OfJudge) -> Number | None:
    if name == "accuracy" or name == "kappa":
        return row[name]
    return row["detects"][name] if row["detects"] else None


def _correlations(report: Report) -> Iterator[tuple[NumberPlace, Number]]:
    """Yield correlations if all systems are one group: groups of two reports cannot be matched."""
    names, found = signatures(report), report["correlations"]["systems"]
    if len(report["systems"]["groups"]) != 1:
        return
    for name in CORRELATIONS:
        for row in found:
            place = (row["people"], names[row["judge"]], row["key"])
            yield NumberPlace(("correlations", name), place), row[name]
