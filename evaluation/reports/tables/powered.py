"""People's numbers with the help of a judge: in the table of systems and their own tables."""

from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import PoweredEntry
from evaluation.reports.tables.names import (
    SHARE,
    SYSTEM,
    counted,
    item_title,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Cell, Field, Table, tables_of_rows, value_of

HELPED = "People, with"
"""The heading of columns in the table of systems, before the name of the judge."""


ON_CORRECTED = (
    "Judge, corrected: the judge's rate, corrected for its sensitivity and specificity (Rogan and "
    "Gladen). Undefined if rated responses differ from the rest: people's own errors would bias it."
)
REFUSED = "The judge therefore gives no help here, and its rate is not corrected for its errors."
ON_MORE = "More ratings: enough in at least 80 % of studies, with the 95 % range of the number."


def helping(report: Report, item: str) -> PoweredEntry | None:
    """Return the entry of the leading judge, or, where that has no weight, of the heaviest."""
    judge = report["leading"]["judge"] if report["leading"] else ""

    def rank(entry: PoweredEntry) -> tuple[bool, float]:
        weight = fmean(row["weight"] or 0.0 for row in entry["rows"])
        return weight > 0 and entry["judge"] == judge, weight

    entries = (one for one in report["powered"] if one["item"] == item and one["rows"])
    return max(entries, key=rank, default=None)


def is_shown(entry: PoweredEntry) -> bool:
    """Whether the judge helps any system."""
    return any(row["weight"] and row["powered"]["value"] is not None for row in entry["rows"])


def helped_columns(report: Report, entry: PoweredEntry) -> Iterator[Field]:
    """Yield columns of the table of systems, shown after people's numbers."""
    key, group = entry["item"], f"{HELPED} {judge_title(report, entry['judge'])}"
    item, kind = item_title(report, key), people_kind(report, key)
    rows: dict[str, Any] = {one["system"]: one for one in entry["rows"]}

    def number(name: str) -> Callable[[Any], Cell]:
        return lambda row: value_of(rows.get(row["system"], {}).get(name), reason="not judged")

    yield counted(
        f"powered/{key}", item, kind, group=group, beside="interval", source=number("powered")
    )
    title = f"{item}: worth as many ratings"
    yield Field(f"effective/{key}", title, "number", 0, "", group, number("effective"))


def on_rated_part(report: Report, item: str) -> str:
    """Return how the rated responses differ from the rest, by the helping judge or without one."""
    entry = helping(report, item)
    return (entry["differs"] if entry else "") or report["systems"].get("sample", {}).get(item, "")


def notes_on_helped(report: Report, entries: list[PoweredEntry]) -> list[str]:
    items: dict[str, list[str]] = {}
    for item in report["systems"]["people"]:
        items.setdefault(on_rated_part(report, item), []).append(item_title(report, item))
    found = [f"{', '.join(titles)}: {text}" for text, titles in items.items() if text]
    if any(is_shown(one) for one in entries):
        found.append(
            f"{HELPED} a judge: people's number, helped by the judge where nobody rated "
            "(prediction-powered inference), with 95 % intervals. Worth as many ratings: this many "
            "rated questions tell as much without the judge."
        )
    return found


def powered(report: Report) -> list[Table]:
    """Return people's numbers with the help of a judge, a table for each item and judge."""
    return [table for found in report["powered"] for table in _powered(report, found)]


def _powered(report: Report, found: PoweredEntry) -> list[Table]:
    kind = people_kind(report, found["item"])
    more = dict.fromkeys(more["half_width"] for row in found["rows"] for more in row["more"])
    is_corrected = any(row["corrected"]["value"] is not None for row in found["rows"])
    warnings = [
        f"{system_title(report, row['system'])}: {warning}"
        for row in found["rows"]
        for warning in row["warnings"]
    ]
    title = f"{item_title(report, found['item'])}, {judge_title(report, found['judge'])}"
    columns = [
        SYSTEM,
        Field("rated", "Rated", "count"),
        Field("others", "Judged only", "count"),
        counted("people", "People alone", kind, beside="interval"),
        counted("powered", "With the judge", kind, beside="interval"),
        Field("weight", "Weight of the judge", "number"),
        Field("effective", "Worth as many ratings", "number", 0),
        counted("corrected", "Judge, corrected", kind, beside="interval"),
        Field("sensitivity", "Sensitivity", *SHARE),
        Field("specificity", "Specificity", *SHARE),
        *(field for width in more for field in _more_ratings(width, kind[0])),
    ]
    return tables_of_rows(
        report,
        f"powered-{found['item']}-{found['judge']}",
        f"Few ratings, many judgments: {title}",
        "People's number from the rated responses alone, and helped by the judge on all others "
        "(prediction-powered inference), with 95 % intervals.",
        columns,
        found["rows"],
        (
            *([f"{found['differs']} {REFUSED}"] if found["differs"] else []),
            *warnings,
            *([ON_CORRECTED] if is_corrected else []),
            *([ON_MORE] if more and not found["differs"] else []),
            *judge_note(report, [found["judge"]]),
        ),
        of=title,
    )


def _more_ratings(width: float, kind: str) -> Iterator[Field]:
    """Yield columns: how many more ratings an interval of this half width needs."""
    points = f"{width * 100:g} points" if kind == "share" else f"{width:g}"
    group = f"More ratings for ± {points}"
    for title, name in (("With the judge", "with_judge"), ("People alone", "people_alone")):

        def wanted(row: Any, name: str = name) -> Any:
            return next((m[name] for m in row["more"] if m["half_width"] == width), None)

        yield Field(f"{name}-{width:g}", title, "number", 0, "interval", group, wanted)
