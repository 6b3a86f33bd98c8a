"""Answers that are not one choice: numbers, several choices, texts and marked words."""

from typing import Any

from annotate.protocol.answers import AnswerType
from annotate.protocol.dimensions import Scale
from evaluation.reports.shape.people import OpenRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import ITEM, SYSTEM, UNITS, item_title
from evaluation.reports.tables.people import THESE_RATERS
from evaluation.reports.tables.table import Field, Table, tables_of_rows, value_of

ANSWERS: dict[AnswerType, str] = {
    "number": "numbers",
    "several": "several choices",
    "text": "texts",
    "spans": "marked words",
}
SCALES: dict[Scale, str] = {
    "interval": "interval",
    "masi": "MASI",
    "jaccard": "Jaccard",
    "unitised": "unitised",
}

ALPHA = (
    "Krippendorff's alpha uses the interval scale for numbers and the MASI or Jaccard distance "
    "for sets of choices. Marked words are stretches of their text (unitised)."
)
F1 = (
    "F1 compares every two raters of a unit and is added up over units: spans with the same ends "
    "and label, and characters with the same label. Severities do not count, and agreement by "
    "chance is not removed."
)
NOT_MEASURED = (
    "Agreement on texts is not measured. Members of the study find the texts behind the report's "
    "page and in the exports of judgments."
)
NAMED = "One answer may name several, so the shares come to more than 100 %."
DISTANCE = (
    "The distance is the mean over every two raters. For numbers it is their difference as a "
    "share of the scale, for several choices the distance of the dimension's alpha. For marked "
    "words it is 1 − F1 of characters with the same label."
)


def _main_alpha(row: OpenRow) -> Any:
    return next((one["number"] for one in row["agreement"] if one["is_main"]), None)


def _answers(unit: Any) -> str:
    times = ((one["answer"], one["count"]) for one in unit["answers"])
    return " / ".join(said if count == 1 else f"{count} × {said}" for said, count in times)


SHARE_OF_RATINGS = Field("share", "Share", "share", 1, source=lambda r: r["count"] / r["ratings"])
SHARE_OF_UNITS = Field(
    "share", "Of all units", "share", 1, source=lambda r: r["units"] / r["all_units"]
)
CHARACTERS = Field("characters", "Characters", "count")
UNITS_WITH_ANY = Field("units", "Units with any", "count")

TOGETHER = (
    ITEM,
    Field("answer", "Answers", source=lambda row: ANSWERS[row["answer"]]),
    UNITS,
    Field("ratings", "Ratings", "count"),
    Field("raters", "Raters", "count"),
    Field("scale", "Scale"),
    Field("alpha", "Krippendorff's alpha", "number", 2, "interval", source=_main_alpha),
)
MEASURED = (
    ITEM,
    Field("name", "Coefficient", source="title"),
    Field("value", "Value", "number", 2, "interval", source="number"),
)
NUMBERS = (
    ITEM,
    Field("mean", "Mean", "number"),
    Field("sd", "Standard deviation", "number", missing="one rating only"),
    Field("low", "Least", "number"),
    Field("high", "Most", "number"),
)
MARKED = (
    ITEM,
    Field("spans", "Spans", "count"),
    Field("each", "Spans per rating", "number", source=lambda r: r["spans"] / r["ratings"]),
    CHARACTERS,
    UNITS_WITH_ANY,
    SHARE_OF_UNITS,
)
TEXTS = (
    ITEM,
    Field("texts", "Texts", "count", source="ratings"),
    Field("least", "Shortest", "count"),
    Field("median", "Median", "number", 1),
    Field("mean", "Mean", "number", 1),
    Field("most", "Longest", "count"),
)
APART = (
    ITEM,
    SYSTEM,
    Field("question", "Question"),
    Field("run", "Run"),
    Field("unit", "Unit"),
    Field("answers", "Answers", source=_answers),
    Field("distance", "Distance", "number"),
)
HISTOGRAM = (
    Field("from", "From", "number", source="low"),
    Field("to", "To", "number", source="high"),
    Field("count", "Ratings", "count"),
    SHARE_OF_RATINGS,
)
CHOICES = (
    Field("choice", "Choice", source="label"),
    Field("count", "Ratings", "count"),
    SHARE_OF_RATINGS,
)
LABEL = Field("label", "Label")
SEVERITY = Field("severity", "Severity")
MARKS = (Field("spans", "Spans", "count"), CHARACTERS, UNITS_WITH_ANY, SHARE_OF_UNITS)


def open_answers(report: Report) -> list[Table]:
    """Return the tables of all questions together, then those of each question."""
    found = report.get("open_answers", [])
    tables = [
        *_together(report, found),
        *tables_of_rows(
            report,
            "numbers",
            "Numbers that were answered",
            "Over all ratings.",
            NUMBERS,
            ({**row, **row["numbers"]} for row in found if "numbers" in row),
        ),
        *tables_of_rows(
            report,
            "marked",
            "Words that were marked",
            "Over all ratings: spans, and on how many of the units anybody marked something.",
            MARKED,
            ({**row, **row["spans"], "all_units": row["units"]} for row in found if "spans" in row),
        ),
        *tables_of_rows(
            report,
            "texts",
            "Texts that were written",
            "How many characters they have.",
            TEXTS,
            ({**row, **row["texts"]} for row in found if "texts" in row),
        ),
        *tables_of_rows(
            report,
            "apart",
            "Answers that differ most",
            "Units of which two raters or more said different things, the furthest apart first.",
            APART,
            ({**unit, "item": row["item"]} for row in found for unit in row["apart"]),
            (DISTANCE,),
            detail=True,
        ),
    ]
    for row in found:
        tables += _of_one(report, row)
    return tables


def _together(report: Report, found: list[OpenRow]) -> list[Table]:
    answers = {row["answer"] for row in found}
    scales = {item["key"]: item["scale"] for item in report["items"]}
    return [
        *tables_of_rows(
            report,
            "said",
            "Answers that are not one choice",
            "How many there are, and how far people agree by the dimension's own scale, with 95 % "
            "intervals.",
            TOGETHER,
            ({**row, "scale": SCALES.get(scales[row["item"]])} for row in found),
            (
                *((THESE_RATERS, ALPHA) if answers - {"text"} else ()),
                *((NOT_MEASURED,) if "text" in answers else ()),
            ),
        ),
        *tables_of_rows(
            report,
            "measured",
            "Agreement on them, in other ways",
            "With 95 % intervals.",
            MEASURED,
            (
                {**one, "item": row["item"]}
                for row in found
                for one in row["agreement"]
                if ":" not in one["name"]
            ),
            (F1,) if "spans" in answers else (),
        ),
    ]


def _of_one(report: Report, row: OpenRow) -> list[Table]:
    """Return the tables of one question."""
    item, title = row["item"], item_title(report, row["item"])
    bins = row["numbers"]["bins"] if "numbers" in row else ()
    kinds = row["spans"]["kinds"] if "spans" in row else ()
    has_severities = any(kind["severity"] for kind in kinds)
    return [
        *tables_of_rows(
            report,
            f"histogram-{item}",
            f"Numbers: {title}",
            "Ratings from each bound to below the next; the last bin includes its upper bound.",
            HISTOGRAM,
            ({**each, "ratings": row["ratings"]} for each in bins),
            detail=True,
            of=title,
        ),
        *tables_of_rows(
            report,
            f"named-{item}",
            f"Choices: {title}",
            "How many ratings name each choice.",
            CHOICES,
            ({**each, "ratings": row["ratings"]} for each in row.get("named", ())),
            (NAMED,),
            detail=True,
            of=title,
        ),
        *tables_of_rows(
            report,
            f"marks-{item}",
            f"Marked words: {title}",
            "Spans of each kind, in all ratings.",
            (LABEL, *((SEVERITY,) if has_severities else ()), *MARKS),
            ({**kind, "all_units": row["units"]} for kind in kinds),
            detail=True,
            of=title,
        ),
        *_by_label(report, row),
    ]


def _by_label(report: Report, row: OpenRow) -> list[Table]:
    """Return agreement on the spans with each label."""
    title = item_title(report, row["item"])
    whole = {one["name"]: one["title"] for one in row["agreement"] if ":" not in one["name"]}
    labels: dict[str, dict[str, Any]] = {}
    for one in row["agreement"]:
        name, _, label = one["name"].partition(":")
        if label:
            words = one["title"].removeprefix(f"{whole[name]}: ")
            labels.setdefault(words, {})[name] = value_of(one["number"])
    return tables_of_rows(
        report,
        f"by-label-{row['item']}",
        f"Agreement by label: {title}",
        "Of the spans with one label alone, with 95 % intervals.",
        (LABEL, *(Field(name, words, "number", 2, "interval") for name, words in whole.items())),
        ({"label": label, **numbers} for label, numbers in labels.items()),
        detail=True,
        of=title,
    )
