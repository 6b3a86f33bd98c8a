"""Titles of items, judges and systems in tables and charts, and the formats of their numbers."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from annotate.protocol.slices import DATASET
from evaluation.judges.registry import METRICS
from evaluation.reports.shape.judges import AgreementRow, SelectiveRow, ThresholdRow
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import ComparedColumn, SlicedColumn
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.table import Beside, Field, Kind, Table

SHARE: tuple[Kind, int] = ("share", 1)
PEOPLE = "People"
FIRST_OF_PAIRS = (
    "Answer 1 is here the one of the system whose name comes first in the alphabet, Answer 2 the "
    "other one.",
)


def item_title(report: Report, key: str) -> str:
    """Return the item's title, or its key where the report has no such item."""
    return str(next((item["title"] for item in report["items"] if item["key"] == key), key))


def value_label(report: Report, item: str, value: str) -> str:
    """Return the label of one answer on an item."""
    for found in report["items"]:
        if found["key"] == item:
            labels = {choice["value"]: str(choice["label"]) for choice in found["values"]}
            return labels.get(value, value)
    return value


def first_of_pairs(report: Report, item: str) -> tuple[str, ...]:
    """Return a note on the meaning of “Answer 1” for a question about pairs."""
    return FIRST_OF_PAIRS if any(one["item"] == item for one in report.get("pairs", [])) else ()


def system_title(report: Report, name: str) -> str:
    """Return the system's title, or its name where the report has no such system."""
    rows = report["systems"]["rows"]
    return next((row["title"] for row in rows if row["system"] == name), name)


def judge_title(report: Report, key: str) -> str:
    """Return the judge's readable name, with its id where another judge has the same name."""
    titles = {judge["id"]: str(judge["title"]) for judge in report["judges"]}
    title = titles.get(key, key)
    alike = sum(other == title for other in titles.values()) > 1
    return f"{title} ({key})" if alike else title


def slices_named(report: Report) -> tuple[str, str]:
    """Return the words for one slice of the questions, and for several."""
    key = report["slices"]["split"]
    if key == DATASET:
        return "data set", "data sets"
    return f"value of “{key}”", f"values of “{key}”"


def within_note(report: Report, rows: Iterable[Any], key: str) -> list[str]:
    """Return a note on agreement within slices where a row has it."""
    text = (
        "Within slices (here {1}): agreement by chance is computed inside each {0}. Agreement "
        "that comes only from differences between {1} does not count."
    ).format(*slices_named(report))
    return [text] if any(f"{key}_within" in row for row in rows) else []


def automatic_title(report: Report, judge: str, key: str) -> str:
    """Return the title of a judge's column in the table of systems."""
    for found in report["systems"]["automatic"]:
        if (found["judge"], found["key"]) == (judge, key):
            return found["title"]
    return key


def judge_note(report: Report, keys: list[str]) -> tuple[str, ...]:
    """Return a note for each judge whose signature differs from its title."""
    names = {one["id"]: one["name"] for one in report["judges"] if one["name"] != one["title"]}
    return tuple(
        f"{judge_title(report, key)}: {names[key]}" for key in dict.fromkeys(keys) if key in names
    )


def cautioned(report: Report, table: Table) -> Table:
    """Return the table with the cautions of the judges that it names."""
    named = [table.title, table.caption]
    named += [words for column in table.columns for words in (column.title, column.group)]
    named += [cell for row in table.rows for cell in row if isinstance(cell, str)]
    said = "\n".join(named)
    found = dict.fromkeys(
        judge.get("caution", "") for judge in report["judges"] if judge["title"] in said
    )
    return replace(table, cautions=tuple(filter(None, found)))


def people_kind(report: Report, key: str) -> tuple[Kind, int]:
    """Return the format of people's number: a mean of degrees or open answers, or a share."""
    for item in report["items"]:
        if item["key"] == key and (
            "answer" in item or all(str(v["value"]).isdigit() for v in item["values"])
        ):
            return "number", 2
    return SHARE


def automatic_kind(report: Report, key: str) -> tuple[Kind, int]:
    """Return the format of a judge's number: that of the metric, otherwise that of people."""
    metric = METRICS.get(key)
    if metric is not None and metric.kind == "number":
        return "number", 1 if key == "length" else 2
    return people_kind(report, key)


def automatic_column(judge: str, key: str) -> str:
    """Return the key of a column with the means of a judge's number."""
    metric = METRICS.get(key)
    return f"{judge}/{key}_mean" if metric is not None and metric.mean else f"{judge}/{key}"


def counted(
    key: str,
    title: str,
    how: tuple[Kind, int],
    *,
    group: str = "",
    beside: Beside = "interval",
    source: str | Callable[[Any], Any] = "",
) -> Field:
    """Return a column of numbers in this format."""
    return Field(key, title, how[0], how[1], beside, group, source)


def of_systems(
    report: Report, judge: str | None, key: str, source: Callable[[Any], Any] | None = None
) -> Field:
    """Return the column of one number of systems: of people, or of a judge."""
    if judge is None:
        title, kind, group, place = item_title(report, key), people_kind(report, key), PEOPLE, ""
    else:
        title, group = automatic_title(report, judge, key), judge_title(report, judge)
        kind, place = automatic_kind(report, key), automatic_column(judge, key)
    return counted(place or f"people/{key}", title, kind, group=group, source=source or "")


def number_named(
    report: Report, column: ComparedColumn | SlicedColumn
) -> tuple[str, tuple[Kind, int]]:
    """Return the title of a system's number, with its source, and its format."""
    judge, key = column["judge"], column["key"]
    if judge is None:
        return f"{PEOPLE}, {column['title']}", people_kind(report, key)
    return f"{judge_title(report, judge)}, {column['title']}", automatic_kind(report, key)


ITEM = Field("item", "Dimension", named=item_title)
JUDGE = Field("judge", "Judge", named=judge_title)
SYSTEM = Field("system", "System", named=system_title)
UNITS = Field("units", "Units", "count")
ONE_SYSTEM = Field("one", "One", named=system_title)
OTHER_SYSTEM = Field("other", "Other", named=system_title)


def pair_named(report: Report, row: AgreementRow | SelectiveRow | ThresholdRow) -> tuple[str, str]:
    """Return the end of a table's key and title for a judge on an item."""
    title = f"{judge_title(report, row['judge'])}, {item_title(report, row['item'])}"
    return f"{row['judge']}-{row['item']}", title


# Notes on few questions ---------------------------------------------------------------------------

WITHOUT_END = 100
"""For numbers without an upper end: smaller studies miss rare, heavy answers."""

DIFFERENCES = 50
"""For differences of two systems: if most answers are alike, few questions show a difference."""

SLICES = 100
"""For differences of one system in two slices: too wide below if nearly all answers are yes."""

FEW_IN_SLICE = 25
"""For means in slices: yes and no give few values, and equal answers no interval."""

SCORES = 50
"""For numbers about scores."""


def few_for_differences(questions: Iterable[int], least: int = DIFFERENCES) -> tuple[str, ...]:
    if not any(0 < one < least for one in questions):
        return ()
    return (
        f"Intervals of differences on fewer than {least} questions are rough: they hold the "
        "truth in too few or too many of such studies.",
    )


def few_for_scores(questions: Iterable[int]) -> tuple[str, ...]:
    if not any(one < SCORES for one in questions):
        return ()
    return (
        f"Intervals of fewer than {SCORES} questions are rough: they hold the truth in too few of "
        "such studies.",
    )


def few_without_end(numbers: Iterable[Number | None], questions: int) -> tuple[str, ...]:
    """Return the note if a number without an upper end has few responses or questions."""
    if not any(_is_without_end(one) and min(one["n"], questions) < WITHOUT_END
               for one in numbers if one is not None):  # fmt: skip
        return ()
    return (
        f"Of fewer than {WITHOUT_END} questions, standard errors and intervals of numbers without "
        "an upper end, as penalties and counts, are too small: what is rare and weighs much may "
        "not have been seen.",
    )


def _is_without_end(number: Number) -> bool:
    """Whether the number's signature names the interval of numbers without an upper end."""
    return number["value"] is not None and "interval:log" in number["signature"].split("|")
