"""People: agreement, answers, skipped dimensions, and disagreements with judges."""

import re
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from evaluation.reports.shape.people import DisagreementRow, PeopleRow, RaterMatrix, Ties
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    ITEM,
    JUDGE,
    SYSTEM,
    UNITS,
    item_title,
    people_kind,
    value_label,
    within_note,
)
from evaluation.reports.tables.table import Cell, Field, Table, Value, shared_notes, tables_of_rows
from evaluation.statistics.variance_components import MOST_SHOWN, PARTS, RELIABLE

THESE_RATERS = (
    "Intervals come from resampling questions. They say where a number would be if these raters "
    "judged other questions like these. Other raters may agree more or less."
)
POOLED = (
    "The pooled kappa weighs each pair of raters by the units that it shares. The mean of pairs, "
    "as in the ALiiCE paper, gives every pair the same weight; it is for raters who all rated the "
    "same units."
)
ALL_UNITS = (
    "Fleiss' kappa needs as many ratings of each unit, and leaves the others out; that of all "
    "units is generalised to different numbers. Krippendorff's alpha is that of the dimension's "
    "own scale; on the interval scale the degrees of an ordered one count as numbers, each as far "
    "from the next."
)
SENTENCE = re.compile(r"\S.*?\.(?= |$)")

AGREEMENT = (
    ITEM,
    UNITS,
    Field("ratings", "Ratings", "count"),
    Field("raters", "Raters", "count"),
)
CITED = (
    Field("percent", "Percent agreement", "share", 1, "interval"),
    Field("alpha", "Krippendorff's alpha, to cite", "number", 2, "interval"),
    Field("why", "Why", source=lambda row: _why_alpha(row)),
)
WITHIN_CITED = (
    CITED[0],
    Field("alpha", "Krippendorff's alpha", "number", 2, "interval"),
    Field("alpha_within", "Alpha within slices, to cite", "number", 2, "interval"),
    CITED[-1],
)
"""If questions have slices."""

FIGURES = (
    Field("fleiss", "Fleiss' kappa", "number", 2, "interval"),
    Field("fleiss_all", "Fleiss' kappa, all units", "number", 2, "interval"),
    Field("alpha_interval", "Alpha, interval scale", "number", 2, "interval"),
    Field("kappa_pooled", "Cohen's kappa, pooled", "number", 2, "interval"),
    Field("kappa_pooled_within", "Pooled kappa within slices", "number", 2, "interval"),
    Field("kappa_mean", "Cohen's kappa, mean of pairs", "number", 2, "interval"),
    Field("ac1", "Gwet's AC1", "number", 2, "interval", source=lambda row: _gwet(row, "ac1")),
    Field("ac2", "Gwet's AC2", "number", 2, "interval", source=lambda row: _gwet(row, "ac2")),
    Field("mean", "Mean answer", "number", 2, "interval"),
)
"""The other coefficients. Each is shown if an item has it."""

SAME = 0.9
"""The share of one answer from which alpha falls towards 0, even if raters rarely differ."""

TIES = (
    Field("ties", "Tied units", "count", source=lambda row: row["ties"]["units"]),
    Field("tie_labels", "Label of ties", source=lambda row: _labels_of_ties(row["ties"])),
)
TIED = (
    "Tied units have as many votes for one answer as for another; a rule decides their label. A "
    "system's number is the mean of all votes and needs no rule."
)

PAIRS_OF_RATERS = (
    Field("one", "One"),
    Field("other", "Other"),
    UNITS,
    Field("kappa", "Cohen's kappa", "number", missing="constant answers"),
)
EACH_RATER = (
    Field("rater", "Rater"),
    Field("share", "Same answer", "share", 1, missing="nothing rated with others"),
    UNITS,
    Field("comparisons", "Comparisons", "count"),
    Field("standing", "Standing", source=lambda r: "excluded" if r["excluded"] else "counted"),
)
DISTRIBUTION = (
    Field("answer", "Answer"),
    Field("count", "Ratings", "count"),
    Field("share", "Share", "share", 1, missing="no ratings"),
)
OF_PAIRS = (
    "How often each answer was given about the pairs of each system. Answer 1 is its own, Answer "
    "2 the other one, regardless of the order shown. Each rating counts for both of its systems."
)


def people(report: Report) -> list[Table]:
    """Return agreement by item, and per item the pairs of raters, each rater and the answers."""
    found = report["people"]
    titled = [(item_title(report, row["item"]), row) for row in found]
    fleiss = shared_notes((of, row["fleiss_note"]) for of, row in titled if row.get("fleiss_note"))
    cohen = shared_notes(
        (of, sentence)
        for of, row in titled
        for sentence in SENTENCE.findall(row.get("kappa_note", ""))
    )
    has_ties = any("ties" in row and row["ties"]["units"] for row in found)
    cited = WITHIN_CITED if any("alpha_within" in row for row in found) else CITED
    tables = tables_of_rows(
        report,
        "people",
        "Agreement between people",
        "How far raters agree with each other, with 95 % intervals.",
        (*AGREEMENT, *(TIES if has_ties else ()), *_found(report, cited, found)),
        found,
        (
            *((TIED,) if has_ties else ()),
            THESE_RATERS,
            *within_note(report, found, "alpha"),
        ),
    )
    tables += tables_of_rows(
        report,
        "coefficients",
        "Other coefficients",
        "In addition to Krippendorff's alpha, for comparison with other papers.",
        (ITEM, UNITS, *_found(report, FIGURES, found)),
        found,
        (
            POOLED,
            ALL_UNITS,
            *(f"Fleiss' kappa, {note}" for note in fleiss),
            *(f"Cohen's kappa, {note}" for note in cohen),
        ),
        detail=True,
    )
    for title, row in titled:
        matrix = row.get("matrix")
        if matrix and len(matrix["raters"]) > 1:
            tables += [_matrix(title, row), *_pairs_of_raters(report, title, row)]
        tables += tables_of_rows(
            report,
            f"raters-{row['item']}",
            f"Each rater: {title}",
            "How often each rater gives the same answer as another rater of the same unit.",
            EACH_RATER,
            row.get("each_rater", ()),
            detail=True,
            of=title,
        )
        if row.get("distribution"):
            tables += _distribution(report, title, row)
    return tables


def _found(report: Report, fields: Iterable[Field], rows: Iterable[Any]) -> list[Field]:
    """Return the fields that some row has."""
    return [one for one in fields if any(one.cell(report, row) is not None for row in rows)]


def _why_alpha(row: PeopleRow) -> str:
    """Say why alpha is the number to cite, or which number to cite instead."""
    counts = [one["count"] for one in row["distribution"]]
    share = max(counts, default=0) / max(sum(counts), 1)
    if row["alpha"]["value"] is None:
        instead = ": cite percent agreement and Gwet's AC" if share == 1 else ""
        return f"undefined ({row['alpha']['reason']}){instead}"
    if share >= SAME:
        return f"{100 * share:.0f} % of all answers are the same: report Gwet's AC as well"
    if "alpha_within" in row:
        why = row["alpha_within"]["reason"]
        if why:
            return f"undefined within slices ({why}): cite alpha over all of them"
        return "differences between slices do not count as agreement"
    if "alpha_interval" in row:
        return "ordered answers: far apart counts more"
    if row["fleiss"]["n"] == row["units"]:
        return "as many ratings of each unit: Fleiss' kappa is the same but for small samples"
    return "units have different numbers of ratings"


def _gwet(row: PeopleRow, name: str) -> Any:
    """Return AC1 for nominal scales, AC2 for ordinal ones."""
    own = row.get("ac1")
    is_ordinal = own is not None and own["signature"].startswith("ac2")
    return own if (name == "ac2") == is_ordinal else None


def _labels_of_ties(ties: Ties) -> str:
    labels = [f"{one['label']} {one['count']}" for one in ties["labels"]]
    none = ties["units"] - sum(one["count"] for one in ties["labels"])
    return ", ".join([*labels, *([f"none {none}"] if none else [])])


def _notes_on_matrix(row: PeopleRow) -> list[str]:
    return [note for note in (row["matrix"].get("note"), row.get("kappa_note")) if note]


def _matrix(title: str, row: PeopleRow) -> Table:
    """Return a matrix with each pair once, below the diagonal."""
    matrix = row["matrix"]
    names = matrix["raters"]
    rows = [
        (
            names[place],
            *(_kappa_of(matrix, place, other) for other in range(place)),
            *[""] * (len(names) - 1 - place),
        )
        for place in range(1, len(names))
    ]
    return Table(
        f"matrix-{row['item']}",
        f"Matrix of raters: {title}",
        "Cohen's kappa of each two raters on the units that both rated.",
        (
            Field("rater", "Rater").column,
            *(Field(name, name, "bare").column for name in names[:-1]),
        ),
        tuple(rows),
        (
            "Empty: no unit in common. A dash: kappa is undefined, as where both gave one and "
            "the same answer to all that they share. How many units each two share: "
            "tables/pairs-….csv.",
            *_notes_on_matrix(row),
        ),
        detail=True,
        of=title,
        shaded=True,
    )


def _kappa_of(matrix: RaterMatrix, one: int, other: int) -> Cell:
    kappa = matrix["kappas"][one][other]
    if kappa is None:
        return None if matrix["units"][one][other] else ""
    return Value(kappa)


def _pairs_of_raters(report: Report, title: str, row: PeopleRow) -> list[Table]:
    matrix = row["matrix"]
    names, units, reasons = matrix["raters"], matrix["units"], matrix.get("reasons")
    places = list(combinations(range(len(names)), 2))
    rows: list[dict[str, Any]] = [
        {
            "one": names[i],
            "other": names[j],
            "units": units[i][j],
            "kappa": matrix["kappas"][i][j],
            "reason": reasons[i][j] if reasons else "",
        }
        for i, j in places
        if units[i][j]
    ]
    # Kappa from few units says little.
    rows.sort(key=lambda pair: pair["units"], reverse=True)
    apart = len(places) - len(rows)
    is_ordered = any(
        one["key"] == row["item"] and one["scale"] == "ordinal" for one in report["items"]
    )
    return tables_of_rows(
        report,
        f"pairs-{row['item']}",
        f"Pairs of raters: {title}",
        "Cohen's kappa of each two raters on the units that both rated.",
        PAIRS_OF_RATERS,
        rows,
        (
            *(("Ordered answers are weighted quadratically.",) if is_ordered else ()),
            *((f"Left out: {apart:,} pairs without a common unit.",) if apart else ()),
            *_notes_on_matrix(row),
        ),
        detail=True,
        of=title,
        always=True,
    )


def _distribution(report: Report, title: str, row: PeopleRow) -> list[Table]:
    by_system = row.get("by_system")
    is_numbered = people_kind(report, row["item"])[0] == "number"
    given: list[dict[str, Any]] = []
    for one in by_system or [{"system": "", "distribution": row["distribution"]}]:
        total = sum(each["count"] for each in one["distribution"])
        given += (
            {
                "system": one["system"],
                "answer": f"{each['value']}: {each['label']}" if is_numbered else each["label"],
                "count": each["count"],
                "share": each["count"] / total if total else None,
            }
            for each in one["distribution"]
        )
    return tables_of_rows(
        report,
        f"distribution-{row['item']}",
        f"Answers: {title}",
        OF_PAIRS if by_system else "How often each answer was given.",
        (SYSTEM, *DISTRIBUTION) if by_system else DISTRIBUTION,
        given,
        detail=True,
        of=title,
    )


# Skipped dimensions, and disagreements with judges -----------------------------------------------

OWN_WORDS = "in the rater's own words"
SKIPPED = (
    Field("item", "Dimension", source="title"),
    Field("reason", "Reason"),
    Field("count", "Answers", "count"),
)


def skipped(report: Report) -> list[Table]:
    """Return reasons for skipping, the most frequent of each dimension first."""
    rows = [
        {"title": row["title"], **reason}
        for row in report.get("skipped", ())
        for reason in (*row["reasons"], {"reason": OWN_WORDS, "count": row["own_words"]})
        if reason["count"]
    ]
    return tables_of_rows(
        report,
        "skipped",
        "What people did not judge",
        "How often raters gave a reason instead of an answer. Such units have no vote of "
        "theirs in any number.",
        SKIPPED,
        rows,
        detail=True,
    )


DISAGREEMENT_COUNTS = (
    JUDGE,
    ITEM,
    SYSTEM,
    Field("compared", "Compared", "count"),
    Field("people_yes", "People yes, judge no", "count"),
    Field("people_no", "People no, judge yes", "count"),
)


def disagreement_counts(report: Report) -> list[Table]:
    return tables_of_rows(
        report,
        "disagreement-counts",
        "Disagreements by judge, direction and system",
        "On how many units people and a judge both answered, and on how many they differ.",
        DISAGREEMENT_COUNTS,
        report["disagreement_counts"],
    )


def disagreements(report: Report) -> list[Table]:
    def answer(key: str) -> Callable[[Any], str]:
        return lambda row: value_label(report, row["item"], row[key])

    def votes(row: DisagreementRow) -> str:
        return ", ".join(
            f"{count} {value_label(report, row['item'], value).lower()}"
            for value, count in row["votes"].items()
        )

    return tables_of_rows(
        report,
        "disagreements",
        "Disagreements to read",
        "Units on which people and a judge differ most, the furthest apart first.",
        (
            SYSTEM,
            Field("question", "Question"),
            Field("run", "Run"),
            Field("unit", "Unit"),
            ITEM,
            JUDGE,
            Field("people", "People say", source=answer("people")),
            Field("votes", "Votes", source=votes),
            Field("judge_value", "Judge says", source=answer("judge_value")),
            Field("score", "Score", "number", source=lambda row: row["score"]),
        ),
        report["disagreements"],
    )


# Reliability of ratings ---------------------------------------------------------------------------

VARIANCE_SHARES = "Share of the variance"
RELIABILITY_GROUP = "Reliability (1 is best)"


def _variance_part(key: str) -> Callable[[Any], Any]:
    return lambda row: row["parts"][key]


def _of_so_many(place: int) -> Callable[[Any], Any]:
    return lambda row: row["by_raters"][place]


RELIABILITY_COLUMNS = (
    ITEM,
    Field("of_noise", "Noise due to raters", "share", 1, "interval"),
    Field("one_rater", "One rater", "number", 2, "interval", RELIABILITY_GROUP),
    Field("own", "As rated here", "number", 2, "interval", RELIABILITY_GROUP),
    Field("own_raters", "Ratings per unit", "number", 1),
    Field("needed", f"Raters for {RELIABLE}", "number", 0, "interval"),
)
ALL_PARTS = (
    ITEM,
    UNITS,
    Field("ratings", "Ratings", "count"),
    Field("raters", "Raters", "count"),
    *(
        Field(
            f"{key}_part",
            key.capitalize(),
            "share",
            1,
            "interval",
            VARIANCE_SHARES,
            _variance_part(key),
        )
        for key in PARTS
    ),
)
ON_RELIABILITY = (
    "Noise is how much ratings of the same unit differ. The part due to raters is that some are "
    "stricter than others; training can lower it. More raters average out the rest.",
    "Reliability: the share of the variance of the raters' mean that is not noise (intraclass "
    "correlation, Spearman-Brown).",
    "Intervals are by the jackknife over questions, about these raters and systems.",
)


def variance(report: Report) -> list[Table]:
    """Return reliability, the parts of the variance, and reliability by number of raters."""
    rows = report["variance"]
    main = tables_of_rows(
        report,
        "reliability",
        "Reliability of ratings",
        "How much of the noise comes from raters, and how many raters are enough. With 95 % "
        "intervals.",
        RELIABILITY_COLUMNS,
        rows,
        ON_RELIABILITY,
    )
    parts = tables_of_rows(
        report,
        "variance",
        "Parts of the variance",
        "How much of the differences among ratings comes from what. With 95 % intervals.",
        ALL_PARTS,
        rows,
        ON_RELIABILITY[-1:],
        detail=True,
    )
    columns = (
        Field(f"k{place + 1}", str(place + 1), "number", 2, "", "Raters", _of_so_many(place))
        for place in range(MOST_SHOWN)
    )
    by_raters = tables_of_rows(
        report,
        "by-raters",
        "Reliability by number of raters",
        "Expected reliability of the mean of 1 to 10 raters.",
        (ITEM, *columns),
        [row for row in rows if row["one_rater"]["value"] is not None],
        detail=True,
    )
    return [*main, *parts, *by_raters]
