"""The headline about a judge: does it order systems as people do, agree with them, what is missed.

How sure a number is decides the words: "as people do" is said where even the lower end of the
interval is that high, and a kappa is named by both ends of its interval (Landis and Koch 1977).
"""

from collections.abc import Sequence

from evaluation.reports.items import ITEMS
from evaluation.reports.sections.headline_words import (
    answer,
    decimal,
    first,
    interval,
    percent,
    rank,
    said,
    title_of,
    words,
)
from evaluation.reports.sections.words import counted_words
from evaluation.reports.shape.agreement import AgreementRow, Detection
from evaluation.reports.shape.number import Number
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.words import Sentence

AS_PEOPLE, ROUGHLY = 0.8, 0.5
"""The lower end of Pearson from which a judge orders systems as people do, or roughly so."""

FEW_SYSTEMS = 5

MOST_GROUPS = 5
"""Of systems without common questions, so many groups are told."""


# Of the negative value: the units that have it, what a judge calls them, what people say instead.
# Of other items, the item's own name for it is said (`_negative`).
NEGATIVE = {
    "attributable": ("answers that are not attributable", "not attributable", "attributable"),
    "citation_recall": ("unsupported statements", "unsupported", "supported"),
    "citation_precision": ("irrelevant citations", "irrelevant", "relevant"),
    "claim_recall": ("unsupported claims", "unsupported", "supported"),
    "claim_precision": ("irrelevant citations of claims", "irrelevant", "relevant"),
}


def main_agreement(report: Report) -> AgreementRow | None:
    """The row on the first item, of the judge who answered most units of it."""
    rows = [row for row in report["agreement"] if row["units"]]
    item = first([row["item"] for row in rows])
    same = [row for row in rows if row["item"] == item]
    return max(same, key=lambda row: (row["units"], -rank(row["judge"])), default=None)


def on_judge(report: Report, row: AgreementRow) -> list[Sentence]:
    item, judge = row["item"], row["judge"]
    title = title_of(report, judge)
    found = []
    for one in report["correlations"]["systems"]:
        same = (one["people"], one["judge"], one["key"]) == (item, judge, item)
        if same and one["group"] <= MOST_GROUPS:
            ranking = _ranking(title, one["pearson"])
            several = len(report["systems"]["groups"]) > 1
            text = f"Of group {one['group']} of the systems: {ranking}" if several else ranking
            found.append(said("correlation", text))
    about = title if not found else "it"
    found.append(said("kappa", _per_unit(report, about, row)))
    if row["detects"] is not None:
        found.append(said("misses", _misses(item, row["detects"])))
    others = [one for one in report["agreement"] if one["item"] == item and one["units"]]
    found += _best_judge(report, row, others)
    return found


def _ranking(title: str, pearson: Number) -> str:
    n, known = pearson["n"], interval(pearson)
    systems = counted_words(n, "system")
    if known is None:
        return (
            f"Whether {title} ranks your systems as people do cannot be told: Pearson is "
            f"undefined, {pearson['reason']}."
        )
    only = "only " if n < FEW_SYSTEMS else ""
    numbers = f"Pearson {known.says(decimal)}, {only}{systems}."
    if known.ends is None:
        return (
            f"How sure it is that {title} ranks your systems as people do cannot be told "
            f"({pearson['interval_reason']}): {numbers}"
        )
    low, high = known.ends
    if low >= AS_PEOPLE:
        return f"{title} ranks your systems as people do: {numbers}"
    if low >= ROUGHLY:
        return f"{title} ranks your systems roughly as people do: {numbers}"
    if high < 0:
        return f"{title} ranks your systems against people's order: {numbers}"
    if high - low > ROUGHLY and high >= ROUGHLY:
        return (
            f"Whether {title} ranks your systems as people do cannot be told with {systems}: "
            f"Pearson {known.says(decimal)}."
        )
    if low > 0:
        return f"{title} hardly ranks your systems as people do: {numbers}"
    return f"{title} does not rank your systems as people do: {numbers}"


def _per_unit(report: Report, about: str, row: AgreementRow) -> str:
    kappa = row["kappa"]
    unit = kappa["of"].removesuffix("s") if kappa["of"] != "citations of claims" else "citation"
    unit = "answer" if unit == "response" else unit
    n = counted_words(row["units"], unit)
    known = interval(kappa)
    if known is None:
        return (
            f"How far {about} agrees with people on each {unit} cannot be told: kappa is "
            f"undefined, {kappa['reason']} ({n})."
        )
    if constant := _always_the_same(row):
        who, value = constant
        gives = "people give" if who == "people" else f"{about} gives"
        return (
            f"{gives} every {unit} the same answer ({answer(report, row['item'], value)}), which "
            f"is agreement by chance alone: kappa {decimal(known.value)}, {n}."
        )
    whose = "its agreement" if about == "it" else f"the agreement of {about}"
    return (
        f"On each {unit} {whose} with people is {words(known)}: kappa {known.says(decimal)}, {n}."
    )


def _always_the_same(row: AgreementRow) -> tuple[str, str] | None:
    """Who of people and the judge has a single answer, and which; None where both have several."""
    values, table = row["confusion"]["values"], row["confusion"]["table"]
    for who, lines in (("judge", list(zip(*table, strict=True))), ("people", table)):
        given = [value for value, line in zip(values, lines, strict=True) if any(line)]
        if len(given) == 1:
            return who, given[0]
    return None


def _misses(item: str, detects: Detection) -> str:
    units, called, otherwise = NEGATIVE.get(item) or _negative(item)
    recall, precision = interval(detects["recall"]), interval(detects["precision"])
    if recall is None:
        return f"How many of the {units} it misses cannot be told: {detects['recall']['reason']}."
    missed = f"It misses {recall.rest.says(percent)} of the {units}"
    if precision is None:
        return f"{missed}; it calls nothing {called}."
    return (
        f"{missed}; of those that it calls {called}, people find "
        f"{precision.rest.says(percent)} {otherwise}."
    )


def _negative(item: str) -> tuple[str, str, str]:
    name = f"“{ITEMS[item].negative_name}”"
    return f"cases of {name}", name, "something else"


def _best_judge(report: Report, main: AgreementRow, rows: Sequence[AgreementRow]) -> list[Sentence]:
    """Which of several judges agrees most, where it is not the one that was spoken about and more
    than chance sets them apart."""
    kappas = ((row["judge"], interval(row["kappa"])) for row in rows)
    known = [(judge, kappa) for judge, kappa in kappas if kappa is not None]
    if len(known) < 2:
        return []
    best, kappa = max(known, key=lambda one: (one[1].value, -rank(one[0])))
    spoken_of = main["kappa"]["value"]
    if best == main["judge"] or kappa.ends is None or spoken_of is None:
        return []
    if kappa.ends[0] <= spoken_of:
        return []
    title = title_of(report, best)
    return [
        said(
            "judges",
            f"Of {len(known)} judges {title} agrees most with people: kappa {kappa.says(decimal)}.",
        )
    ]
