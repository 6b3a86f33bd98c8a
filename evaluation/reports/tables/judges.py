"""Automatic judges against people: agreement, scores, correlations and biases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.reports.shape.judges import AgreementRow, SystemCorrelation
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    ITEM,
    JUDGE,
    SHARE,
    SYSTEM,
    UNITS,
    automatic_kind,
    counted,
    first_of_pairs,
    item_title,
    judge_note,
    judge_title,
    pair_named,
    people_kind,
    system_title,
    value_label,
    within_note,
)
from evaluation.reports.tables.one_more_rater import (
    CEILING,
    known,
    on_ceiling,
    one_more_rater,
)
from evaluation.reports.tables.people import SAME, THESE_RATERS
from evaluation.reports.tables.table import (
    Field,
    Kind,
    Table,
    shared_notes,
    tables_of_rows,
)
from evaluation.statistics.pairwise_accuracy import TOO_FEW

# Agreement, in the layout of ALCE's table -------------------------------------------------------

DETECTS = "Detects the negative answer"
CONSTANT = "constant answers"


def _detected(key: str) -> Any:
    """Return the source of a number on how well the judge detects the negative answer."""
    return lambda row: row["detects"][key] if row.get("detects") else None


AGREEMENT = (
    ITEM,
    JUDGE,
    UNITS,
    Field("accuracy", "Accuracy", "share", 1, "interval"),
    Field("kappa", "Cohen's kappa", "number", 2, "interval"),
    Field("negative", "Answer", group=DETECTS, source=_detected("name")),
    Field("precision", "Precision", "share", 1, "interval", DETECTS, _detected("precision")),
    Field("recall", "Recall", "share", 1, "interval", DETECTS, _detected("recall")),
    Field("f1", "F1", "share", 1, "interval", DETECTS, _detected("f1")),
)
WITH_KAPPA = 5
"""The number of columns before kappa within slices and the ceiling."""

WITH_EACH = (
    Field("rater", "Rater"),
    UNITS,
    Field("kappa", "Cohen's kappa", "number", missing=CONSTANT),
)
NOT_JUDGED = (Field("reason", "Reason"), Field("count", "Units", "count"))


def agreement(report: Report) -> list[Table]:
    """Return agreement by judge and item, confusion tables, each rater and units not judged."""
    found = report["agreement"]
    tables = tables_of_rows(
        report,
        "agreement",
        "Agreement of people and automatic judges",
        "Automatic judges against the labels made from people's answers, with 95 % intervals.",
        _cited(*AGREEMENT[:WITH_KAPPA], *known(CEILING, report, found), *AGREEMENT[WITH_KAPPA:]),
        found,
        (
            THESE_RATERS,
            *within_note(report, found, "kappa"),
            *on_ceiling(report, found),
            *judge_note(report, [row["judge"] for row in found]),
            *_why_kappa(report, found),
        ),
    )
    tables += one_more_rater(report, found)
    for row in found:
        key, title = pair_named(report, row)
        tables += _confusion(report, row)
        tables += tables_of_rows(
            report,
            f"with-each-{key}",
            f"With each rater: {title}",
            "Cohen's kappa of the judge with each rater, on the units of both.",
            WITH_EACH,
            row.get("with_each", ()),
            detail=True,
            of=title,
        )
        tables += tables_of_rows(
            report,
            f"not-judged-{key}",
            f"Not judged: {title}",
            "Units to which the judge gave no answer, by reason. They are not compared with "
            "people; a system's number counts some of them, where the metric does.",
            NOT_JUDGED,
            row.get("not_judged", ()),
            detail=True,
            of=title,
        )
    return tables


def _cited(*fields: Field) -> tuple[Field, ...]:
    """Mark the kappa to cite: within slices, where it is known."""
    cited = "kappa_within" if any(one.key == "kappa_within" for one in fields) else "kappa"
    return tuple(
        replace(one, title=f"{one.title}, to cite") if one.key == cited else one for one in fields
    )


def _why_kappa(report: Report, rows: Sequence[AgreementRow]) -> Iterator[str]:
    """Say for each dimension why kappa is the number to cite, or which number to add."""
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        title = item_title(report, row["item"])
        reasons.setdefault(_reason_for_kappa(report, row), {})[f"“{title}”"] = None
    for reason, titles in reasons.items():
        yield f"Kappa on {', '.join(titles)}: {reason}."


def _reason_for_kappa(report: Report, row: AgreementRow) -> str:
    within, labels = row.get("kappa_within"), [sum(of) for of in row["confusion"]["table"]]
    if row["kappa"]["value"] is None:
        return f"undefined ({row['kappa']['reason']}): cite accuracy"
    if (share := max(labels) / sum(labels)) >= SAME:
        return f"{100 * share:.0f} % of people's labels are the same: report accuracy as well"
    if within is not None and within["value"] is None:
        return f"undefined within slices ({within['reason']}): cite kappa over all of them"
    if within is not None:
        return "differences between slices do not count as agreement"
    if any(one["key"] == row["item"] and one["scale"] == "ordinal" for one in report["items"]):
        return "ordered answers: far apart counts more"
    return "agreement by chance does not count"


def _confusion(report: Report, row: AgreementRow) -> list[Table]:
    key, title = pair_named(report, row)
    values = row["confusion"]["values"]
    labels = {value: value_label(report, row["item"], value) for value in values}
    return tables_of_rows(
        report,
        f"confusion-{key}",
        f"Confusion table: {title}",
        "What the judge said of units that people labelled so.",
        (
            Field("people", "People say"),
            *(
                Field(value, label, "count", group="The judge says")
                for value, label in labels.items()
            ),
        ),
        (
            {"people": labels[value], **dict(zip(values, counts, strict=True))}
            for value, counts in zip(values, row["confusion"]["table"], strict=True)
        ),
        first_of_pairs(report, row["item"]),
        detail=True,
        of=title,
    )


# Correlations: whether judges rank systems, and answers, as people do ---------------------------

DESCRIBED = "Of the means as they are"
BY_CHANCE = "Chance of such an order"
PEARSON, *RANKS = (
    Field("pearson", "Pearson", "number", 2, "interval"),
    Field("spearman", "Spearman", "number", 2, "interval"),
    Field("kendall", "Kendall", "number", 2, "interval"),
)
CORRELATIONS = (
    Field("pair", "People and judge", source="title"),
    Field("systems", "Systems", "count", source=lambda row: row["pearson"]["n"]),
    Field("soft_accuracy", "Soft pairwise accuracy", "share", 1, "interval"),
    PEARSON,
    Field("chance", "All", "p", 3, group=BY_CHANCE, missing=TOO_FEW),
    Field("chance_of_better", "Without the lowest third", "p", 3, group=BY_CHANCE, missing=TOO_FEW),
    Field("chance_within", "Within two groups", "p", 3, group=BY_CHANCE, missing=TOO_FEW),
    Field("other_systems", "Pearson, other systems", "number", 2, "interval"),
    Field("of_means", "Pearson", "number", 2, "", DESCRIBED),
    *(replace(field, beside="", group=DESCRIBED) for field in RANKS),
)
INSTANCES = (
    Field("people", "People", named=item_title),
    JUDGE,
    Field(
        "system",
        "System",
        named=lambda report, name: "all systems" if name == "all" else system_title(report, name),
    ),
    Field("n", "Answers", "count", source=lambda row: row["pearson"]["n"]),
    PEARSON,
    *RANKS,
)
ON_CORRELATIONS = (
    "Pearson estimates the correlation of these systems over an unlimited number of such "
    "questions. Pearson, Spearman and Kendall of the means as they are describe this study: chance "
    "in the questions draws them to 0, and they have no interval.",
    "Pearson, other systems: for systems of the same kind, assumed to be normally distributed.",
    "Soft pairwise accuracy: the share of pairs of systems that both order the same way. A pair "
    "counts less if people or the judge can hardly tell the two apart. Chance of such an order: "
    "the share of random orders that fit people's order as well.",
)


def correlations(report: Report) -> list[Table]:
    """Return correlations over systems with their points, and over the answers of each system."""
    found, instances = report["correlations"]["systems"], report["correlations"]["instances"]
    left_out = dict.fromkeys(name for row in found for name in row["left_out"])
    named = ", ".join(system_title(report, name) for name in left_out)
    tables = tables_of_rows(
        report,
        "correlations",
        "Correlation of systems",
        "Each system is one point: people's number against the judge's, with 95 % intervals.",
        CORRELATIONS,
        (one for row in found for one in (row, *_without_outlying(row))),
        (
            *ON_CORRELATIONS,
            *shared_notes((row["title"], _far(report, row)) for row in found if row["outlying"]),
            *shared_notes((row["title"], f"{row['warning']}.") for row in found if row["warning"]),
            *((f"Left out, because they use the metric: {named}.",) if left_out else ()),
            *judge_note(report, [row["judge"] for row in found]),
        ),
    )
    for row in found:
        tables += tables_of_rows(
            report,
            points_key(row),
            f"Systems: {row['title']}",
            "The points of the scatter, with 95 % intervals.",
            (
                SYSTEM,
                counted("automatic", "Judge", automatic_kind(report, row["key"]), source="x"),
                counted("people", "People", people_kind(report, row["people"]), source="y"),
                Field(
                    "standing",
                    "Standing",
                    source=lambda p: "outlier, left out" if p["outlier"] else "counted",
                ),
            ),
            row["points"],
            detail=True,
            of=row["title"],
            always=True,
        )
    return tables + tables_of_rows(
        report,
        "instances",
        "Correlation of answers",
        "Each answer is one point: people against the judge within a system, and over all of them.",
        INSTANCES,
        ({**pair, **row} for pair in instances for row in pair["rows"]),
        detail=True,
    )


def _without_outlying(row: SystemCorrelation) -> list[Mapping[str, Any]]:
    """Return the row without outlying systems, if there are any."""
    rest, far = row["without_outlying"], len(row["outlying"])
    plural = "" if far == 1 else "s"
    title = f"{row['title']}, without {far} outlying system{plural}"
    return [] if rest is None else [{**rest, "title": title}]


def _far(report: Report, row: SystemCorrelation) -> str:
    named = ", ".join(system_title(report, name) for name in row["outlying"])
    return f"outlying by people's numbers: {named}."


def points_key(row: SystemCorrelation) -> str:
    """Return the key of the table of a correlation's points."""
    return f"points-{row['people']}-{row['judge']}-{row['key']}{group_suffix(row)}"


def group_suffix(row: SystemCorrelation) -> str:
    """Return the end of a key for a group of systems after the first."""
    return f"-group-{row['group']}" if row["group"] > 1 else ""


# Biases of language models -----------------------------------------------------------------------

VARIED = {
    "choices": "Choices reversed",
    "passages": "Passages reversed",
    "padded": "Answer padded",
    "system": "System named",
}
AGAINST = {"people": "people's labels", "judges": "the other judges"}
NARROW = (
    "The interval of the difference may be a little too narrow: in made-up studies it held the "
    "truth in .92 to .95 instead of .95."
)
CORRECTED = "p is corrected by Holm's method for all tests of the same judge."

VARIANTS = (
    JUDGE,
    Field("varied", "Put otherwise", source=lambda row: VARIED[row["varied"]]),
    UNITS,
    counted("changed", "Changed answers", SHARE, beside="interval"),
)
REPEATS = (
    JUDGE,
    ITEM,
    Field("times", "Times asked", "count"),
    UNITS,
    counted("same", "One answer every time", SHARE, beside="interval"),
    Field("alpha", "Alpha with itself", "number", 2, "interval"),
)
TOLD_SYSTEM = (
    JUDGE,
    SYSTEM,
    Field("own", "Own family", source=lambda row: "yes" if row["own"] else "no"),
    UNITS,
)


def _own_family(kind: tuple[Kind, int]) -> tuple[Field, ...]:
    return (
        JUDGE,
        Field("family", "Family"),
        Field("against", "Compared with", source=lambda row: AGAINST[row["against"]]),
        Field("own_units", "Units, own", "count"),
        Field("other_units", "Units, others", "count"),
        counted("own", "More, own", kind, beside=""),
        counted("others", "More, others", kind, beside=""),
    )


def _shift(title: str, kind: tuple[Kind, int]) -> tuple[Field, ...]:
    return (
        counted("shift", title, kind, beside="interval"),
        Field("p", "p", "p", 3),
        Field("p_holm", "p, corrected", "p", 3),
    )


def model_biases(report: Report) -> list[Table]:
    """Return the effect of each variant per item, repeats, own-family preference, and by system."""
    found = report.get("model_biases", [])
    variants, own_family, told_system = list[Table](), list[Table](), list[Table]()
    for item in dict.fromkeys(one["item"] for one in found):
        some = [one for one in found if one["item"] == item]
        title, kind = item_title(report, item), people_kind(report, item)
        variants += tables_of_rows(
            report,
            f"model-variants-{item}",
            f"The same judge, asked otherwise: {title}",
            "How many of its answers change where one thing is put otherwise, and how the mean "
            "moves, with 95 % intervals.",
            (*VARIANTS, *_shift("Shift of the mean", kind)),
            ({**effect, "judge": one["judge"]} for one in some for effect in one["variants"]),
            (
                *(f"{judge_title(report, one['judge'])}: {said}" for one in some
                  for said in one["said"]),
                CORRECTED,
                *judge_note(report, [one["judge"] for one in some]),
            ),
            of=title,
        )  # fmt: skip
        own_family += tables_of_rows(
            report,
            f"own-family-{item}",
            f"Systems of the judge's own family: {title}",
            "What the judge says more than others do, of systems of its own family and of all "
            "other systems. Families are as somebody said, not guessed.",
            (*_own_family(kind), *_shift("Difference", kind)),
            ({**one["own_family"], "judge": one["judge"]} for one in some if one["own_family"]),
            (CORRECTED, NARROW),
            detail=True,
            of=title,
        )
        told_system += tables_of_rows(
            report,
            f"model-named-{item}",
            f"The same judge, told the system's name: {title}",
            "Change of each system's mean when the judge sees the system's name, with 95 % "
            "intervals.",
            (*TOLD_SYSTEM, *_shift("Shift of the mean", kind)),
            ({**named, "judge": one["judge"]} for one in some for named in one["systems"]),
            (CORRECTED,),
            detail=True,
            of=title,
        )
    repeats = tables_of_rows(
        report,
        "model-repeats",
        "The same judge, asked the same again",
        "How far it agrees with itself, with 95 % intervals.",
        REPEATS,
        ({**one, **one["repeats"]} for one in found if one["repeats"]),
    )
    return [*variants, *repeats, *own_family, *told_system]
