"""How far people agree with each other."""

import re
from typing import Literal

from evaluation.reports.shape.people import AnswerCount, PeopleRow, RaterMatrix
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, people_kind, system_title
from evaluation.reports.tables.table import Cell, Column, Kind, Table, Value, said_of, value_of

Coefficient = Literal[
    "percent",
    "fleiss",
    "fleiss_all",
    "alpha",
    "alpha_interval",
    "kappa_pooled",
    "kappa_mean",
    "ac1",
]
FIGURES: tuple[tuple[Coefficient, str, Kind, int], ...] = (
    ("percent", "Percent agreement", "share", 1),
    ("fleiss", "Fleiss' kappa", "number", 2),
    ("fleiss_all", "Fleiss' kappa, all units", "number", 2),
    ("alpha", "Krippendorff's alpha", "number", 2),
    ("alpha_interval", "Alpha, interval scale", "number", 2),
    ("kappa_pooled", "Cohen's kappa, pooled", "number", 2),
    ("kappa_mean", "Cohen's kappa, mean of pairs", "number", 2),
    ("ac1", "Gwet's AC1", "number", 2),
)

ALL_UNITS = (
    "Fleiss' kappa needs as many ratings of each unit, and leaves the others out; that of all "
    "units is generalised to different numbers. Krippendorff's alpha is that of the dimension's "
    "own scale; on the interval scale the degrees of an ordered one count as numbers, each as far "
    "from the next."
)
SENTENCE = re.compile(r"\S.*?\.(?= |$)")

THESE_RATERS = (
    "Intervals come from resampling questions: they say where a number would lie if these raters "
    "judged other questions of the kind, and nothing of other raters, who may agree more or less."
)
POOLED = (
    "The pooled kappa weighs each pair of raters by the units that it shares. The mean of pairs, "
    "as in the ALiiCE paper, gives every pair the same weight; it is for raters who all rated the "
    "same units."
)


OF_PAIRS = (
    "How often each answer was given about the pairs of each system: Answer 1 is its own, Answer 2 "
    "the other one, whichever stood first. So each rating counts for both of its systems."
)


def people(report: Report) -> list[Table]:
    """Agreement by item, and for each item the pairs, each rater and what was answered."""
    found = report["people"]
    if not found:
        return []
    tables = [_agreement(report, found)]
    for row in found:
        tables += [
            *_matrix(report, row),
            *_pairs(report, row),
            *_each_rater(report, row),
            *_distribution(report, row),
        ]
    return tables


def _agreement(report: Report, found: list[PeopleRow]) -> Table:
    titled = [(item_title(report, row["item"]), row) for row in found]
    fleiss = said_of((of, row["fleiss_note"]) for of, row in titled if row.get("fleiss_note"))
    cohen = said_of(
        (of, sentence)
        for of, row in titled
        for sentence in SENTENCE.findall(row.get("kappa_note", ""))
    )
    notes = [*(f"Fleiss' kappa, {note}" for note in fleiss)]
    notes += (f"Cohen's kappa, {note}" for note in cohen)
    means = any("mean" in row for row in found)
    figures = [one for one in FIGURES if any(one[0] in row for row in found)]
    return Table(
        "people",
        "Agreement between people",
        "How far raters agree with each other, with 95 % intervals.",
        (
            Column("item", "Dimension"),
            Column("units", "Units", "count"),
            Column("ratings", "Ratings", "count"),
            Column("raters", "Raters", "count"),
            *(Column(key, title, kind, digits, "interval") for key, title, kind, digits in figures),
            *((Column("mean", "Mean answer", "number", 2, "se"),) if means else ()),
        ),
        tuple(
            (
                item_title(report, row["item"]),
                row["units"],
                row["ratings"],
                row["raters"],
                *(value_of(row[key]) if key in row else None for key, _, _, _ in figures),
                *((value_of(row["mean"]) if "mean" in row else None,) if means else ()),
            )
            for row in found
        ),
        (THESE_RATERS, POOLED, ALL_UNITS, *notes),
    )


def _matrix(report: Report, row: PeopleRow) -> list[Table]:
    """Each pair once: below the diagonal."""
    matrix = row.get("matrix")
    if not matrix or len(matrix["raters"]) < 2:
        return []
    names = matrix["raters"]
    title = item_title(report, row["item"])
    return [
        Table(
            f"matrix-{row['item']}",
            f"Matrix of raters: {title}",
            "Cohen's kappa of each two raters on the units that both rated.",
            (
                Column("rater", "Rater"),
                *(Column(name, name, "bare") for name in names[:-1]),
            ),
            tuple(
                (
                    names[place],
                    *(_met(matrix, place, other) for other in range(place)),
                    *[""] * (len(names) - 1 - place),
                )
                for place in range(1, len(names))
            ),
            (
                "Empty: no unit in common. A dash: kappa is undefined, as where both gave one and "
                "the same answer to all that they share. How many units each two share: "
                "tables/pairs-….csv.",
                *((matrix["note"],) if matrix.get("note") else ()),
                *((row["kappa_note"],) if row.get("kappa_note") else ()),
            ),
            detail=True,
            of=title,
            shaded=True,
        )
    ]


def _met(matrix: RaterMatrix, one: int, other: int) -> Cell:
    kappa = matrix["kappas"][one][other]
    if kappa is None:
        return None if matrix["units"][one][other] else ""
    return Value(kappa)


def _pairs(report: Report, row: PeopleRow) -> list[Table]:
    matrix = row.get("matrix")
    if not matrix or len(matrix["raters"]) < 2:
        return []
    names = matrix["raters"]
    reasons = matrix.get("reasons")
    rows: list[tuple[Cell, ...]] = []
    apart = 0
    for i, one in enumerate(names):
        for j in range(i + 1, len(names)):
            if not matrix["units"][i][j]:
                apart += 1
                continue
            reason = (reasons[i][j] if reasons else "") or "constant answers"
            kappa = value_of(matrix["kappas"][i][j], reason=reason)
            rows.append((one, names[j], matrix["units"][i][j], kappa))
    rows.sort(key=_shared, reverse=True)
    title = item_title(report, row["item"])
    return [
        Table(
            f"pairs-{row['item']}",
            f"Pairs of raters: {title}",
            "Cohen's kappa of each two raters on the units that both rated.",
            (
                Column("one", "One"),
                Column("other", "Other"),
                Column("units", "Units", "count"),
                Column("kappa", "Cohen's kappa", "number"),
            ),
            tuple(rows),
            (
                *(
                    ("Ordered answers are weighted quadratically.",)
                    if _ordered(report, row)
                    else ()
                ),
                *((f"Left out: {apart:,} pairs without a common unit.",) if apart else ()),
                *((matrix["note"],) if matrix.get("note") else ()),
                *((row["kappa_note"],) if row.get("kappa_note") else ()),
            ),
            detail=True,
            of=title,
        )
    ]


def _shared(row: tuple[Cell, ...]) -> int:
    """Those first who share most: of few units a kappa says little."""
    assert isinstance(row[2], int)
    return row[2]


def _each_rater(report: Report, row: PeopleRow) -> list[Table]:
    if not row.get("each_rater"):
        return []
    return [
        Table(
            f"raters-{row['item']}",
            f"Each rater: {item_title(report, row['item'])}",
            "How often each rater gives the same answer as another rater of the same unit.",
            (
                Column("rater", "Rater"),
                Column("share", "Same answer", "share", 1),
                Column("units", "Units", "count"),
                Column("comparisons", "Comparisons", "count"),
                Column("standing", "Standing"),
            ),
            tuple(
                (
                    each["rater"],
                    value_of(
                        each["share"], reason=each.get("reason") or "nothing rated with others"
                    ),
                    each["units"],
                    each["comparisons"],
                    "excluded" if each["excluded"] else "counted",
                )
                for each in row["each_rater"]
            ),
            detail=True,
            of=item_title(report, row["item"]),
        )
    ]


def _distribution(report: Report, row: PeopleRow) -> list[Table]:
    if not row.get("distribution"):
        return []
    by_system = row.get("by_system", [])
    told: list[tuple[tuple[str, ...], list[AnswerCount]]] = [
        ((system_title(report, one["system"]),), one["distribution"]) for one in by_system
    ]
    return [
        Table(
            f"distribution-{row['item']}",
            f"Answers: {item_title(report, row['item'])}",
            OF_PAIRS if by_system else "How often each answer was given.",
            (
                *((Column("system", "System"),) if by_system else ()),
                Column("answer", "Answer"),
                Column("count", "Ratings", "count"),
                Column("share", "Share", "share", 1),
            ),
            tuple(
                (
                    *name,
                    _answer(report, row, each),
                    each["count"],
                    _share(each["count"], sum(one["count"] for one in given)),
                )
                for name, given in told or [((), row["distribution"])]
                for each in given
            ),
            detail=True,
            of=item_title(report, row["item"]),
        )
    ]


def _share(part: int, whole: int) -> Cell:
    return value_of(part / whole if whole else None, reason="no ratings")


def _answer(report: Report, row: PeopleRow, each: AnswerCount) -> str:
    numbered = people_kind(report, row["item"])[0] == "number"
    return f"{each['value']}: {each['label']}" if numbered else str(each["label"])


def _ordered(report: Report, row: PeopleRow) -> bool:
    return any(i["key"] == row["item"] and i["scale"] == "ordinal" for i in report["items"])
