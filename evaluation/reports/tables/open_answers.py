"""What people answered that is not one choice."""

from annotate.protocol.answers import AnswerType
from annotate.protocol.dimensions import Scale
from evaluation.reports.shape.people import OpenRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, system_title
from evaluation.reports.tables.people import THESE_RATERS
from evaluation.reports.tables.table import Cell, Column, Table, value_of

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
    "Krippendorff's alpha takes numbers on the interval scale, sets of choices by their MASI or "
    "Jaccard distance, and marked words as stretches of their text (unitised)."
)
F1 = (
    "F1 is that of every two raters of a unit, added up over units: of spans with the same ends "
    "and label, and of characters with the same label. Severities do not count, and agreement by "
    "chance is not taken off."
)
NOT_MEASURED = (
    "How far people agree on texts is not measured. The texts stand behind the report's "
    "page, for members of the study, and in the exports of judgments."
)
NAMED = "One answer may name several, so the shares come to more than 100 %."


def open_answers(report: Report) -> list[Table]:
    """All questions together, then what was answered to each."""
    found = report.get("open_answers", [])
    if not found:
        return []
    tables = [_together(report, found), *_measured(report, found)]
    tables += [*_numbers(report, found), *_marked(report, found), *_texts(report, found)]
    tables += _apart(report, found)
    for row in found:
        tables += [*_histogram(report, row), *_named(report, row), *_kinds(report, row)]
        tables += _by_label(report, row)
    return tables


def _together(report: Report, found: list[OpenRow]) -> Table:
    answers = {row["answer"] for row in found}
    scales = {item["key"]: item["scale"] for item in report["items"]}
    return Table(
        "said",
        "Answers that are not one choice",
        "How many there are, and how far people agree by the dimension's own scale, with 95 % "
        "intervals.",
        (
            Column("item", "Dimension"),
            Column("answer", "Answers"),
            Column("units", "Units", "count"),
            Column("ratings", "Ratings", "count"),
            Column("raters", "Raters", "count"),
            Column("scale", "Scale"),
            Column("alpha", "Krippendorff's alpha", "number", 2, "interval"),
        ),
        tuple(
            (
                item_title(report, row["item"]),
                ANSWERS[row["answer"]],
                row["units"],
                row["ratings"],
                row["raters"],
                SCALES.get(scales[row["item"]]),
                next((value_of(one["number"]) for one in row["agreement"] if one["is_main"]), None),
            )
            for row in found
        ),
        (
            *((THESE_RATERS, ALPHA) if answers - {"text"} else ()),
            *((NOT_MEASURED,) if "text" in answers else ()),
        ),
    )


def _measured(report: Report, found: list[OpenRow]) -> list[Table]:
    return _if_any(
        Table(
            "measured",
            "Agreement on them, in other ways",
            "With 95 % intervals.",
            (
                Column("item", "Dimension"),
                Column("name", "Coefficient"),
                Column("value", "Value", "number", 2, "interval"),
            ),
            tuple(
                (item_title(report, row["item"]), one["title"], value_of(one["number"]))
                for row in found
                for one in row["agreement"]
                if ":" not in one["name"]
            ),
            (F1,) if any(row["answer"] == "spans" for row in found) else (),
        )
    )


def _numbers(report: Report, found: list[OpenRow]) -> list[Table]:
    rows = [(row, row["numbers"]) for row in found if "numbers" in row]
    return _if_any(
        Table(
            "numbers",
            "Numbers that were answered",
            "Over all ratings.",
            (
                Column("item", "Dimension"),
                Column("mean", "Mean", "number"),
                Column("sd", "Standard deviation", "number"),
                Column("low", "Least", "number"),
                Column("high", "Most", "number"),
            ),
            tuple(
                (
                    item_title(report, row["item"]),
                    value_of(numbers["mean"]),
                    value_of(numbers["sd"], reason="one rating only"),
                    value_of(numbers["low"]),
                    value_of(numbers["high"]),
                )
                for row, numbers in rows
            ),
        )
    )


def _marked(report: Report, found: list[OpenRow]) -> list[Table]:
    rows = [(row, row["spans"]) for row in found if "spans" in row]
    return _if_any(
        Table(
            "marked",
            "Words that were marked",
            "Over all ratings: spans, and on how many of the units anybody marked something.",
            (
                Column("item", "Dimension"),
                Column("spans", "Spans", "count"),
                Column("each", "Spans per rating", "number"),
                Column("characters", "Characters", "count"),
                Column("units", "Units with any", "count"),
                Column("share", "Of all units", "share", 1),
            ),
            tuple(
                (
                    item_title(report, row["item"]),
                    spans["spans"],
                    value_of(spans["spans"] / row["ratings"]),
                    spans["characters"],
                    spans["units"],
                    value_of(spans["units"] / row["units"]),
                )
                for row, spans in rows
            ),
        )
    )


def _texts(report: Report, found: list[OpenRow]) -> list[Table]:
    rows = [(row, row["texts"]) for row in found if "texts" in row]
    return _if_any(
        Table(
            "texts",
            "Texts that were written",
            "How many characters they have.",
            (
                Column("item", "Dimension"),
                Column("texts", "Texts", "count"),
                Column("least", "Shortest", "count"),
                Column("median", "Median", "number", 1),
                Column("mean", "Mean", "number", 1),
                Column("most", "Longest", "count"),
            ),
            tuple(
                (
                    item_title(report, row["item"]),
                    row["ratings"],
                    texts["least"],
                    value_of(texts["median"]),
                    value_of(texts["mean"]),
                    texts["most"],
                )
                for row, texts in rows
            ),
        )
    )


def _apart(report: Report, found: list[OpenRow]) -> list[Table]:
    return _if_any(
        Table(
            "apart",
            "Answers that differ most",
            "Units of which two raters or more said different things, the furthest apart first.",
            (
                Column("item", "Dimension"),
                Column("system", "System"),
                Column("question", "Question"),
                Column("run", "Run"),
                Column("unit", "Unit"),
                Column("answers", "Answers"),
                Column("distance", "Distance", "number"),
            ),
            tuple(
                (
                    item_title(report, row["item"]),
                    system_title(report, unit["system"]),
                    unit["question"],
                    unit["run"],
                    unit["unit"],
                    " / ".join(_times(said["answer"], said["count"]) for said in unit["answers"]),
                    value_of(unit["distance"]),
                )
                for row in found
                for unit in row["apart"]
            ),
            (
                "The distance is the mean of those of every two raters: of numbers their "
                "difference as a share of the scale, of several choices that of the dimension's "
                "alpha, of marked words 1 − F1 of characters with the same label.",
            ),
            detail=True,
        )
    )


def _times(answer: str, count: int) -> str:
    return answer if count == 1 else f"{count} × {answer}"


def _histogram(report: Report, row: OpenRow) -> list[Table]:
    title = item_title(report, row["item"])
    if "numbers" not in row:
        return []
    bins = row["numbers"]["bins"]
    return [
        Table(
            f"histogram-{row['item']}",
            f"Numbers: {title}",
            "How many ratings lie from each bound to below the next; in the last, that too.",
            (
                Column("from", "From", "number"),
                Column("to", "To", "number"),
                Column("count", "Ratings", "count"),
                Column("share", "Share", "share", 1),
            ),
            tuple(
                (
                    value_of(each["low"]),
                    value_of(each["high"]),
                    each["count"],
                    value_of(each["count"] / row["ratings"]),
                )
                for each in bins
            ),
            detail=True,
            of=title,
        )
    ]


def _named(report: Report, row: OpenRow) -> list[Table]:
    title = item_title(report, row["item"])
    if "named" not in row:
        return []
    return [
        Table(
            f"named-{row['item']}",
            f"Choices: {title}",
            "How many ratings name each choice.",
            (
                Column("choice", "Choice"),
                Column("count", "Ratings", "count"),
                Column("share", "Share", "share", 1),
            ),
            tuple(
                (each["label"], each["count"], value_of(each["count"] / row["ratings"]))
                for each in row["named"]
            ),
            (NAMED,),
            detail=True,
            of=title,
        )
    ]


def _kinds(report: Report, row: OpenRow) -> list[Table]:
    title = item_title(report, row["item"])
    if "spans" not in row:
        return []
    kinds = row["spans"]["kinds"]
    severe = any(kind["severity"] for kind in kinds)
    return [
        Table(
            f"marks-{row['item']}",
            f"Marked words: {title}",
            "Spans of each kind, in all ratings.",
            (
                Column("label", "Label"),
                *((Column("severity", "Severity"),) if severe else ()),
                Column("spans", "Spans", "count"),
                Column("characters", "Characters", "count"),
                Column("units", "Units with any", "count"),
                Column("share", "Of all units", "share", 1),
            ),
            tuple(
                (
                    kind["label"],
                    *((kind["severity"],) if severe else ()),
                    kind["spans"],
                    kind["characters"],
                    kind["units"],
                    value_of(kind["units"] / row["units"]),
                )
                for kind in kinds
            ),
            detail=True,
            of=title,
        )
    ]


def _by_label(report: Report, row: OpenRow) -> list[Table]:
    """Agreement on spans with each label alone."""
    title = item_title(report, row["item"])
    whole = {one["name"]: one["title"] for one in row["agreement"] if ":" not in one["name"]}
    labels: dict[str, dict[str, Cell]] = {}
    for one in row["agreement"]:
        name, _, label = one["name"].partition(":")
        if label:
            words = one["title"].removeprefix(f"{whole[name]}: ")
            labels.setdefault(words, {})[name] = value_of(one["number"])
    return _if_any(
        Table(
            f"by-label-{row['item']}",
            f"Agreement by label: {title}",
            "Of the spans with one label alone, with 95 % intervals.",
            (
                Column("label", "Label"),
                *(Column(name, words, "number", 2, "interval") for name, words in whole.items()),
            ),
            tuple((label, *(of[name] for name in whole)) for label, of in labels.items()),
            detail=True,
            of=title,
        )
    )


def _if_any(table: Table) -> list[Table]:
    return [table] if table.rows else []
